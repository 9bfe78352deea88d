// Data that cannot be learnt from: where it is no number the client that has it is named, where a label is no class its row.
import { NdArray } from "@pliant/engine";
import { FederationDiverged, type SimulationOptions, simulate } from "@pliant/federated";
import { mlp } from "@pliant/learn";
import { expect, test } from "vitest";
import { heterogeneous } from "./problems.js";

const data = heterogeneous({ sizes: [6, 6, 6, 6], inputs: 3, classes: 2, dtype: "float32", seed: 2 });
const base = {
  model: mlp({ inputs: 3, hidden: [4], outputs: 2 }),
  data,
  local: { rate: 0.1 },
  rounds: 2,
  communicationRounds: 1,
};

/** The data with one number of a row that is none. */
const broken = (row: number) => {
  const x = Float32Array.from(data.train.x.data);
  x[3 * row] = NaN;
  return { ...data, train: { ...data.train, x: new NdArray(x, data.train.x.shape) } };
};

const failed = async (options: Partial<SimulationOptions<never>>): Promise<unknown> =>
  simulate({ ...base, ...options } as never).catch((reason: unknown) => reason);

test("a client with a NaN loss is named by its own index, also if others are absent", async () => {
  const found = await failed({ data: broken(20), availability: (client) => client >= 2 });
  expect(found).toBeInstanceOf(FederationDiverged);
  expect((found as Error).message).toContain("the loss of client 3 is not a finite number");
});

test("NaN in the first samples is not mistaken for a model that mixes a stack", async () => {
  const found = await failed({ data: broken(0), together: 4 });
  expect((found as Error).message).toContain("the loss of client 0 is not a finite number");
});

test("a NaN update in fixed point is reported as divergence, not as a bound that is too large", async () => {
  const found = await failed({ local: { rate: 3e38, epochs: 20 }, fixedPoint: { bound: 16 } });
  expect(found).toBeInstanceOf(FederationDiverged);
  expect((found as Error).message).toContain("smaller local rate");
});

test.each([
  ["train", -1],
  ["train", 2],
  ["test", 7],
] as const)("a label of the %s pool that is no class of the model is refused: %s", async (name, label) => {
  const labels = Int32Array.from(data.train.y.data);
  labels[7] = label;
  const wrong = { ...data.train, y: new NdArray(labels, data.train.y.shape) };
  const found = await failed({ data: { ...data, test: data.train, [name]: wrong } });
  expect((found as Error).message).toBe(
    `Row 7 of the ${name === "train" ? "training" : "test"} pool has the label ${label}, and the model mlp has the classes 0 to 1.`,
  );
});
