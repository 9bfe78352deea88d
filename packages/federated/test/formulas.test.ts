// The baselines' formulas by hand, at numbers where no factor is 1.
import { constant, evaluate, NdArray, type Tensor } from "@pliant/engine";
import { average, fairFactor, fedPd, participantCount } from "@pliant/federated";
import { expect, test } from "vitest";

test("q-FedAvg: h = q F^(q−1) ‖L Δ‖² + L F^q", () => {
  const [q, rate] = [3, 0.5];
  const [losses, squaredNorms] = [
    [2, 0.5],
    [0.3, 0.7],
  ];
  // L = 2: 3·4·4·0.3 + 2·8, and 3·0.25·4·0.7 + 2·0.125.
  const h = [14.4 + 16, 2.1 + 0.25];
  expect(fairFactor(q, losses, squaredNorms, rate, average)).toBeCloseTo(2 / (h[0] + h[1]), 9);
});

const number = (value: number): Tensor => constant(new NdArray(Float64Array.of(value), [1]));
const read = (tree: unknown): number => evaluate((tree as { w: Tensor }).w).data[0];

test("FedPD: the pull is ν + (θ_c − θ)/η, then ν moves by (θ_c − θ)/η and the server averages θ_c + ην", () => {
  const { pull, finish } = fedPd({ eta: 4 });
  const at = { params: { w: number(3) }, server: { w: number(1) }, own: { w: number(0.25) }, shared: {} };
  expect(read(pull!(at))).toBeCloseTo(0.25 + 2 / 4, 12);
  const scalar = (value: number): Tensor => constant(new NdArray(Float64Array.of(value), []));
  const { update, own } = finish({ ...at, weight: scalar(1.5), sentWeight: scalar(1), travelled: scalar(1) });
  expect(read(own)).toBeCloseTo(0.25 + 2 / 4, 12);
  // What the server adds to θ: w (θ_c − θ + ην).
  expect(read(update)).toBeCloseTo(1.5 * (2 + 4 * 0.75), 12);
});

test("a share of the clients is rounded to the nearest number of them", () => {
  expect(participantCount(0.6, 6)).toBe(4);
  expect(participantCount(0.4, 6)).toBe(2);
  expect(participantCount(0.5, 5)).toBe(3);
  expect(participantCount(4, 6)).toBe(4);
});
