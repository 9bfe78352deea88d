// Rows that a model separates, with nothing to hold its parameters: the loss falls for ever, and there is no minimum to certify.
import { array, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { atMost, createSolver, isSettled, minimise, newton, sgd, solve } from "../src/index.js";

type Rows = { x: Tensor; y: Tensor };
const rows = { x: array([-2, -1, 1, 2]), y: array([-1, -1, 1, 1]) };

/** Scores w·x, right where y·w·x is above 0, by one of several losses. */
const scored = (loss: (margins: Tensor) => Tensor, { decay = 0, from = 0, constant = 0 } = {}) =>
  minimise({
    params: { w: array([from]) },
    forward: ({ w }: { w: Tensor }, { x, y }: Rows) => ({ losses: loss(x.mul(w).mul(y)), w }),
    objective: ({ losses, w }) => losses.mean().add(w.pow(2).sum().mul(decay)).add(constant),
  });
/** The same, and a requirement that is met at once. */
const bounded = (...of: Parameters<typeof scored>) =>
  scored(...of).subjectTo({ mean: atMost(0.9, ({ losses }) => losses.mean()) });
/** Met wherever the parameters are. */
const easy = {
  mean: atMost<{ losses: Tensor; w: Tensor }, Rows>(0.9, ({ w }) => w.mul(0).mean(), { scale: 1 }),
};
const logistic = (m: Tensor): Tensor => m.neg().softplus();
const squared = (m: Tensor): Tensor => m.sub(m.abs().sign().mul(0.01)).pow(2);
const hinge = (m: Tensor): Tensor => m.neg().add(1).relu();

const falls = "the objective falls as long as the parameters grow: add a decay";

describe("rows that are separated are not certified", () => {
  test.each([1, 25])("looked at every %d of Newton's steps", async (every) => {
    const { certificate, report, steps } = await solve(bounded(logistic), {
      data: rows,
      optimizer: newton(),
      every,
    });
    expect(certificate).toMatchObject({ holds: false, withoutMinimum: true, short: [falls] });
    expect(report.text).toContain("not certified to 0.003");
    // There is nothing to wait for.
    expect(isSettled(certificate)).toBe(true);
    expect(steps).toBeLessThan(50);
  });

  test.each([30, 1e3, 1e15])("however large parameters are: %d", async (w) => {
    const solver = await createSolver(bounded(logistic), { data: rows });
    const { certificate } = await solver.inspect({ ...solver.initial, params: { w: array([w]) } });
    expect(certificate.holds).toBe(false);
    solver.release();
  });
  test("nor those that steps begin at", async () => {
    const { certificate } = await solve(bounded(logistic, { from: 1e3 }), { data: rows, steps: 100 });
    expect(certificate.holds).toBe(false);
  });

  // Beside it, what the losses still fall by is less than rounding.
  test.each([0.01, 1, 100])("nor beside a constant of %d", async (constant) => {
    for (const every of [1, 25]) {
      const { certificate } = await solve(scored(logistic, { constant }).subjectTo(easy), {
        data: rows,
        optimizer: newton(),
        every,
      });
      expect(certificate).toMatchObject({ holds: false, withoutMinimum: true, short: [falls] });
    }
    const solver = await createSolver(scored(logistic, { constant }).subjectTo(easy), { data: rows });
    for (const w of [30, 90, 1e3, 1e15]) {
      const { certificate } = await solver.inspect({ ...solver.initial, params: { w: array([w]) } });
      expect(certificate.holds).toBe(false);
    }
    solver.release();
  });

  // Rows with the mark are all of one class, the others of both: its weight grows for ever, the others rest.
  test.each(["in one array", "in two"])("nor some of them, by one of several columns, %s", async (how) => {
    const marks = {
      x: array([-2, -1, 1, 2, -1, 2]),
      mark: array([0, 0, 0, 0, 1, 1]),
      y: array([-1, 1, -1, 1, 1, 1]),
    };
    type Marked = { x: Tensor; mark: Tensor; y: Tensor };
    const task = (weights: (p: { v: Tensor; w: Tensor }) => Tensor[], v: number[]) =>
      minimise({
        params: { v: array(v), w: array([0]) },
        forward: (p: { v: Tensor; w: Tensor }, { x, mark, y }: Marked) => {
          const [slope, marked] = weights(p);
          return x.mul(slope).add(mark.mul(marked)).mul(y).neg().softplus().mean();
        },
        objective: (loss) => loss,
      }).subjectTo({ mean: atMost(0.9, (loss) => loss) });
    const { certificate } = await solve(
      how === "in two"
        ? task(({ v, w }) => [v, w], [0])
        : task(({ v }) => [v.slice([[0, 1]]), v.slice([[1, 2]])], [0, 0]),
      { data: marks, optimizer: newton() },
    );
    expect(certificate).toMatchObject({ holds: false, withoutMinimum: true, short: [falls] });
  });

  test("at a price, where what is priced falls too; and are where it holds the parameters", async () => {
    const at = async (w: number, price: number, task: ReturnType<typeof priced>) => {
      const solver = await createSolver(task, { data: rows });
      const state = { ...solver.initial, params: { w: array([w]) }, prices: [array([price])] };
      const found = await solver.inspect(state);
      solver.release();
      return found.certificate;
    };
    const priced = (of: (model: { losses: Tensor; w: Tensor }) => Tensor, level: number) =>
      scored(logistic).subjectTo({ it: atMost(level, of, { hard: true, scale: 1 }) });
    // Level 0, which the losses only come to at infinity.
    expect(
      await at(
        20,
        0.5,
        priced(({ losses }) => losses.mean(), 0),
      ),
    ).toMatchObject({ holds: false });
    // d/dw of the mean at 15 is −e⁻¹⁵/2, which a price of e⁻¹⁵/2 on w holds.
    const held = await at(
      15,
      Math.exp(-15) / 2,
      priced(({ w }) => w.sum(), 15),
    );
    expect(held).toMatchObject({ holds: true, short: [] });
  });
});

describe("a problem with a minimum is certified", () => {
  test("separated rows with a decay", async () => {
    const task = bounded(logistic, { decay: 1e-3 });
    const { certificate } = await solve(task, { data: rows, optimizer: newton() });
    expect(certificate).toMatchObject({ holds: true, short: [] });
  });

  test("a fit without error, from smaller parameters and from larger ones", async () => {
    for (const from of [0, 1]) {
      const task = bounded(squared, { from });
      const { certificate, report } = await solve(task, { data: rows, optimizer: sgd(0.1), every: 1 });
      expect(report.objective).toBeLessThan(1e-4);
      expect(certificate).toMatchObject({ holds: true, short: [] });
    }
  });

  test("a flat direction: a negative objective does not halve along it", async () => {
    const along = [3, 1, 0.5];
    const task = minimise({
      params: { w: array([1, 1, 1]) },
      forward: ({ w }: { w: Tensor }, a: Tensor) => w.mul(a).sum().div(w.mul(w).sum().sqrt()),
      objective: (cosine) => cosine.neg(),
    }).subjectTo({ cosine: atMost(10, (cosine) => cosine) });
    const solver = await createSolver(task, { data: array(along) });
    for (let k = 0; k < 40; k++) {
      const w = array(along.map((x) => x * (1 + k / 7)));
      const { certificate } = await solver.inspect({ ...solver.initial, params: { w } });
      expect(certificate, `${k}`).toMatchObject({ holds: true, short: [] });
    }
    solver.release();
  });

  test("margins that are wide enough", async () => {
    const { certificate, report } = await solve(bounded(hinge), { data: rows });
    expect(report.objective).toBe(0);
    expect(certificate).toMatchObject({ holds: true, short: [] });
  });

  test.each([0.01, 100])("each of them beside a constant of %d", async (constant) => {
    const squaredHinge = (m: Tensor): Tensor => hinge(m).pow(2);
    for (const loss of [squared, hinge, squaredHinge])
      for (const from of [0, 1, 50]) {
        const task = scored(loss, { constant, from }).subjectTo(easy);
        const { certificate } = await solve(task, { data: rows, optimizer: sgd(0.1), steps: 5000 });
        expect(certificate).toMatchObject({ holds: true, short: [] });
      }
    const decays = scored(logistic, { constant, decay: 1e-3 }).subjectTo(easy);
    for (const optimizer of [newton(), sgd(1)])
      expect((await solve(decays, { data: rows, optimizer })).certificate.holds).toBe(true);
  });

  // Only the difference counts: along the parameters themselves every slope is rounding.
  test("parameters of which only a difference counts", async () => {
    for (const [a, b] of [
      [300, 1],
      [1e3, 1e3],
      [0.1, 7],
    ]) {
      const task = minimise({
        params: { a: array([a]), b: array([b]) },
        forward: (p: { a: Tensor; b: Tensor }, { x, y }: Rows) => x.mul(p.a.sub(p.b)).sub(y),
        objective: (error) => error.pow(2).mean(),
      }).subjectTo({ it: atMost(9, (error) => error.mean(), { scale: 1 }) });
      for (const optimizer of [newton(), sgd(0.1)])
        expect((await solve(task, { data: rows, optimizer })).certificate).toMatchObject({
          holds: true,
          short: [],
        });
    }
  });
});
