// Minibatches of rows that contradict each other: their steps end in noise, and Newton's steps on all rows in a certificate.
import { atMost, groupMeans, minimise, sgd, solve } from "@pliant/core";
import { array, reference, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";

const rows = 60;
/** Noise that no line explains, from a rule. */
const noise = Array.from({ length: rows }, (_, i) => Math.sin(12.9898 * i * i) * 1.4);
const X = Array.from({ length: rows }, (_, i) => [Math.cos(1.7 * i), Math.sin(0.9 * i + 1), 1]);
const y = X.map(([a, b], i) => a - 0.5 * b + 0.3 + noise[i]);

type Data = Record<"X" | "y" | "members", Tensor>;
const task = minimise({
  params: { w: array([0, 0, 0]) },
  forward: ({ w }: { w: Tensor }, d: Data) =>
    d.X.matmul(w.reshape([3, 1]))
      .reshape([d.X.shape[0]])
      .sub(d.y)
      .pow(2),
  objective: (losses) => losses.mean(),
}).subjectTo({ groups: atMost([0.6, 0.8, 0.7], (losses, d) => groupMeans(losses, d.members)) });
const data = {
  X: array(X),
  y: array(y),
  members: array(y.map((_, i) => [0, 1, 2].map((k) => Number(i % 3 === k)))),
};
const options = { data, backend: reference() };
const batch = { size: 20, seed: 1 };

test("steps on minibatches end in the certificate that steps on all rows end in", async () => {
  const whole = await solve(task, options);
  expect(whole.certificate).toMatchObject({ holds: true, kind: "local" });
  const sampled = await solve(task, { ...options, batch });
  // Curvature is claimed only where all rows were asked for.
  expect(sampled.certificate).toMatchObject({ holds: true, kind: "stationary" });
  const [{ groups }, there] = [sampled.report.requirements, whole.report.requirements.groups];
  expect(sampled.report.objective).toBeCloseTo(whole.report.objective, 3);
  expect(groups.price / there.price).toBeCloseTo(1, 2);
  expect(groups.relaxation / there.relaxation).toBeCloseTo(1, 2);
  // Prices pay for something: the requirements bind.
  expect(there.price).toBeGreaterThan(0.05);
});

test("an optimiser of one's own is left to its noise", async () => {
  const { certificate } = await solve(task, { ...options, batch, optimizer: sgd(0.05), steps: 200 });
  expect(certificate.holds).toBe(false);
});
