// Problems of the textbooks whose answers have closed forms, or one equation that bisection solves to the last digit.
import {
  atLeast,
  atMost,
  between,
  customCost,
  equals,
  huber,
  linear,
  minimise,
  power,
  quadratic,
} from "@pliant/core";
import { constant, matmul, type Tensor } from "@pliant/engine";
import { array, type Case, type Dtype, dot, drawing, solveLinear, times } from "./problem.js";

type Data = Record<string, Tensor>;

/** The root of an increasing function. */
export function root(f: (x: number) => number, low: number, high: number): number {
  for (let k = 0; k < 200; k++) {
    const middle = (low + high) / 2;
    if (f(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const one = (x: Tensor, i: number): Tensor => x.slice([[i, i + 1]]).sum();

interface Plain {
  readonly name: string;
  readonly family: string;
  readonly from: number[];
  readonly objective: (x: Tensor) => Tensor;
  readonly requirements?: object;
  readonly answer: Case["answer"];
  readonly dtype?: Dtype;
  readonly options?: Case["options"];
  readonly size?: number;
}

/** A problem over one vector, without data. */
export const plain = ({ from, objective, requirements = {}, dtype = "float64", ...rest }: Plain): Case => ({
  ...rest,
  task: minimise({
    params: { x: array(from, dtype) },
    forward: ({ x }: { x: Tensor }, _: Data) => x,
    objective: (x: Tensor) => objective(x),
  }).subjectTo(requirements as never) as never,
  data: { nothing: array([0], dtype) },
});

const half = (x: Tensor): Tensor => x.mul(x).sum().mul(0.5);

function costs(): Case[] {
  // min ½x² with x ≥ 2 that may give way: λ = 2 − u = h′(u).
  const asked = (name: string, cost: object, u: number, dtype: Dtype = "float64"): Case =>
    plain({
      name,
      family: "costs",
      from: [0.5],
      dtype,
      objective: half,
      requirements: { floor: atLeast(2, (x: Tensor) => x.sum(), { cost } as never) },
      answer: { objective: (2 - u) ** 2 / 2, prices: { floor: 2 - u }, relaxations: { floor: u } },
    });
  return [
    asked("a quadratic cost", quadratic(1), 2 / 3),
    asked("a linear cost", linear(1), 1),
    asked("a cubic cost", power(3, 1), (-1 + 5) / 6),
    asked(
      "a Huber cost",
      huber(1, 1),
      root((u) => (u < 1 ? 2 * u : 2) - (2 - u), 0, 2),
    ),
    asked(
      "a custom cost",
      customCost({ value: (u) => u.exp().sub(u).sub(1).sum() }),
      root((u) => Math.exp(u) - 1 - (2 - u), 0, 2),
    ),
    asked(
      "a custom cost, float32",
      customCost({ value: (u) => u.exp().sub(u).sub(1).sum() }),
      root((u) => Math.exp(u) - 1 - (2 - u), 0, 2),
      "float32",
    ),
    plain({
      name: "two that contradict each other give way alike",
      family: "costs",
      from: [0.3],
      objective: (x) => half(x).add(1),
      requirements: { low: atMost(-1, (x: Tensor) => x.sum()), high: atLeast(1, (x: Tensor) => x.sum()) },
      answer: { objective: 1, prices: { low: 2, high: 2 }, relaxations: { low: 1, high: 1 } },
    }),
  ];
}

function geometry(): Case[] {
  const s = Math.SQRT1_2;
  const onCircle = (): { angle: number } => {
    // min (1 − x)² + 100(y − x²)² on the unit circle.
    const f = (a: number): number => (1 - Math.cos(a)) ** 2 + 100 * (Math.sin(a) - Math.cos(a) ** 2) ** 2;
    const slope = (a: number): number => (f(a + 1e-6) - f(a - 1e-6)) / 2e-6;
    return { angle: root(slope, 0.5, 0.8) };
  };
  const { angle } = onCircle();
  const [cx, cy] = [Math.cos(angle), Math.sin(angle)];
  const rosenbrock = (x: Tensor): Tensor =>
    one(x, 0)
      .neg()
      .add(1)
      .pow(2)
      .add(one(x, 1).sub(one(x, 0).pow(2)).pow(2).mul(100));
  const slopeY = 200 * (cy - cx * cx);
  return [
    plain({
      name: "a linear objective on a disc",
      family: "geometry",
      from: [0.1, -0.2],
      objective: (x) => x.sum().neg(),
      requirements: { disc: atMost(1, (x: Tensor) => x.mul(x).sum(), { hard: true }) },
      answer: { objective: -2 * s, prices: { disc: s } },
    }),
    plain({
      name: "Rosenbrock's function",
      family: "geometry",
      from: [-1.2, 1],
      objective: rosenbrock,
      answer: { objective: 0 },
      size: 1,
    }),
    plain({
      name: "Rosenbrock's function on a disc",
      family: "geometry",
      from: [-0.5, 0.5],
      objective: rosenbrock,
      requirements: { disc: atMost(1, (x: Tensor) => x.mul(x).sum(), { hard: true }) },
      answer: {
        objective: (1 - cx) ** 2 + 100 * (cy - cx * cx) ** 2,
        prices: { disc: -slopeY / (2 * cy) },
      },
    }),
    plain({
      name: "the smallest eigenvalue",
      family: "geometry",
      from: [0.3, 0.4, 0.2],
      objective: (x) =>
        x
          .mul(x)
          .mul(constant(array([1, 2, 4], "float64")))
          .sum(),
      requirements: { sphere: equals(1, (x: Tensor) => x.mul(x).sum(), { hard: true }) },
      answer: { objective: 1, prices: { sphere: -1 } },
    }),
    plain({
      name: "the nearest point between two planes",
      family: "geometry",
      from: [0, 0, 0],
      objective: (x) => half(x.sub(constant(array([3, 1, 2], "float64")))),
      requirements: { slab: between(-1, 1, (x: Tensor) => x.sum(), { hard: true }) },
      answer: { objective: 25 / 6, prices: { slab: 5 / 3 } },
    }),
    plain({
      name: "x + 1/x",
      family: "geometry",
      from: [0.2],
      objective: (x) => x.add(x.pow(-1)).sum(),
      answer: { objective: 2 },
    }),
    plain({
      name: "entropy of a loaded die",
      family: "max-entropy",
      from: new Array(6).fill(1 / 6),
      objective: (x) => x.mul(x.maximum(1e-12).log()).sum(),
      requirements: {
        whole: equals(1, (x: Tensor) => x.sum(), { hard: true }),
        mean: equals(4.5, (x: Tensor) => x.mul(constant(array([1, 2, 3, 4, 5, 6], "float64"))).sum(), {
          hard: true,
        }),
      },
      answer: die(),
    }),
  ];
}

function die(): Case["answer"] {
  const faces = [1, 2, 3, 4, 5, 6];
  const weights = (t: number): number[] => faces.map((i) => Math.exp(t * i));
  const mean = (t: number): number => dot(weights(t), faces) / weights(t).reduce((a, b) => a + b);
  const t = root((x) => mean(x) - 4.5, -3, 3);
  const Z = weights(t).reduce((a, b) => a + b);
  return {
    objective: weights(t).reduce((sum, w) => sum + (w / Z) * Math.log(w / Z), 0),
    prices: { whole: Math.log(Z) - 1, mean: -t },
  };
}

interface Table {
  readonly name: string;
  readonly family: string;
  readonly X: number[][];
  readonly y: number[];
  readonly from?: number[];
  readonly objective: (answers: Tensor, y: Tensor, w: Tensor) => Tensor;
  readonly requirements?: object;
  readonly answer: Case["answer"];
  readonly dtype?: Dtype;
  readonly options?: Case["options"];
  readonly size?: number;
}

/** A linear model of a table; requirements see the answers and the weights. */
export const table = ({
  X,
  y,
  from,
  objective,
  requirements = {},
  dtype = "float64",
  ...rest
}: Table): Case => ({
  ...rest,
  task: minimise({
    params: { w: array(from ?? new Array(X[0].length).fill(0), dtype) },
    forward: ({ w }: { w: Tensor }, d: Data) => ({
      answers: matmul(d.X, w.reshape([w.size, 1])).reshape([d.X.shape[0]]),
      w,
    }),
    objective: ({ answers, w }: { answers: Tensor; w: Tensor }, d: Data) => objective(answers, d.y, w),
  }).subjectTo(requirements as never) as never,
  data: { X: array(X, dtype), y: array(y, dtype) },
});

interface Seen {
  readonly answers: Tensor;
  readonly w: Tensor;
}

function regressions(): Case[] {
  const { matrix, normal } = drawing(5);
  const X = matrix(40, 4);
  const truth = [1, -2, 0.5, 3];
  const y = times(X, truth).map((v) => v + 0.3 * normal());
  const squares = (answers: Tensor, target: Tensor): Tensor => answers.sub(target).pow(2).mean();
  const gram = (weights = X.map(() => 1)): number[][] =>
    X[0].map((_, a) =>
      X[0].map((__, b) => X.reduce((sum, row, i) => sum + (weights[i] * row[a] * row[b]) / 20, 0)),
    );
  const right = X[0].map((_, a) => X.reduce((sum, row, i) => sum + (row[a] * y[i]) / 20, 0));
  const ridge = (decay: number): number[] =>
    solveLinear(
      gram().map((row, i) => row.map((v, j) => v + (i === j ? 2 * decay : 0))),
      right,
    );
  const mse = (w: number[]): number => times(X, w).reduce((sum, v, i) => sum + (v - y[i]) ** 2 / 40, 0);
  const least = ridge(0);
  const decay = root((d) => 5 - dot(ridge(d), ridge(d)), 0, 100);
  const logistic = (dtype: Dtype): Case => {
    const labels = times(X, truth).map((v) => (v + 2 * normal() > 0 ? 1 : -1));
    // Newton's method, in plain numbers.
    let w = [0, 0, 0, 0];
    for (let k = 0; k < 50; k++) {
      const p = times(X, w).map((v, i) => 1 / (1 + Math.exp(labels[i] * v)));
      const g = X[0].map((_, a) =>
        X.reduce((sum, row, i) => sum - (labels[i] * p[i] * row[a]) / 40, 0.1 * w[a]),
      );
      const H = X[0].map((_, a) =>
        X[0].map((__, b) =>
          X.reduce((sum, row, i) => sum + (p[i] * (1 - p[i]) * row[a] * row[b]) / 40, a === b ? 0.1 : 0),
        ),
      );
      const step = solveLinear(H, g);
      w = w.map((v, j) => v - step[j]);
    }
    const value = times(X, w).reduce(
      (sum, v, i) => sum + Math.log1p(Math.exp(-labels[i] * v)) / 40,
      0.05 * dot(w, w),
    );
    return table({
      name: `logistic regression, ${dtype}`,
      family: "regression",
      X,
      y: labels,
      dtype,
      objective: (answers, target, weights) =>
        answers.mul(target).neg().exp().add(1).log().mean().add(weights.mul(weights).sum().mul(0.05)),
      answer: { objective: value },
    });
  };
  // NNLS made from its answer.
  const w0 = [1.5, 0, 0.7, 0];
  const lambda = [0, 0.4, 0, 0.9];
  const target = times(X, w0).map((v, i) => v - dot(X[i], solveLinear(gram(), lambda)));
  const locations = [0, 1, 2, 10, 11, 0.5];
  const psi = (m: number): number =>
    locations.reduce((sum, v) => sum + Math.max(-1, Math.min(1, m - v)), 0) / 6;
  const huberAt = (m: number): number =>
    locations.reduce((sum, v) => sum + (Math.abs(m - v) <= 1 ? (m - v) ** 2 / 2 : Math.abs(m - v) - 0.5), 0) /
    6;
  const huberLoss = (answers: Tensor, v: Tensor): Tensor => {
    const r = answers.sub(v).abs();
    const inner = r.minimum(1);
    return inner.mul(inner).mul(0.5).add(r.sub(inner)).mean();
  };
  const m0 = root(psi, 0, 10);
  const columns = [1, 1e3, 1e-3, 1e2];
  const scaledX = X.map((row) => row.map((v, j) => v * columns[j]));
  return [
    table({
      name: "least squares",
      family: "regression",
      X,
      y,
      objective: squares,
      answer: { objective: mse(least) },
    }),
    table({
      name: "least squares, float32",
      family: "regression",
      X,
      y,
      dtype: "float32",
      objective: squares,
      answer: { objective: mse(least) },
    }),
    table({
      name: "least squares, columns from 1e-3 to 1e3",
      family: "regression",
      X: scaledX,
      y,
      objective: squares,
      answer: { objective: mse(least) },
    }),
    table({
      name: "ridge as a requirement on the norm",
      family: "regression",
      X,
      y,
      objective: squares,
      requirements: { norm: atMost(5, ({ w }: Seen) => w.mul(w).sum(), { hard: true }) },
      answer: { objective: mse(ridge(decay)), prices: { norm: decay } },
    }),
    table({
      name: "non-negative least squares",
      family: "regression",
      X,
      y: target,
      objective: squares,
      requirements: { signs: atLeast([0, 0, 0, 0], ({ w }: Seen) => w, { hard: true }) },
      answer: {
        objective: times(X, w0).reduce((sum, v, i) => sum + (v - target[i]) ** 2 / 40, 0),
        prices: { signs: 1.3 },
      },
    }),
    table({
      name: "Huber's location",
      family: "robust",
      X: locations.map(() => [1]),
      y: locations,
      objective: huberLoss,
      answer: { objective: huberAt(m0) },
    }),
    table({
      name: "Huber's location below 1.2",
      family: "robust",
      X: locations.map(() => [1]),
      y: locations,
      objective: huberLoss,
      requirements: { location: atMost(1.2, ({ w }: Seen) => w.sum(), { hard: true }) },
      answer: { objective: huberAt(1.2), prices: { location: -psi(1.2) } },
    }),
    logistic("float64"),
    logistic("float32"),
    table({
      name: "minibatches of consistent data",
      family: "minibatch",
      X,
      y: times(X, truth),
      dtype: "float32",
      objective: squares,
      options: { batch: { size: 10, seed: 1 } } as never,
      answer: { objective: 0 },
      size: dot(truth, truth),
    }),
  ];
}

function margins(): Case[] {
  const points = [
    [2, 0],
    [3, 1],
    [4, -1],
    [-2, 0],
    [-3, 2],
    [-5, 1],
  ];
  const labels = [1, 1, 1, -1, -1, -1];
  const X = points.map((p) => [...p, 1]);
  const K = points.map((a, i) => points.map((b, j) => labels[i] * labels[j] * dot(a, b)));
  const line = [-1, 0, 1];
  const epsilon = 0.25;
  return [
    table({
      name: "SVM, primal",
      family: "SVM",
      X,
      y: labels,
      objective: (_, __, w) =>
        w
          .slice([[0, 2]])
          .pow(2)
          .sum()
          .mul(0.5),
      requirements: { margins: atLeast(1, ({ answers }: Seen, d: Data) => answers.mul(d.y), { hard: true }) },
      answer: { objective: 1 / 8, prices: { margins: 1 / 4 } },
    }),
    table({
      name: "SVM, primal, float32",
      family: "SVM",
      X,
      y: labels,
      dtype: "float32",
      objective: (_, __, w) =>
        w
          .slice([[0, 2]])
          .pow(2)
          .sum()
          .mul(0.5),
      requirements: { margins: atLeast(1, ({ answers }: Seen, d: Data) => answers.mul(d.y), { hard: true }) },
      answer: { objective: 1 / 8, prices: { margins: 1 / 4 } },
    }),
    plain({
      name: "SVM, dual",
      family: "SVM",
      from: new Array(6).fill(0.1),
      objective: (a) =>
        matmul(constant(array(K, "float64")), a.reshape([6, 1]))
          .reshape([6])
          .mul(a)
          .sum()
          .mul(0.5)
          .sub(a.sum()),
      requirements: {
        balance: equals(0, (a: Tensor) => a.mul(constant(array(labels, "float64"))).sum(), { hard: true }),
        signs: atLeast(0, (a: Tensor) => a, { hard: true }),
      },
      answer: { objective: -1 / 8 },
    }),
    table({
      name: "support vector regression",
      family: "SVM",
      X: line.map((x) => [x, 1]),
      y: line.map((x) => 2 * x),
      objective: (_, __, w) => one(w, 0).pow(2).mul(0.5),
      requirements: {
        above: atMost(epsilon, ({ answers }: Seen, d: Data) => d.y.sub(answers), { hard: true }),
        below: atMost(epsilon, ({ answers }: Seen, d: Data) => answers.sub(d.y), { hard: true }),
      },
      answer: {
        objective: (2 - epsilon) ** 2 / 2,
        prices: { above: (2 - epsilon) / 2, below: (2 - epsilon) / 2 },
      },
    }),
  ];
}

function markets(): Case[] {
  const { matrix, uniform } = drawing(9);
  const portfolio = (name: string, scale: number): Case => {
    const n = 5;
    const B = matrix(n, n);
    const S = B.map((a, i) => B.map((b, j) => scale * scale * (dot(a, b) / n + (i === j ? 0.2 : 0))));
    const mu = Array.from({ length: n }, () => scale * uniform(0.2, 1));
    const asked = 0.8 * scale;
    const KKT = [...S.map((row, i) => [...row, 1, mu[i]]), [...new Array(n).fill(1), 0, 0], [...mu, 0, 0]];
    const found = solveLinear(KKT, [...new Array(n).fill(0), 1, asked]);
    const w = found.slice(0, n);
    return plain({
      name,
      family: "portfolio",
      from: new Array(n).fill(1 / n),
      objective: (x) =>
        matmul(constant(array(S, "float64")), x.reshape([n, 1]))
          .reshape([n])
          .mul(x)
          .sum()
          .mul(0.5),
      requirements: {
        whole: equals(1, (x: Tensor) => x.sum(), { hard: true }),
        yield: equals(asked, (x: Tensor) => x.mul(constant(array(mu, "float64"))).sum(), { hard: true }),
      },
      answer: { objective: 0.5 * dot(w, times(S, w)), prices: { whole: found[n], yield: found[n + 1] } },
    });
  };
  // Two sources, three places: x₁₁ and x₁₂ decide everything; the vertices are few.
  const [supply, demand, cost] = [
    [20, 30],
    [10, 25, 15],
    [
      [8, 6, 10],
      [9, 12, 13],
    ],
  ];
  let best = Number.POSITIVE_INFINITY;
  for (let a = 0; a <= 10; a++)
    for (let b = 0; b <= 25; b++) {
      const c = supply[0] - a - b;
      if (c < 0 || c > 15) continue;
      best = Math.min(best, dot(cost[0], [a, b, c]) + dot(cost[1], [10 - a, 25 - b, 15 - c]));
    }
  const flow = (x: Tensor): Tensor => x.reshape([2, 3]);
  return [
    portfolio("portfolio", 1),
    portfolio("portfolio of daily returns", 1e-3),
    plain({
      name: "transport",
      family: "transport",
      from: new Array(6).fill(5),
      objective: (x) => x.mul(constant(array(cost.flat(), "float64"))).sum(),
      requirements: {
        supply: atMost(supply, (x: Tensor) => flow(x).sum({ axis: 1 }), { hard: true }),
        demand: atLeast(demand, (x: Tensor) => flow(x).sum({ axis: 0 }), { hard: true }),
        signs: atLeast(0, (x: Tensor) => x, { hard: true }),
      },
      answer: { objective: best },
    }),
  ];
}

function networks(): Case[] {
  const decay = 0.1;
  const chain = (name: string, from: number[], level?: number): Case =>
    plain({
      name,
      family: "network",
      from,
      objective: (x) =>
        one(x, 0)
          .mul(one(x, 1))
          .sub(2)
          .pow(2)
          .mul(0.5)
          .add(
            x
              .mul(x)
              .sum()
              .mul(decay / 2),
          ),
      requirements:
        level === undefined
          ? {}
          : { slope: atMost(level, (x: Tensor) => one(x, 0).mul(one(x, 1)), { hard: true }) },
      answer:
        level === undefined
          ? { objective: decay ** 2 / 2 + decay * (2 - decay) }
          : { objective: (2 - level) ** 2 / 2 + decay * level, prices: { slope: 2 - level - decay } },
    });
  const f = (a: number): number => (Math.tanh(a) - 0.5) * (1 - Math.tanh(a) ** 2) + decay * a;
  const a = root(f, 0, 3);
  return [
    chain("two layers", [0.1, 0.3]),
    chain("two layers from a saddle", [0, 0]),
    chain("two layers with a requirement", [0.1, 0.3], 1),
    plain({
      name: "one neuron",
      family: "network",
      from: [0],
      objective: (x) =>
        x
          .tanh()
          .sub(0.5)
          .pow(2)
          .sum()
          .mul(0.5)
          .add(
            x
              .mul(x)
              .sum()
              .mul(decay / 2),
          ),
      answer: { objective: (Math.tanh(a) - 0.5) ** 2 / 2 + (decay / 2) * a * a },
    }),
  ];
}

export const classics = (): Case[] => [
  ...costs(),
  ...geometry(),
  ...regressions(),
  ...margins(),
  ...markets(),
  ...networks(),
];
