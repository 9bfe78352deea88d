// Rates that are the rates asked for: prices follow what is counted, parameters the slope of a convex stand-in.

import {
  adam,
  atMost,
  createSolver,
  insist,
  measurePrice,
  minimise,
  quadratic,
  solve,
  solveWith,
} from "@pliant/core";
import { array, type NdArray, random, type Tensor, where } from "@pliant/engine";
import { expect, test } from "vitest";
import { backend } from "./native.js";

interface Rows<T = Tensor> {
  readonly x: T;
  readonly y: T;
}
const n = 2000;
const d = 4;

/** A fifth are positive; one number says which, behind as much noise. */
function rows(seed: number): Rows<NdArray> {
  const x = random.normal(random.key(seed), [n, d]);
  const noise = random.normal(random.key(seed + 1), [n]);
  const y = Float32Array.from({ length: n }, (_, i) => Number(x.data[i * d] + noise.data[i] > 1.2));
  return { x, y: array(y) };
}
const data = rows(1);
const positives = Array.from(data.y.data).filter((y) => y === 1).length;

const params = { w: array(new Float32Array(d), { shape: [d, 1] }), b: array([0]) };
type Params = { w: Tensor; b: Tensor };
const scores = ({ w, b }: Params, { x }: Rows): Tensor => x.matmul(w).reshape([x.shape[0]]).add(b);
const meanOf = (values: Tensor, marks: Tensor): Tensor => values.mul(marks).sum().div(marks.sum());
const statement = minimise({
  params,
  forward: scores,
  objective: (z: Tensor, { y }: Rows) => z.softplus().sub(z.mul(y)).mean(),
});
/** The share of positives that are missed, and its stand-in. */
const missed = (z: Tensor, { y }: Rows): Tensor => meanOf(z.le(0).cast("float32"), y);
const standIn = (z: Tensor, { y }: Rows): Tensor => meanOf(z.neg().softplus(), y);
const alarms = (z: Tensor, { y }: Rows): Tensor => meanOf(z.gt(0).cast("float32"), y.neg().add(1));
const alarmsStandIn = (z: Tensor, { y }: Rows): Tensor => meanOf(z.softplus(), y.neg().add(1));
const counted = { strict: missed, pricedBy: "strict", resolution: 1 / positives, scale: 1 } as const;
const options = { data, optimizer: adam(0.1), steps: 1500, tolerance: 2e-3, backend };

const countMisses = (rowsOf: Rows<NdArray>, { w, b }: { w: NdArray; b: NdArray }): number => {
  let count = 0;
  for (let i = 0; i < n; i++) {
    let z = b.data[0];
    for (let j = 0; j < d; j++) z += rowsOf.x.data[i * d + j] * w.data[j];
    if (rowsOf.y.data[i] === 1 && z <= 0) count++;
  }
  return count / positives;
};

test.each([0.1, 0.25, 0.4])("a miss rate asked at %d is counted there, certified", async (level) => {
  const task = statement.subjectTo({ misses: atMost(level, standIn, { ...counted, hard: true }) });
  const { report, params: found, certificate } = await solve(task, options);
  expect(certificate.short).toEqual([]);
  expect(Math.abs(report.requirements.misses.reached - level)).toBeLessThanOrEqual(1.0001 / positives + 2e-3);
  expect(countMisses(data, found)).toBeCloseTo(report.requirements.misses.reached, 6);
  expect(report.requirements.misses.status).toBe("at its level");
});

test("a rate that holds by itself costs nothing, however high its stand-in", async () => {
  const task = statement.subjectTo({ errors: atMost(0.75, standIn, { ...counted, hard: true }) });
  const { report, certificate } = await solve(task, options);
  expect(certificate.holds).toBe(true);
  expect(report.requirements.errors).toMatchObject({ price: 0, relaxation: 0, status: "met" });
  expect(report.requirements.errors.loss).toBeGreaterThan(0.75);
});

test("rates that cannot both be met give way until the slope of the cost is their price", async () => {
  const negatives = n - positives;
  const task = statement.subjectTo(
    {
      misses: atMost(0.02, standIn, counted),
      alarms: atMost(0.02, alarmsStandIn, {
        strict: alarms,
        pricedBy: "strict",
        resolution: 1 / negatives,
        scale: 1,
      }),
    },
    { cost: quadratic(1) },
  );
  const { report, certificate } = await solve(task, options);
  expect(certificate.short).toEqual([]);
  for (const { reached, relaxation, price, status } of Object.values(report.requirements)) {
    expect(status).toBe("gave way");
    expect(price).toBeCloseTo(2 * relaxation, 3);
    expect(Math.abs(reached - 0.02 - relaxation)).toBeLessThan(1 / positives + 1e-3);
  }
});

