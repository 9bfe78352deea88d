// A coordinator and sites at work, where something is late, gone, left over or not what it should be.

import { reference } from "@pliant/engine";
import { networkServer } from "@pliant/federated";
import {
  type Blobs,
  decodeGiven,
  decodeSummand,
  digest,
  encodeGiven,
  encodeMessage,
  encodeModel,
  encodeSummand,
  type Given,
  memoryBlobs,
  networkOptions,
  parseToCoordinator,
  plainSum,
  type SiteListener,
  specHash,
  statementHash,
  type ToSite,
  takePart,
  toSummand,
} from "@pliant/federation";
import { expect, test, vi } from "vitest";
import { inProcess, ledgerWith, rosterOf, sitesOf, storeOn } from "./in-process.js";
import { specOf, tablesOf } from "./problem.js";
import { seededBytes } from "./seeded.js";

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
    shown: {
      step: exchange / 2,
      exchange: 0,
      model: shown,
      meanPrice: 0,
      answers: [],
      past: "00".repeat(32),
    },
    statement: statementHash({
      ...{ run: "r", exchange, attempt: 1, spec: specHash(spec), roster: rosterOf(who) },
      shown: {
        step: exchange / 2,
        exchange: 0,
        model: shown,
        meanPrice: 0,
        answers: [],
        past: "00".repeat(32),
      },
    }),
  });
  listener!.message(encodeMessage(work(0, digest("a model that is gone"))));
  await vi.waitUntil(() => true);
  listener!.message(encodeMessage(work(2, model)));
  await vi.waitUntil(() => sent.length > 0, { timeout: 100_000 });
  expect(parseToCoordinator(sent[0])).toMatchObject({ kind: "ready", exchange: 2 });
  stop.abort(new Error("enough"));
  await expect(site).rejects.toThrow("enough");
});

test("a coordinator keeps no updates: neither those of its sums nor what was left by one before it", async () => {
  const spec = specOf();
  const kept = new Set<string>();
  const inner = memoryBlobs();
  const blobs: Blobs = {
    ...inner,
    put: async (bytes) => {
      const hash = await inner.put(bytes);
      kept.add(hash);
      return hash;
    },
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

test("plain sums refuse uploads of another shape, and values that are not finite", () => {
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

test("a site that uploads another shape is excluded before its upload is summed, and the others go on", async () => {
  const short = tables.map((_, i) => ({
    put: async (bytes: Buffer) => blobs.put(i === 1 ? bytes.subarray(0, -8) : bytes),
    get: (hash: string) => blobs.get(hash),
  }));
  const blobs = memoryBlobs();
  const ledger = await ledgerWith(who);
  const { rows, said } = await inProcess(specOf(), tables, {
    blobs,
    ledger,
    siteBlobsOf: (i) => short[i],
    leaves: ["b"],
  });
  expect(said).toContain("b is excluded: it uploaded something of another shape");
  expect(rows.every(({ survivors }) => survivors.join() === "a,c,d")).toBe(true);
  expect((await ledger.sites())[1].removed).toBe("it uploaded something of another shape");
});

test("a site whose numbers are not finite is excluded too, in plain sums", async () => {
  const blobs = memoryBlobs();
  const spoilt = (bytes: Buffer): Buffer => {
    const { values, numbers } = decodeGiven(bytes);
    return encodeGiven({ values: values.map(() => Number.NaN), numbers });
  };
  const { said } = await inProcess(specOf({ sums: { kind: "plain" } }), tables, {
    blobs,
    ledger: await ledgerWith(who),
    siteBlobsOf: (i) => ({
      put: async (bytes) => blobs.put(i === 1 ? spoilt(bytes) : bytes),
      get: (hash) => blobs.get(hash),
    }),
    leaves: ["b"],
  });
  expect(said).toContain("b is excluded: it uploaded numbers that are not finite");
});

test("a masked upload as long as it should be, with other counts in its header, names its site", async () => {
  const blobs = memoryBlobs();
  const ledger = await ledgerWith(who);
  const { said } = await inProcess(specOf(), tables, {
    blobs,
    ledger,
    siteBlobsOf: (i) => ({
      put: async (bytes) => {
        if (i !== 0) return blobs.put(bytes);
        const other = Buffer.from(bytes);
        other.writeUInt32LE(bytes.readUInt32LE(0) - 2, 0);
        other.writeUInt32LE(bytes.readUInt32LE(4) + 1, 4);
        return blobs.put(other);
      },
      get: (hash) => blobs.get(hash),
    }),
    leaves: ["a"],
  });
  expect(said).toContain("a is excluded: The upload of a has another shape than the others'.");
  expect((await ledger.sites()).filter(({ removed }) => removed !== undefined)).toHaveLength(1);
});

const spoilt: Record<string, (bytes: Buffer) => Buffer> = {
  noise: (bytes) => Buffer.concat([bytes.subarray(0, 8), seededBytes("noise")(bytes.length - 8)]),
  // Under its masks, as a site that knows what is checked would: all numbers are right.
  "noise in the coordinates alone": (bytes) => {
    const { words, numbers } = decodeSummand(bytes);
    const noise = new Int32Array(new Uint8Array(seededBytes("noise")(4 * words.length)).buffer);
    return encodeSummand({ words: words.map((word, i) => (word + noise[i]) | 0), numbers });
  },
  "an update that is far too large": (bytes) => {
    const { words, numbers } = decodeSummand(bytes);
    return encodeSummand({ words: words.map((word, i) => (word + (i % 2 ? 1 : -1) * 2 ** 30) | 0), numbers });
  },
};

test.each(Object.keys(spoilt))(
  "a site whose masked uploads are %s is named and excluded within two rounds",
  async (how) => {
    const blobs = memoryBlobs();
    const ledger = await ledgerWith(sitesOf(8));
    const spec = specOf({ sites: { number: 8 }, training: { rounds: 3, communicationRounds: 2 } });
    const { rows, said } = await inProcess(spec, tablesOf(8), {
      blobs,
      ledger,
      siteBlobsOf: (i) => ({
        put: async (bytes) => blobs.put(i === 5 ? spoilt[how](bytes) : bytes),
        get: (hash) => blobs.get(hash),
      }),
      leaves: ["f"],
    });
    const removed = (await ledger.sites()).flatMap(({ site, removed }) =>
      removed === undefined ? [] : [site],
    );
    expect(removed).toEqual(["f"]);
    expect(said.join()).toContain("f is excluded: it alone was in every sum that failed.");
    expect(rows.filter((row) => row.void).length).toBeLessThanOrEqual(2);
    expect(rows.filter((row) => !row.void && row.shown.exchange === 0)).toHaveLength(3);
    expect(rows.at(-1)!.survivors).toHaveLength(7);
  },
);

test("an update beyond the bound is scaled down to it, and counted", () => {
  const given = (value: number, number = 0): Given => ({ values: Float64Array.of(value), numbers: [number] });
  expect(toSummand(given(2 ** 28), 2 ** 28, 4).words).toEqual(Int32Array.of(2 ** 28));
  const scaled = toSummand({ values: Float64Array.of(-64, 16), numbers: [] }, 16, 4);
  expect([...scaled.words]).toEqual([-(2 ** 28), 2 ** 26]);
  expect([...scaled.numbers]).toEqual([1n, 1n]);
});
