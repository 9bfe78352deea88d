// Problems that users bring from statistics, finance, geometry and operations research. `npm run bench -- answers --data` prints their
// data; outside.py, from these, the answers of CVXPY (CLARABEL to 1e-12, where it gets there), scipy or a closed form that stand here.
import { atLeast, atMost, customCost, equals, groupMeans, maximum, minimise } from "@pliant/core";
import { concat, constant, type Tensor } from "@pliant/engine";
import { plain, root, table } from "./classics.js";
import { type Answer, array, type Case, drawing, times } from "./problem.js";

type Data = Record<string, Tensor>;

const hard = { hard: true } as const;
const fixed = (x: number | number[] | number[][]): Tensor => constant(array(x, "float64"));
const one = (x: Tensor, i: number): Tensor => x.slice([[i, i + 1]]).sum();
const repeated = (n: number, value = 0): number[] => new Array<number>(n).fill(value);
const product = (A: number[][], x: Tensor): Tensor =>
  fixed(A)
    .matmul(x.reshape([x.size, 1]))
    .reshape([A.length]);

/** Rows, weights and answers of a linear model, to four digits so that another program reads the same. */
function rows(seed: number, n: number, k: number, noise: number) {
  const { matrix, normal, normals } = drawing(seed);
  const rounded = (x: number): number => Number(x.toFixed(4));
  const X = matrix(n, k).map((row) => [...row.slice(1).map(rounded), 1]);
  const w = normals(k);
  const y = times(X, w).map((v) => rounded(v + noise * normal()));
  return { X, y };
}

interface Seen {
  readonly answers: Tensor;
  readonly w: Tensor;
}

const pinball =
  (tau: number) =>
  (answers: Tensor, y: Tensor): Tensor => {
    const r = y.sub(answers);
    return r
      .mul(tau)
      .maximum(r.mul(tau - 1))
      .mean();
  };
const squares = (answers: Tensor, y: Tensor): Tensor => answers.sub(y).pow(2).mean();
const logistic = (answers: Tensor, y: Tensor): Tensor => answers.mul(y).neg().exp().add(1).log();

/** The data of each, as another program needs it. */
export const data = {
  quantile: rows(101, 25, 3, 1),
  lasso: rows(102, 30, 6, 0.5),
  groups: rows(103, 60, 3, 1),
  labels: rows(104, 60, 3, 2),
  counts: rows(105, 40, 3, 0.3),
  margin: rows(106, 20, 3, 0),
  series: rows(107, 15, 2, 1),
  points: rows(108, 12, 3, 0),
  costs: rows(109, 4, 5, 1),
  returns: rows(110, 8, 4, 0.5),
};

const thirds = (n: number): number[][] =>
  [0, 1, 2].map((k) => Array.from({ length: n }, (_, i) => (i % 3 === k ? 3 / n : 0)));
const signs = (y: readonly number[]): number[] => y.map((v) => (v > 0 ? 1 : -1));

