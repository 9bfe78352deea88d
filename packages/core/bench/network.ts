// A small network under requirements of which one cannot be met, on all data and on noisy minibatches.

import {
  adam,
  atMost,
  DivergedError,
  minimise,
  type Optimizer,
  quadratic,
  residualOf,
  sgd,
  solve,
} from "@pliant/core";
import { NdArray, random, type Tensor } from "@pliant/engine";
import type { Algorithm } from "./study.js";

const examples = 256;
const hidden = 8;
const [forPoints, forLabels, forFirst, forSecond] = random.split(random.key(3), 4);
const float64 = "float64" as const;

/** Two classes that overlap: more of one kind of mistake is less of the other. */
const labels = random.bernoulli(forLabels, [examples], 0.3);
const sign = Float64Array.from(labels.data, (y) => (Number(y) ? 1 : -1));
const points = random.normal(forPoints, [examples, 2], { dtype: float64 });
const data = {
  x: new NdArray(
    Float64Array.from(points.data, (v, i) => Number(v) + 0.8 * sign[Math.floor(i / 2)]),
    [examples, 2],
  ),
  sign: new NdArray(sign, [examples]),
};

const zeros = (...shape: number[]) => new NdArray(new Float64Array(shape.reduce((a, b) => a * b)), shape);
const params = {
  w1: random.normal(forFirst, [2, hidden], { std: 0.5, dtype: float64 }),
  b1: zeros(hidden),
  w2: random.normal(forSecond, [hidden, 1], { std: 0.5, dtype: float64 }),
  b2: zeros(1),
};
type Params = { [K in keyof typeof params]: Tensor };

/** log(1 + e^−margin), and the mean of it over one class. */
const task = minimise({
  params,
  forward: ({ w1, b1, w2, b2 }: Params, { x, sign }: { x: Tensor; sign: Tensor }) => {
    const score = x.matmul(w1).add(b1).tanh().matmul(w2).add(b2).reshape([x.shape[0]]);
    const margin = score.mul(sign);
    const loss = margin.neg().relu().add(margin.abs().neg().exp().add(1).log());
    const decay = [w1, w2].map((w) => w.mul(w).sum()).reduce((a, b) => a.add(b));
    return { loss, positive: sign.relu(), decay };
  },
  objective: ({ loss, decay }) => loss.mean().add(decay.mul(0.005)),
}).subjectTo(
  {
    misses: atMost(0.1, ({ loss, positive }) => loss.mul(positive).mean().div(0.3)),
    falseAlarms: atMost(0.1, ({ loss, positive }) => loss.mul(positive.neg().add(1)).mean().div(0.7)),
  },
  { cost: quadratic(1) },
);

const optimizers: Record<string, Optimizer> = {
  "sgd(0.1)": sgd(0.1),
  "sgd(0.3)": sgd(0.3),
  "sgd(1)": sgd(1),
  "adam(0.003)": adam(0.003),
  "adam(0.01)": adam(0.01),
  "adam(0.03)": adam(0.03),
};
const dualRates = [0.05, 0.2, 1, 5];
const relaxationRates = [0.05, 0.2, 0.5];

export interface NetworkRow {
  algorithm: Algorithm;
  batch: number | null;
  points: number;
  failedPoints: number;
  /** Steps to the tolerance on all data; on minibatches, which hover, the residual that is left. */
  best: {
    optimizer: string;
    dualRate: number;
    relaxationRate: number;
    steps: number;
    residual: number;
  } | null;
}

const median = (x: number[]): number => x.sort((a, b) => a - b)[Math.floor(x.length / 2)];

/**
 * On all data a point fails if it does not certify the tolerance in time; on minibatches, if the median of requirements'
 * residuals over the last quarter of the run is above the tolerance.
 */
export async function network(
  algorithm: Algorithm,
  batch: number | null,
  { tolerance, steps }: { tolerance: number; steps: number },
): Promise<NetworkRow> {
  const points = Object.entries(optimizers).flatMap(([name, optimizer]) =>
    dualRates.flatMap((dualRate) =>
      (algorithm === "paper" ? relaxationRates : [0.1]).map((relaxationRate) => ({
        name,
        optimizer,
        dualRate,
        relaxationRate,
      })),
    ),
  );
  const found: NonNullable<NetworkRow["best"]>[] = [];
  for (const { name, ...rates } of points) {
    const late: number[] = [];
    const noisy = batch === null ? {} : { batch: { size: batch, seed: 1 }, tolerance: 0 };
    try {
      const solution = await solve(task, {
        data,
        algorithm,
        ...rates,
        tolerance,
        steps,
        every: 25,
        ...noisy,
        onProgress: ({ step, certificate }) => {
          if (step > 0.75 * steps) late.push(residualOf(certificate));
        },
      });
      const residual = batch === null ? 0 : median(late);
      if (batch === null ? solution.certificate.holds : residual <= tolerance) {
        const { dualRate, relaxationRate } = rates;
        found.push({ optimizer: name, dualRate, relaxationRate, steps: solution.steps, residual });
      }
    } catch (error) {
      if (!(error instanceof DivergedError)) throw error;
    }
  }
  found.sort((a, b) => a.steps - b.steps || a.residual - b.residual);
  return {
    algorithm,
    batch,
    points: points.length,
    failedPoints: points.length - found.length,
    best: found[0] ?? null,
  };
}
