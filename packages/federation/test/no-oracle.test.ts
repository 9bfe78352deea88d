// A coordinator that chooses the model, so that a site's numbers overflow or not by what is in its rows: what the site does must
// not show which.
import { NdArray } from "@pliant/engine";
import type { Pool } from "@pliant/federated";
import {
  encodeMessage,
  type FederationSpec,
  isAllFinite,
  memoryBlobs,
  memoryBus,
  parseToCoordinator,
  specHash,
  statementHash,
  type ToCoordinator,
  takePart,
  toSummand,
} from "@pliant/federation";
import { describe, expect, test } from "vitest";
import { rosterOf, sitesOf, storeOn } from "./in-process.js";
import { specOf } from "./problem.js";

const who = sitesOf(4);
const roster = rosterOf(who);

/** A table in which one row stands out, or none does. */
function tableWith(one: number): Pool {
  const x = Float32Array.from({ length: 32 }, (_, i) => (i === 9 ? one : 0));
  return {
    x: new NdArray(x, [16, 2]),
    y: new NdArray(
      Int32Array.from({ length: 16 }, (_, i) => i % 2),
      [16],
    ),
  };
}

/** Rows of zeros have the outputs 0 and 0, all others ∞ and −∞. */
function overflowing(): Buffer {
  const filled = (length: number, value: number) => new Float32Array(length).fill(value);
  const out = Float32Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? 3e38 : -3e38));
  const parts = [filled(8, 1e30), filled(4, 0), out, filled(2, 0)];
  return Buffer.concat(parts.map((part) => Buffer.from(part.buffer)));
}

/** What site a says when it is shown that model in a round that is not the first, and what its operator reads. */
async function answers(spec: FederationSpec, table: Pool, step = 1) {
  const bus = memoryBus();
  const blobs = memoryBlobs();
  const model = await blobs.put(overflowing());
  const shown = { step, exchange: 0, model, meanPrice: 0, answers: [], past: "00".repeat(32) };
  const id = { run: "r", exchange: 2, attempt: 1 };
  const statement = statementHash({ ...id, spec: specHash(spec), roster, shown });
  const said: string[] = [];
  const stop = new AbortController();
  const site = takePart({
    ...{ run: "r", spec, site: "a", identity: who[0].identity, roster, data: table, store: storeOn([]) },
    ...{ bus: bus.site("a"), blobs, say: (what: string) => void said.push(what), signal: stop.signal },
  });
  const answer = await new Promise<ToCoordinator>((resolve, reject) => {
    site.catch(reject);
    bus.coordinator.listen((_, text) => {
      const message = parseToCoordinator(text);
      if (message.kind === "hello")
        bus.coordinator.send("a", encodeMessage({ kind: "work", ...id, shown, statement }));
      else resolve(message);
    });
  });
  stop.abort(new Error("enough"));
  await site.catch(() => {});
  return { answer, said };
}

describe("a model that overflows on one row and not on others", () => {
  // A bound within which a coordinator can choose such a model.
  const sums = { bound: 2e38 };
  const spec = specOf({ training: { rounds: 4, batch: undefined, solver: "fedAvg", clip: undefined }, sums });
  const privately = specOf({
    sums,
    training: { rounds: 4, batch: 8, clip: undefined },
    privacy: { epsilon: 6, delta: 1e-3, clip: 1, lossClip: 2 },
  });
  test.each([
    ["without noise", spec],
    ["with privacy", privately],
  ])("is answered alike: %s", async (_, told) => {
    const [overflows, fits] = [await answers(told, tableWith(1)), await answers(told, tableWith(0))];
    expect(fits.answer.kind).toBe("ready");
    expect(overflows.answer.kind).toBe("ready");
    expect(Object.keys(overflows.answer)).toEqual(Object.keys(fits.answer));
  });

  test("is refused at the beginning, where the seed says which model it is", async () => {
    for (const table of [tableWith(1), tableWith(0)])
      expect((await answers(spec, table, 0)).answer).toMatchObject({
        kind: "refuse",
        reason: "The coordinator begins with another model than the one that the spec's seed gives.",
      });
  });

  test("is told to the site's own operator", async () => {
    const { said } = await answers(spec, tableWith(1));
    expect(said.join()).toContain("numbers that are not finite; it counts as zeros. Nobody else is told.");
  });
});

test("summands are always finite, and the number of non-finite updates is summed along", () => {
  const given = { values: Float64Array.of(1, Number.NaN), numbers: [Number.NaN, 1e9, -Infinity] };
  expect(isAllFinite(given)).toBe(false);
  const { words, numbers } = toSummand(given, 16, 4);
  expect([...words]).toEqual([0, 0]);
  expect([...numbers.subarray(0, 3)]).toEqual([1n, 1n, 0n]);
  const most = 2n ** 60n;
  expect([...numbers.subarray(3)]).toEqual([most, -most]);
});