function kinked(answers: Record<string, Answer>): Case[] {
  const { quantile, lasso, groups } = data;
  const kinks = { kinks: true } as Case["options"];
  const n = quantile.y.length;
  const worst = (answers: Tensor, y: Tensor): Tensor => product(thirds(60), answers.sub(y).pow(2)).max();
  const l1 = (w: Tensor): Tensor => w.abs().sum();
  return [
    table({
      name: "quantile regression, pinball loss",
      family: "kinks",
      ...quantile,
      objective: pinball(0.7),
      options: kinks,
      answer: answers["quantile regression"],
    }),
    table({
      name: "quantile regression below a mean",
      family: "kinks",
      ...quantile,
      objective: pinball(0.7),
      requirements: { mean: atMost(-2, ({ answers: a }: Seen) => a.mean(), hard) },
      options: kinks,
      answer: answers["quantile regression below a mean"],
    }),
    plain({
      name: "quantile regression as a linear programme",
      family: "LP",
      from: repeated(3 + 2 * n),
      objective: (x) =>
        x
          .slice([[3, 3 + n]])
          .mul(0.7 / n)
          .sum()
          .add(
            x
              .slice([[3 + n, 3 + 2 * n]])
              .mul(0.3 / n)
              .sum(),
          ),
      requirements: {
        residuals: equals(
          quantile.y,
          (x: Tensor) =>
            product(quantile.X, x.slice([[0, 3]]))
              .add(x.slice([[3, 3 + n]]))
              .sub(x.slice([[3 + n, 3 + 2 * n]])),
          hard,
        ),
        signs: atLeast(0, (x: Tensor) => x.slice([[3, 3 + 2 * n]]), hard),
      },
      options: { steps: 100 },
      answer: answers["quantile regression"],
    }),
    table({
      name: "least absolute deviations",
      family: "kinks",
      ...quantile,
      objective: (a, y) => a.sub(y).abs().mean(),
      options: kinks,
      answer: answers["least absolute deviations"],
    }),
    table({
      name: "lasso",
      family: "kinks",
      ...lasso,
      objective: (a, y, w) => squares(a, y).add(l1(w).mul(0.5)),
      options: kinks,
      answer: answers.lasso,
    }),
    table({
      name: "least squares in an L1 ball",
      family: "kinks",
      ...lasso,
      objective: squares,
      requirements: { ball: atMost(1.5, ({ w }: Seen) => l1(w), hard) },
      options: kinks,
      answer: answers["L1 ball"],
    }),
    table({
      name: "the worst of three groups",
      family: "kinks",
      ...groups,
      objective: worst,
      options: kinks,
      answer: { objective: answers["worst of three groups"].objective },
    }),
    plain({
      name: "the worst of three groups, by its epigraph",
      family: "epigraph",
      from: repeated(4),
      objective: (x) => one(x, 3),
      requirements: {
        groups: atMost(
          0,
          (x: Tensor) =>
            product(
              thirds(60),
              product(groups.X, x.slice([[0, 3]]))
                .sub(fixed(groups.y))
                .pow(2),
            ).sub(x.slice([[3, 4]])),
          hard,
        ),
      },
      answer: answers["worst of three groups"],
    }),
    {
      name: "minibatches with three groups",
      family: "minibatch",
      task: minimise({
        params: { w: array(repeated(3), "float32") },
        forward: ({ w }: { w: Tensor }, d: Data) =>
          d.X.matmul(w.reshape([3, 1]))
            .reshape([d.X.shape[0]])
            .sub(d.y)
            .pow(2),
        objective: (losses: Tensor) => losses.mean(),
      }).subjectTo({
        groups: atMost([0.9, 1, 1.1], (losses: Tensor, d: Data) => groupMeans(losses, d.members)),
      }) as never,
      data: {
        X: array(groups.X, "float32"),
        y: array(groups.y, "float32"),
        members: array(
          groups.y.map((_, i) => [0, 1, 2].map((k) => Number(i % 3 === k))),
          "float32",
        ),
      },
      options: { batch: { size: 20, seed: 1 }, steps: 20_000 } as never,
      answer: answers["minibatches with three groups"],
    },
  ];
}

