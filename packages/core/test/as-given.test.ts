// The same thing may be given in several ways, and means the same.
import { adam, adamw, atLeast, atMost, equals, minimise, sgd, solve } from "@pliant/core";
import { array, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";
import { float64 } from "./float64.js";

test.each([atMost, atLeast, equals])("levels are numbers, lists, typed arrays or arrays", (requires) => {
  const loss = (x: Tensor): Tensor => x;
  const levels = [[1, 2], Float64Array.of(1, 2), Float32Array.of(1, 2), array([1, 2]), float64([1, 2])];
  for (const level of levels) expect(requires(level, loss).level).toEqual([1, 2]);
  expect(requires(array(3), loss).level).toBe(3);
  expect(requires(3, loss).level).toBe(3);
});

test.each([
  ["sgd", sgd(0.1, { momentum: 0.5 }), sgd({ rate: 0.1, momentum: 0.5 })],
  ["adam", adam(0.1, { betas: [0.8, 0.9] }), adam({ rate: 0.1, betas: [0.8, 0.9] })],
  ["adamw", adamw(0.1, { decay: 0.2 }), adamw({ rate: 0.1, decay: 0.2 })],
])("%s takes its rate alone or among its options", async (_, alone, among) => {
  const task = minimise({
    params: { x: float64([0, 0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(3).pow(2).sum(),
  }).subjectTo({ low: atMost(1, (x) => x.sum()) });
  const [a, b] = await Promise.all(
    [alone, among].map((optimizer) => solve(task, { data: float64([0]), optimizer, steps: 7 })),
  );
  expect(a.params).toEqual(b.params);
  expect(a.params.x.data[0]).not.toBe(0);
});
