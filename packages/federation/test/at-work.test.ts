// A coordinator and sites at work, where something is late, gone, left over or not what it should be.

import { reference } from "@pliant/engine";
import { networkServer } from "@pliant/federated";
import {
  type Blobs,
  coordinate,
  digest,
  encodeGiven,
  encodeMessage,
  encodeModel,
  type Given,
  memoryBlobs,
  memoryBus,
  memoryLedger,
  networkOptions,
  parseToCoordinator,
  plainSum,
  type SiteListener,
  type ToSite,
  takePart,
  toSummand,
} from "@pliant/federation";
import { expect, test, vi } from "vitest";
import { inProcess, rosterOf, sitesOf, storeOn } from "./in-process.js";
import { specOf, tablesOf } from "./problem.js";

const who = sitesOf(4);
const tables = tablesOf(4);
const [{ identity }] = who;
/** The first of them. */
const first = () => ({
  run: "r",
  site: "a",
  identity,
  roster: rosterOf(who),
  data: tables[0],
  store: storeOn([]),
});

test("a site does not wait for a model that is gone once it is shown another", async () => {
  const spec = specOf();
  const { params, shared } = networkServer(networkOptions(spec, reference())).init();
  const blobs = memoryBlobs();
  const model = await blobs.put(encodeModel({ update: params, shared }));
  const sent: string[] = [];
  let listener: SiteListener | undefined;
  const stop = new AbortController();
  const site = takePart({
    ...first(),
    spec,
    blobs,
    bus: {
      listen: (given) => {
        listener = given;
      },
      send: (text) => sent.push(text),
      close: async () => {},
    },
    signal: stop.signal,
  });
  const work = (exchange: number, shown: string): ToSite => ({
    kind: "work",
    run: "r",
    exchange,
    attempt: 1,
    shown: { step: exchange / 2, exchange: 0, model: shown, meanPrice: 0, answers: [] },
    bound: 16,
    counted: null,
  });
  listener!.message(encodeMessage(work(0, digest("a model that is gone"))));
  await vi.waitUntil(() => true);
  listener!.message(encodeMessage(work(2, model)));
  await vi.waitUntil(() => sent.length > 0, { timeout: 20_000 });
  expect(parseToCoordinator(sent[0])).toMatchObject({ kind: "ready", exchange: 2 });
  stop.abort(new Error("enough"));
  await expect(site).rejects.toThrow("enough");
});

test("a coordinator keeps no updates: neither those of its sums nor what was left by one before it", async () => {
  const spec = specOf();
  const kept = new Set<string>();
  const inner = memoryBlobs();
  const blobs: Blobs = {
    put: async (bytes) => {
      const hash = await inner.put(bytes);
      kept.add(hash);
      return hash;
    },
    get: inner.get,
    keepOnly: async (hashes) => {
      await inner.keepOnly(hashes);
      for (const hash of kept) if (!hashes.includes(hash)) kept.delete(hash);
    },
  };
  const left = await blobs.put(Buffer.from("of an attempt that was aborted"));
  const { rows } = await inProcess(spec, tables, {
    blobs,
    onCommitted: () => expect(kept).not.toContain(left),
  });
  expect([...kept].toSorted()).toEqual(
    rows
      .slice(-2)
      .map(({ shown }) => shown.model)
      .toSorted(),
  );
});

test("sums in the open take nothing of another shape, and nothing that is no number", () => {
  const given = (...values: number[]): Given => ({ values: Float64Array.from(values), numbers: [1] });
  const sum = (b: Given) =>
    plainSum(
      new Map([
        ["a", given(1, 2)],
        ["b", b],
      ]),
      (value) => value,
    );
  expect([...sum(given(3, 4)).values]).toEqual([4, 6]);
  expect(() => sum(given(3))).toThrow("The upload of b has another shape than the others'.");
  expect(() => sum({ ...given(3, 4), numbers: [] })).toThrow("The upload of b has another shape");
  expect(() => sum(given(3, Number.NaN))).toThrow("The upload of b has numbers that are not finite.");
});

test("uploads that all have another shape than the model are refused with a sentence", async () => {
  const spec = specOf({ sums: { kind: "plain" }, sites: { number: 3, least: 1 } });
  const blobs = memoryBlobs();
  const bus = memoryBus();
  const said: string[] = [];
  const stop = new AbortController();
  const done = coordinate({
    run: "r",
    spec,
    roster: { a: identity.key },
    ledger: memoryLedger(),
    blobs: { ...blobs, get: async () => encodeGiven({ values: new Float64Array(), numbers: [0] }) },
    bus: bus.coordinator,
    say: (what) => {
      said.push(what);
      if (what.includes("shape")) stop.abort(new Error("enough"));
    },
    signal: stop.signal,
  });
  const site = takePart({ ...first(), spec, bus: bus.site("a"), blobs, signal: stop.signal });
  await expect(done).rejects.toThrow("enough");
  await expect(site).rejects.toThrow("enough");
  expect(said.join()).toContain("The uploads do not have the shape that this exchange asks for.");
});

test("what no scale can hold is not sent, and says what to do", () => {
  const given = (value: number, number = 0): Given => ({ values: Float64Array.of(value), numbers: [number] });
  const most = Math.floor((2 ** 31 - 1) / 4);
  expect(toSummand(given(most), 2 ** 29, 4).words).toEqual(Int32Array.of(most));
  expect(() => toSummand(given(-most - 1), 16, 4)).toThrow(
    `This site's update has coordinates beyond ${most}, which 4 sites cannot sum; it is not sent. Try a smaller local rate`,
  );
  expect(() => toSummand(given(0, 1e9), 16, 4)).toThrow("a loss or price beyond 1048576, which 4 sites");
});