function statistics(answers: Record<string, Answer>): Case[] {
  const { labels, counts, groups, margin, series } = data;
  const y = signs(labels.y);
  const events = counts.y.map((v) => Math.max(0, Math.round(Math.exp(v / 2))));
  const separable = signs(margin.y);
  const n = series.y.length;
  const huber = (r: Tensor): Tensor => {
    const inner = r.abs().minimum(1);
    return inner.mul(inner).mul(0.5).add(r.abs().sub(inner));
  };
  return [
    table({
      name: "logistic regression with losses of three groups",
      family: "logistic",
      X: labels.X,
      y,
      objective: (a, t) => logistic(a, t).mean(),
      requirements: {
        groups: atMost([0.45, 0.5, 0.55], ({ answers: a }: Seen, d: Data) =>
          product(thirds(60), logistic(a, d.y)),
        ),
      },
      answer: answers["logistic groups"],
    }),
    table({
      name: "logistic regression with losses of three groups, float32",
      family: "logistic",
      X: labels.X,
      y,
      dtype: "float32",
      objective: (a, t) => logistic(a, t).mean(),
      requirements: {
        groups: atMost([0.45, 0.5, 0.55], ({ answers: a }: Seen, d: Data) =>
          constant(array(thirds(60), "float32"))
            .matmul(logistic(a, d.y).reshape([60, 1]))
            .reshape([3]),
        ),
      },
      answer: answers["logistic groups"],
    }),
    table({
      name: "Poisson regression through a fixed total",
      family: "regression",
      X: counts.X,
      y: events,
      objective: (a, t) => a.exp().sub(a.mul(t)).mean(),
      requirements: { sum: equals(0.3, ({ w }: Seen) => w.sum(), hard) },
      answer: answers.Poisson,
    }),
    table({
      name: "Huber regression with an equality",
      family: "robust",
      ...groups,
      objective: (a, t) => huber(a.sub(t)).mean(),
      requirements: { sum: equals(1, ({ w }: Seen) => w.sum(), hard) },
      answer: answers["Huber equality"],
    }),
    table({
      name: "a support vector machine with a hard margin",
      family: "SVM",
      X: margin.X,
      y: separable,
      objective: (_, __, w) =>
        w
          .slice([[0, 2]])
          .pow(2)
          .sum()
          .mul(0.5),
      requirements: { margins: atLeast(1, ({ answers: a }: Seen, d: Data) => a.mul(d.y), hard) },
      answer: answers["hard margin"],
    }),
    plain({
      name: "isotonic regression",
      family: "QP bounds",
      from: repeated(n),
      objective: (x) => x.sub(fixed(series.y)).pow(2).sum().mul(0.5),
      requirements: {
        rising: atLeast(0, (x: Tensor) => x.slice([[1, n]]).sub(x.slice([[0, n - 1]])), hard),
      },
      answer: answers.isotonic,
    }),
    plain({
      name: "smoothing with a bound on bends",
      family: "QP bounds",
      from: repeated(n),
      objective: (x) => x.sub(fixed(series.y)).pow(2).sum(),
      requirements: {
        bends: atMost(
          1,
          (x: Tensor) =>
            x
              .slice([[2, n]])
              .sub(x.slice([[1, n - 1]]).mul(2))
              .add(x.slice([[0, n - 2]]))
              .pow(2)
              .sum(),
          hard,
        ),
      },
      answer: answers.smoothing,
    }),
  ];
}