test("prices follow the rows they are judged on, parameters those they learn from", async () => {
  type Both<T = Tensor> = Rows<T> & { readonly judge: Rows<T> };
  const judge = rows(7);
  const inJudge = Array.from(judge.y.data).filter((y) => y === 1).length;
  const task = minimise({
    params,
    forward: (p: Params, { x, y }: Both) => scores(p, { x, y }),
    objective: (z, { y }) => z.softplus().sub(z.mul(y)).mean(),
  }).subjectTo({
    misses: atMost(0.1, (z, { y }) => standIn(z, { x: y, y }), {
      strict: (z, { y }) => missed(z, { x: y, y }),
      pricedBy: "strict",
      judged: ({ judge }) => ({ ...judge, judge }),
      resolution: 1 / inJudge,
      scale: 1,
      hard: true,
    }),
  });
  const { report, params: found, certificate } = await solve(task, { ...options, data: { ...data, judge } });
  expect(certificate.short).toEqual([]);
  expect(Math.abs(report.requirements.misses.reached - 0.1)).toBeLessThan(1.001 / inJudge + 1e-3);
  let misses = 0;
  for (let i = 0; i < n; i++) {
    let z = found.b.data[0];
    for (let j = 0; j < d; j++) z += judge.x.data[i * d + j] * found.w.data[j];
    if (judge.y.data[i] === 1 && z <= 0) misses++;
  }
  expect(misses / inJudge).toBeCloseTo(report.requirements.misses.reached, 6);
});

test("insisting costs at least what convexity promises, and the price is the slope that is measured", async () => {
  const task = statement.subjectTo({ fit: atMost(0.3, standIn) });
  const solver = await createSolver(task, options);
  const found = await solveWith(solver, options);
  expect(found.certificate.holds).toBe(true);
  const { fit } = found.report.requirements;
  expect(fit.status).toBe("gave way");
  const had = await insist(solver, found, "fit", { steps: 3000 });
  expect(had.had).toBe(true);
  expect(had.reached).toBeCloseTo(0.3, 2);
  expect(had.costs).toBeGreaterThan(had.atLeast);
  expect(had.atLeast).toBeCloseTo(fit.price * fit.relaxation, 9);
  const measured = await measurePrice(solver, found, "fit", { by: 0.01 });
  expect(Math.abs(measured.price! / fit.price - 1)).toBeLessThan(0.03);
  expect(measured.tighter).toBeGreaterThan(measured.looser!);
});

test("masks without a member are named, not certified", async () => {
  const task = statement.subjectTo({
    known: atMost(0.5, standIn),
    nobody: atMost(0.1, (z) => meanOf(z.softplus(), where(z.gt(Infinity), 1, 0))),
  });
  await expect(solve(task, options)).rejects.toThrow(/^At the start nobody was not a finite number; perhaps/);
});

test("examples that are alike are counted at once: the certificate says so, and holds where their share is the resolution", async () => {
  // Ten kinds of examples, each two hundred times over, positive the more the higher their number: 1, 3, … 19 in 20.
  const kinds = 10;
  const of = (i: number): number => i % kinds;
  const alike = {
    x: array(
      Float32Array.from({ length: n * d }, (_, i) => (i % d === 0 ? of(Math.floor(i / d)) / kinds - 0.5 : 0)),
      { shape: [n, d] },
    ),
    y: array(Float32Array.from({ length: n }, (_, i) => Number(Math.floor(i / kinds) % 20 < 2 * of(i) + 1))),
  };
  // Of the positives the kinds have 1, 3, … 19 hundredths: 0.09 or 0.16 are missed where three or four kinds are.
  const asked = (resolution: number) => atMost(0.12, standIn, { ...counted, resolution, hard: true });
  const fine = await solve(statement.subjectTo({ misses: asked(1e-3) }), { ...options, data: alike });
  expect(fine.certificate.holds).toBe(false);
  expect([0.09, 0.16].map((x) => expect.closeTo(x, 5))).toContainEqual(
    fine.report.requirements.misses.reached,
  );
  const coarse = await solve(statement.subjectTo({ misses: asked(0.07) }), {
    ...options,
    optimizer: adam(0.02),
    tolerance: 1e-2,
    data: alike,
  });
  expect(coarse.certificate.short).toEqual([]);
  expect(Math.abs(coarse.report.requirements.misses.reached - 0.12)).toBeLessThan(0.07);
  expect(fine.certificate.short.join()).toMatch(/"misses"; identical examples are counted at once/);
});
