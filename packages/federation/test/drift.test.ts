// Several local steps on minibatches drift towards a site's own optimum and bias prices; by default a federation corrects that.
import { NdArray } from "@pliant/engine";
import type { Pool } from "@pliant/federated";
import { expect, test } from "vitest";
import { simulatedRun } from "../src/service/simulated.js";
import { specOf, tablesOf } from "./problem.js";

/** Each site's own optimum lies elsewhere: the second column tells the classes apart in ways that contradict each other. */
const tables: readonly Pool[] = tablesOf(3, 32).map(({ x, y }, site) => {
  const turned = Float32Array.from(x.data, (value, k) =>
    k % 2 === 0 ? Number(value) : Number(value) + (y.data[k >> 1] === 1 ? -1 : 1) * site,
  );
  return { x: new NdArray(turned, x.shape), y };
});

/** The price of the first site, the only one that has one. */
async function price(training: object): Promise<number> {
  const spec = specOf({
    model: { hidden: [] },
    sites: { number: 3, dualRate: 5 },
    training: { rounds: 30, communicationRounds: 5, decay: 0.01, batch: undefined, ...training },
  });
  const { prices } = await simulatedRun(spec, tables);
  expect([...prices.data.slice(1)]).toEqual([0, 0]);
  return prices.data[0];
}

test("a price with minibatches is the one with full batches; with FedAvg, which does not correct drift, it is not", async () => {
  const exact = await price({});
  expect(Math.abs((await price({ batch: 8 })) / exact - 1)).toBeLessThan(0.02);
  expect(Math.abs((await price({ batch: 8, solver: "fedAvg" })) / exact - 1)).toBeGreaterThan(0.05);
});