function markets(answers: Record<string, Answer>): Case[] {
  const { returns, costs } = data;
  const R = returns.X.map((row) => row.slice(0, 3).map((v) => 1 + 0.1 * v));
  const noises = [0.5, 1, 2, 0.2, 3];
  const a = [0.2, 0.5, 0.3];
  const b = [0.25, 0.25, 0.4, 0.1];
  const C = costs.X.slice(0, 3).map((row) => row.slice(0, 4).map(Math.abs));
  const simplex = {
    whole: equals(1, (x: Tensor) => x.sum(), hard),
    signs: atLeast(0, (x: Tensor) => x, hard),
  };
  return [
    plain({
      name: "Kelly's bets",
      family: "finance",
      from: repeated(3, 1 / 3),
      objective: (x) => product(R, x).log().mean().neg(),
      requirements: simplex,
      answer: answers.Kelly,
    }),
    plain({
      name: "most return at a risk",
      family: "finance",
      from: repeated(3, 1 / 3),
      objective: (x) => product(R, x).mean().neg(),
      requirements: {
        risk: atMost(1e-2, (x: Tensor) => product(R, x).sub(product(R, x).mean()).pow(2).mean(), hard),
        whole: equals(1, (x: Tensor) => x.sum(), hard),
      },
      answer: answers.risk,
    }),
    plain({
      name: "water filling",
      family: "communication",
      from: repeated(5, 0.2),
      objective: (x) => x.add(fixed(noises)).log().sum().neg(),
      requirements: {
        power: atMost(2, (x: Tensor) => x.sum(), hard),
        signs: atLeast(0, (x: Tensor) => x, hard),
      },
      // The water stands at ν with Σ [ν − n]₊ = 2: over 0.2, 0.5 and 1, at 3.7/3.
      answer: {
        objective: -(3 * Math.log(3.7 / 3) + Math.log(2) + Math.log(3)),
        prices: { power: 3 / 3.7 },
      },
    }),
    plain({
      name: "entropic optimal transport",
      family: "transport",
      from: repeated(12, 1 / 12),
      objective: (x) =>
        x
          .mul(fixed(C.flat()))
          .sum()
          .add(x.mul(x.maximum(1e-30).log()).sum().mul(0.1)),
      requirements: {
        from: equals(a, (x: Tensor) => x.reshape([3, 4]).sum({ axis: 1 }), hard),
        to: equals(
          b.slice(0, 3),
          (x: Tensor) =>
            x
              .reshape([3, 4])
              .sum({ axis: 0 })
              .slice([[0, 3]]),
          hard,
        ),
      },
      answer: answers["entropic transport"],
    }),
    plain({
      name: "a matrix game",
      family: "LP",
      from: [0.3, 0.3, 0.4, 0],
      objective: (x) => one(x, 3),
      requirements: {
        plays: atMost(
          0,
          (x: Tensor) =>
            product(
              [
                [0, 2, -1],
                [-1, 0, 3],
                [2, -1, 0],
              ],
              x.slice([[0, 3]]),
            ).sub(x.slice([[3, 4]])),
          hard,
        ),
        whole: equals(1, (x: Tensor) => x.slice([[0, 3]]).sum(), hard),
        signs: atLeast(0, (x: Tensor) => x.slice([[0, 3]]), hard),
      },
      answer: answers.game,
    }),
    plain({
      name: "a degenerate linear programme",
      family: "LP",
      from: [0, 0],
      objective: (x) => one(x, 0).mul(-1).sub(one(x, 1).mul(2)),
      requirements: {
        rows: atMost(
          [1, 1, 2, 3],
          (x: Tensor) =>
            product(
              [
                [1, 0],
                [0, 1],
                [1, 1],
                [1, 2],
              ],
              x,
            ),
          hard,
        ),
      },
      answer: { objective: -3 },
    }),
    plain({
      name: "a ball in a polygon",
      family: "LP",
      from: [0, 0, 0.1],
      objective: (x) => one(x, 2).neg(),
      requirements: {
        sides: atMost(
          [2, 2, 3, 1],
          (x: Tensor) =>
            product(
              [
                [1, 0, 1],
                [0, 1, 1],
                [1, 1, Math.SQRT2],
                [-1, -1, Math.SQRT2],
              ],
              x,
            ),
          hard,
        ),
      },
      // Between the parallel sides the ball is as wide as they are apart: 4/√2 across.
      answer: { objective: -Math.SQRT2 },
    }),
  ];
}

