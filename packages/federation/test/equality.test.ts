// A whole federation over a bus in one process: the simulator's numbers, to the bit, in the open and behind masks.
import { leaves, type NdArray } from "@pliant/engine";
import { type FederationSpec, memoryLedger } from "@pliant/federation";
import { describe, expect, test } from "vitest";
import { inProcess, storeOn } from "./in-process.js";
import { simulated, specOf, tablesOf } from "./problem.js";

const numbersIn = (tree: unknown): number[] =>
  leaves(tree).flatMap(({ leaf }) => Array.from((leaf as NdArray).data));

/** Fails the first time, as on a full disk. */
function fullAtFirst<A extends unknown[], R>(act: (...args: A) => R): (...args: A) => R {
  let times = 0;
  return (...args) => {
    if (times++ === 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    return act(...args);
  };
}

async function federated(spec: FederationSpec, tables: ReturnType<typeof tablesOf>, full = false) {
  if (!full) return inProcess(spec, tables);
  const ledger = memoryLedger();
  const stores = tables.map(() => {
    const { load, save } = storeOn([]);
    return { load, save: fullAtFirst(save) };
  });
  return inProcess(spec, tables, {
    ledger: { ...ledger, open: fullAtFirst(ledger.open), commit: fullAtFirst(ledger.commit) },
    stores,
  });
}

async function expectSame(spec: FederationSpec, tables: ReturnType<typeof tablesOf>) {
  const there = await federated(spec, tables);
  const here = await simulated(spec, tables);
  expect(numbersIn(there.state.params)).toEqual(numbersIn(here.state.params));
  expect(there.sites.map(({ price }) => price)).toEqual(Array.from(here.state.prices.data));
  expect(there.sites.map(({ relaxation }) => relaxation)).toEqual(Array.from(here.state.relaxations.data));
  return { there, here };
}

describe("ten sites, 8 rounds of 5", () => {
  const tables = tablesOf(10);
  const many = { training: { rounds: 8, communicationRounds: 5, solver: "fedAvg" as const } };
  test.each([
    ["resilient", {}],
    ["constrained, at negative weights", { cost: "hard" as const, dualRate: 60 }],
  ])("in the open equal the simulator to the bit: %s", async (_, sites) => {
    const spec = specOf({ ...many, sites: { number: 10, ...sites }, sums: { kind: "plain" } });
    const { here } = await expectSame(spec, tables);
    expect(Math.max(...here.state.prices.data)).toBeGreaterThan(0);
    if ("dualRate" in sites) expect(Math.min(...here.weights)).toBeLessThan(0);
  });

  test("behind masks equal the simulator in fixed point to the bit, where weights are at their least", async () => {
    const spec = specOf({ ...many, sites: { number: 10, cost: "hard", dualRate: 60, leastWeight: 0.5 } });
    const { there, here } = await expectSame(spec, tables);
    expect(Math.min(...here.weights)).toBeCloseTo(0.5, 9);
    expect(there.rows.every(({ survivors }) => survivors.length === 10)).toBe(true);
    const open = await simulated({ ...spec, sums: { kind: "plain", bound: 16 } }, tables);
    const most = numbersIn(there.state.params).map((v, i) => Math.abs(v - numbersIn(open.state.params)[i]));
    expect(Math.max(...most)).toBeLessThan(1e-6);
  });
});

test("updates beyond the bound are scaled down to it, here and in the simulator, and it is said how many", async () => {
  const { there } = await expectSame(specOf({ sums: { bound: 1e-3 } }), tablesOf(4));
  expect(there.said.join()).toContain("4 of 4 updates were scaled down to sums.bound, 0.001,");
  expect(there.rows[0].scaled).toBe(4);
  expect(there.rows.every(({ attempt }) => attempt === 1)).toBe(true);
});

test("full disks are waited for, and nothing is lost by it", async () => {
  const [spec, tables] = [specOf(), tablesOf(4)];
  const [waited, calm] = [await federated(spec, tables, true), await federated(spec, tables)];
  expect(waited.said).toContain("The disk is full; waiting until there is room.");
  expect(numbersIn(waited.state.params)).toEqual(numbersIn(calm.state.params));
  expect(waited.sites.map(({ price }) => price)).toEqual(calm.sites.map(({ price }) => price));
  expect(waited.rows.every(({ attempt }) => attempt === 1)).toBe(true);
});

test("SCAFFOLD too", async () => {
  await expectSame(specOf({ training: { solver: "scaffold" } }), tablesOf(4));
});