function shapes(answers: Record<string, Answer>): Case[] {
  const points = data.points.X.map((row) => row.slice(0, 2));
  const D = data.points.X.slice(0, 6).map((row) => row.slice(0, 2));
  const determinant = (x: Tensor): Tensor => {
    const entry = (i: number, j: number): Tensor => x.mul(fixed(D.map((row) => row[i] * row[j]))).sum();
    return entry(0, 0).mul(entry(1, 1)).sub(entry(0, 1).pow(2));
  };
  const M = [
    [3, 1, 0],
    [1, 2, 0.5],
    [0, 0.5, 1],
  ];
  const quadratic = (A: number[][], x: Tensor): Tensor => product(A, x).mul(x).sum().mul(0.5);
  const indefinite = [
    [1, 0.5, 0],
    [0.5, -2, 0.3],
    [0, 0.3, 0.5],
  ];
  const U = (x: Tensor): Tensor => x.slice([[0, 6]]).reshape([3, 2]);
  const V = (x: Tensor): Tensor => x.slice([[6, 12]]).reshape([3, 2]);
  return [
    plain({
      name: "a D-optimal design",
      family: "geometry",
      from: repeated(6, 1 / 6),
      objective: (x) => determinant(x).log().neg(),
      requirements: {
        whole: equals(1, (x: Tensor) => x.sum(), hard),
        signs: atLeast(0, (x: Tensor) => x, hard),
      },
      answer: answers["D-optimal"],
    }),
    plain({
      name: "the smallest ellipse",
      family: "geometry",
      from: [0.3, 0, 0.3, 0, 0],
      objective: (x) => one(x, 0).mul(one(x, 2)).sub(one(x, 1).pow(2)).log().neg(),
      requirements: {
        inside: atMost(
          1,
          (x: Tensor) => {
            const [p, q] = [0, 1].map((k) => fixed(points.map((row) => row[k])));
            const first = p
              .mul(one(x, 0))
              .add(q.mul(one(x, 1)))
              .add(one(x, 3));
            const second = p
              .mul(one(x, 1))
              .add(q.mul(one(x, 2)))
              .add(one(x, 4));
            return first.pow(2).add(second.pow(2));
          },
          hard,
        ),
      },
      answer: answers.ellipse,
    }),
    plain({
      name: "the smallest circle",
      family: "geometry",
      from: [0, 0, 4],
      objective: (x) => one(x, 2),
      requirements: {
        inside: atMost(
          0,
          (x: Tensor) => {
            const [p, q] = [0, 1].map((k) => fixed(points.map((row) => row[k])).sub(one(x, k)));
            return p
              .pow(2)
              .add(q.pow(2))
              .sub(x.slice([[2, 3]]));
          },
          hard,
        ),
      },
      answer: answers.circle,
    }),
    plain({
      name: "a box by geometric programming",
      family: "geometric programme",
      from: [0, 0, 0],
      objective: (x) => x.sum().neg(),
      // Walls 2(hw + hd) ≤ 10 and floor wd ≤ 2, in logarithms.
      requirements: {
        walls: atMost(
          0,
          (x: Tensor) =>
            one(x, 0)
              .add(one(x, 1))
              .exp()
              .add(one(x, 0).add(one(x, 2)).exp())
              .mul(0.2)
              .log(),
          hard,
        ),
        floor: atMost(Math.log(2), (x: Tensor) => one(x, 1).add(one(x, 2)), hard),
      },
      // w = d = √2, h = 5/(2√2).
      answer: { objective: -Math.log(5 / Math.SQRT2), prices: { walls: 1, floor: 0.5 } },
    }),
    plain({
      name: "a trust region of an indefinite quadratic",
      family: "geometry",
      from: [-0.5, -0.9, 0.1],
      objective: (x) => quadratic(indefinite, x).add(x.mul(fixed([1, 0.2, -0.5])).sum()),
      requirements: { ball: atMost(1, (x: Tensor) => x.mul(x).sum(), hard) },
      answer: answers["trust region"],
    }),
    plain({
      name: "a matrix in two factors, with decay",
      family: "network",
      from: [0.3, -0.2, 0.1, 0.4, -0.3, 0.2, 0.2, 0.1, -0.4, 0.3, 0.1, 0.2],
      objective: (x) =>
        U(x).matmul(V(x).transpose()).sub(fixed(M)).pow(2).sum().mul(0.5).add(x.mul(x).sum().mul(0.25)),
      answer: answers.matrix,
    }),
    plain({
      name: "a hanging chain",
      family: "geometry",
      from: [1, -1, 2, -2, 3, -2, 4, -1],
      objective: (x) => {
        const heights = [1, 3, 5, 7].map((i) => one(x, i));
        return heights.reduce((a, b) => a.add(b));
      },
      requirements: {
        links: equals(
          repeated(5, 2),
          (x: Tensor) => {
            const at = concat([fixed([0, 0]), x, fixed([5, 0])]).reshape([6, 2]);
            return at
              .slice([[1, 6]])
              .sub(at.slice([[0, 5]]))
              .pow(2)
              .sum({ axis: 1 });
          },
          hard,
        ),
      },
      answer: chain(),
    }),
    plain({
      name: "the monkey saddle on a disc",
      family: "geometry",
      from: [0.3, 0.1],
      objective: (x) =>
        one(x, 0)
          .pow(3)
          .sub(one(x, 0).mul(one(x, 1).pow(2)).mul(3)),
      requirements: { disc: atMost(1, (x: Tensor) => x.mul(x).sum(), hard) },
      // cos 3φ on the circle: −1, with 3 r² = 2 λ r at r = 1.
      answer: { objective: -1, prices: { disc: 1.5 } },
    }),
  ];
}

/** Links of length √2 that fall by t·(2 − i) for each step to the side, and hang between two points at a distance of 5. */
function chain(): Answer {
  const links = [-2, -1, 0, 1, 2];
  const along = (t: number): number[] => links.map((k) => Math.SQRT2 / Math.hypot(1, k * t));
  const t = root((x) => 5 - along(x).reduce((a, b) => a + b), 0, 10);
  const across = along(t);
  const heights = [0, 1, 2, 3].map((i) =>
    across.slice(0, i + 1).reduce((sum, dx, k) => sum + dx * t * links[k], 0),
  );
  return {
    objective: heights.reduce((a, b) => a + b),
    prices: { links: across.reduce((sum, dx) => sum + 1 / (2 * t * dx), 0) },
  };
}

function costs(): Case[] {
  // min ½|x − c|² with xᵢ ≥ lᵢ: the price of each is what its cost makes of what it gives.
  const levels = [1e-3, 0.1, 10, 1e3];
  return [
    plain({
      name: "levels from 1e-3 to 1e3, in one vector that gives way",
      family: "vector",
      from: repeated(4),
      objective: (x) => x.div(fixed(levels)).pow(2).sum().mul(0.5),
      requirements: {
        floor: atLeast(levels, (x: Tensor) => x, {
          cost: customCost({ value: (u) => u.div(fixed(levels)).pow(2).sum() }),
        }),
      },
      // In units of the level: x = 2u and x + u = 1.
      answer: {
        objective: 4 * 0.5 * (2 / 3) ** 2,
        prices: { floor: levels.reduce((sum, l) => sum + 2 / 3 / l, 0) },
        relaxations: { floor: levels.reduce((sum, l) => sum + l / 3, 0) },
      },
    }),
    plain({
      name: "equalities with prices of both signs",
      family: "vector",
      from: [0, 0, 0],
      objective: (x) =>
        x
          .sub(fixed([1, -2, 3]))
          .pow(2)
          .sum()
          .mul(0.5),
      requirements: {
        each: equals([2, 1, 0], (x: Tensor) => x, hard),
        total: equals(3, (x: Tensor) => x.sum(), hard),
      },
      answer: { objective: 9.5, together: ["each", "total"] },
    }),
    plain({
      name: "equalities with prices of both signs, determined",
      family: "vector",
      from: [0, 0, 0, 0],
      objective: (x) =>
        x
          .sub(fixed([1, -2, 3, 0]))
          .pow(2)
          .sum()
          .mul(0.5),
      requirements: {
        each: equals([2, -3, 0], (x: Tensor) => x.slice([[0, 3]]), hard),
        total: equals(3, (x: Tensor) => x.sum(), hard),
      },
      // x₄ = 4 and λ = −x₄; of the others λᵢ = cᵢ − xᵢ + 4.
      answer: { objective: 0.5 * (1 + 1 + 9 + 16), prices: { each: 3 + 5 + 7, total: -4 } },
    }),
    plain({
      name: "a hyperbolic cosine of what gives way",
      family: "costs",
      from: [0, 0],
      objective: (x) =>
        x
          .sub(fixed([3, -1]))
          .pow(2)
          .sum()
          .mul(0.5),
      requirements: {
        top: atMost([1, -2], (x: Tensor) => x, {
          cost: customCost({ value: (u) => u.exp().add(u.neg().exp()).mul(0.5).sub(1).sum() }),
        }),
      },
      // λ = c − l − u = sinh u.
      answer: hyperbolic([2, 1]),
    }),
    plain({
      name: "the largest of what three groups give",
      family: "costs",
      from: [0, 0, 0],
      objective: (x) =>
        x
          .sub(fixed([3, 2, 0.5]))
          .pow(2)
          .sum()
          .mul(0.5),
      requirements: { top: atMost(0, (x: Tensor) => x, { cost: maximum(2) }) },
      // λ adds up to 2: 3 − s + 2 − s = 2 at s = 1.5, above 0.5.
      answer: { objective: 0.5 * (1.5 ** 2 + 0.5 ** 2), prices: { top: 2 } },
    }),
  ];
}

function hyperbolic(gaps: readonly number[]): Answer {
  const u = gaps.map((gap) => {
    let x = gap / 2;
    for (let k = 0; k < 60; k++) x -= (Math.sinh(x) + x - gap) / (Math.cosh(x) + 1);
    return x;
  });
  const prices = u.map(Math.sinh);
  return {
    objective: prices.reduce((sum, p) => sum + p * p, 0) / 2,
    prices: { top: prices.reduce((a, b) => a + b) },
    relaxations: { top: u.reduce((a, b) => a + b) },
  };
}

/** As outside.py prints them. */
const answers: Record<string, Answer> = {
  "quantile regression": {
    objective: 0.2232203555,
  },
  "quantile regression below a mean": {
    objective: 0.9408349148,
    prices: {
      mean: 0.6296486559,
    },
  },
  "least absolute deviations": {
    objective: 0.5452587523,
  },
  lasso: {
    objective: 2.618744654,
  },
  "L1 ball": {
    objective: 4.545595759,
    prices: {
      ball: 2.744393567,
    },
  },
  "worst of three groups": {
    objective: 1.166996694,
    prices: {
      groups: 1.0,
    },
  },
  "minibatches with three groups": {
    objective: 1.067847621,
    prices: {
      groups: 0.5815871634,
    },
  },
  "Huber equality": {
    objective: 0.4290284878,
    prices: {
      sum: 0.0150686891,
    },
  },
  "logistic groups": {
    objective: 0.5887803237,
    prices: {
      groups: 0.6194214418,
    },
    relaxations: {
      groups: 0.3097107625,
    },
  },
  Poisson: {
    objective: 0.9180554986,
    prices: {
      sum: -0.01660158139,
    },
  },
  "hard margin": {
    objective: 20.80642456,
    prices: {
      margins: 41.61284912,
    },
  },
  isotonic: {
    objective: 5.726301463,
    prices: {
      rising: 13.7543,
    },
  },
  smoothing: {
    objective: 8.043114748,
    prices: {
      bends: 1.650839684,
    },
  },
  Kelly: {
    objective: -0.0433809595,
    prices: {
      whole: 0.9999999995,
      signs: 0.04214311858,
    },
  },
  risk: {
    objective: -1.050779501,
    prices: {
      risk: 2.153818315,
      whole: 1.007703135,
    },
  },
  "entropic transport": {
    objective: 0.2700854633,
    prices: {
      from: -0.1911592651,
      to: -1.173599049,
    },
  },
  game: {
    objective: 0.4230769231,
    prices: {
      plays: 1.0,
      whole: -0.4230769231,
      signs: 0,
    },
  },
  "D-optimal": {
    objective: -0.9299027986,
    prices: {
      whole: 1.999995369,
      signs: 3.318075425,
    },
  },
  ellipse: {
    objective: 1.21999398,
    prices: {
      inside: 1.000000083,
    },
  },
  circle: {
    objective: 5.764028965,
    prices: {
      inside: 1.0,
    },
  },
  "trust region": {
    objective: -1.356824071,
    prices: {
      ball: 1.108306568,
    },
  },
  matrix: {
    objective: 2.64660856,
  },
};

/** What CLARABEL's answers are good to, by comparison with those in closed form. */
const precision = 1e-4;

export const outside = (): Case[] => [
  ...[kinked, statistics, markets, shapes].flatMap((of) => of(answers).map((one) => ({ ...one, precision }))),
  ...costs(),
];
