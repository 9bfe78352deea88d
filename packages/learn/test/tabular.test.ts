// Networks of columns: each piece against its formula, monotone at any parameters, dropout in training steps alone.

import { adam, atMost, createSolver, inTraining, minimise } from "@pliant/core";
import {
  array,
  compile,
  constant,
  evaluate,
  grad,
  type NdArray,
  random,
  reference,
  type Tensor,
} from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { keyed, type TabularOptions, tabular } from "../src/index.js";

const rows = (n: number, inputs: number, seed = 1): NdArray => random.normal(random.key(seed), [n, inputs]);
const traced = <P>(params: P): never => params as never;
const numbers = (tensor: Tensor): number[] => Array.from(evaluate(tensor).data);

/** Parameters far from where they begin, of either sign. */
function anywhere(options: TabularOptions, seed: number) {
  const model = tabular(options);
  const params = model.init(keyed(random.key(seed))).map(({ weight, bias }, i) => ({
    weight: constant(random.normal(random.foldIn(random.key(seed), 2 * i), [...weight.shape])),
    bias: constant(random.normal(random.foldIn(random.key(seed), 2 * i + 1), [...bias.shape])),
  }));
  return { model, params };
}

describe("monotone", () => {
  test.each([
    ["one layer", []],
    ["a hidden layer", [7]],
    ["several", [6, 5, 4]],
  ] as const)("with %s, whatever its parameters are, and not in other inputs", (_, hidden) => {
    for (const activation of ["tanh", "relu", "leakyRelu"] as const) {
      let others = 0;
      for (let seed = 0; seed < 10; seed++) {
        const { model, params } = anywhere(
          {
            inputs: 3,
            hidden,
            outputs: 1,
            activation,
            monotone: new Map([
              [0, 1],
              [2, -1],
            ]),
          },
          seed,
        );
        const at = (by: readonly number[]): number[] =>
          numbers(model.apply(traced(params), constant(rows(50, 3, seed)).add(constant(array([[...by]])))));
        const before = at([0, 0, 0]);
        for (const [i, after] of at([0.5, 0, 0]).entries())
          expect(after).toBeGreaterThanOrEqual(before[i] - 1e-5);
        for (const [i, after] of at([0, 0, 0.5]).entries())
          expect(after).toBeLessThanOrEqual(before[i] + 1e-5);
        const moved = at([0, 0.5, 0]);
        others += moved.filter((y, i) => y < before[i] - 1e-5).length;
      }
      expect(others).toBeGreaterThan(0);
    }
  });

  test("starts with weights of the usual size", () => {
    const options = { inputs: 3, hidden: [4], outputs: 1 };
    const model = tabular({ ...options, monotone: new Map([[1, -1]]) });
    const params = model.init(keyed(random.key(3)));
    const plain = tabular(options).init(keyed(random.key(3)));
    const applied = model.weights(
      traced(params.map(({ weight, bias }) => ({ weight: constant(weight), bias: constant(bias) }))),
    );
    // Of the input that is asked about, and of all further layers; others are roots of what was drawn.
    const second = numbers(applied[0]).slice(4, 8);
    for (const [j, w] of second.entries()) expect(w).toBeCloseTo(-Math.abs(plain[0].weight.data[4 + j]), 6);
    for (const [j, w] of numbers(applied[1]).entries())
      expect(w).toBeCloseTo(Math.abs(plain[1].weight.data[j]), 6);
  });
});

describe("embedded", () => {
  const options = { inputs: 3, hidden: [], outputs: 1, embedded: [{ input: 1, values: 4, width: 2 }] };
  const { model, params } = anywhere(options, 5);
  const x = constant(
    array([
      [0.5, 3, -1],
      [0.5, -1, -1],
    ]),
  );
  const [e, none, w, [bias]] = [params[0].weight, params[0].bias, params[1].weight, params[1].bias].map(
    numbers,
  );

  test("each value has its own vector, as does a missing one", () => {
    const answer = ([a, b]: readonly number[]): number => 0.5 * w[0] + a * w[1] + b * w[2] - w[3] + bias;
    const [found, without] = numbers(model.apply(traced(params), x));
    expect(found).toBeCloseTo(answer(e.slice(6, 8)), 5);
    expect(without).toBeCloseTo(answer(none), 5);
  });

  test("rows only update the vectors of their values", () => {
    const slope = grad((weight: Tensor) =>
      model.apply(traced([{ ...params[0], weight }, params[1]]), x).sum(),
    )(params[0].weight);
    expect(numbers(slope)).toEqual([0, 0, 0, 0, 0, 0, w[1], w[2]].map((v) => expect.closeTo(v, 5)));
  });
});

test("normalised, the units of a layer have mean 0 and deviation 1 before the activation", () => {
  const { model, params } = anywhere(
    { inputs: 2, hidden: [3], outputs: 3, activation: "leakyRelu", normalised: true },
    2,
  );
  const [w, b, v, c] = [params[0].weight, params[0].bias, params[1].weight, params[1].bias].map(numbers);
  const sums = [0, 1, 2].map((k) => 0.3 * w[k] - 2 * w[3 + k] + b[k]);
  const mean = (sums[0] + sums[1] + sums[2]) / 3;
  const deviation = Math.sqrt(sums.reduce((s, x) => s + (x - mean) ** 2, 0) / 3 + 1e-5);
  const units = sums.map((s) => (s - mean) / deviation).map((s) => (s > 0 ? s : 0.01 * s));
  const found = numbers(model.apply(traced(params), constant(array([[0.3, -2]]))));
  for (const [k, y] of found.entries())
    expect(y).toBeCloseTo(
      units.reduce((s, u, j) => s + u * v[3 * j + k], c[k]),
      4,
    );
});

describe("dropout", () => {
  const options = { inputs: 2, hidden: [40, 30], outputs: 1, dropout: 0.25 };
  const model = tabular(options);
  const params = model.init(keyed(random.key(4)));
  const x = rows(200, 2);

  test("drops the stated share of units in training steps, and preserves the mean", async () => {
    const one = { ...options, hidden: [40] };
    const single = tabular(one);
    // Sums of 1 in every unit, of which relu is 1, and an output that adds them up.
    const ones = [
      { weight: array(new Array(80).fill(0), { shape: [2, 40] }), bias: array(new Array(40).fill(1)) },
      { weight: array(new Array(40).fill(1 / 40), { shape: [40, 1] }), bias: array([0]) },
    ];
    const relu = tabular({ ...one, activation: "relu" });
    const look = compile((p: never, seen: Tensor, key: Tensor) => relu.apply(p, seen, key), {
      backend: reference(),
    });
    const key = random.packed([random.foldIn(random.key(1), 7)]);
    const found = Array.from(
      (await (await look(ones as never, x, array(key.data, { shape: [2], dtype: key.dtype }))).read()).data,
    );
    const mean = found.reduce((a, b) => a + b, 0) / 200;
    // 8000 units, of which each counts 4/3 with probability 3/4: a deviation of the mean of 0.0065.
    expect(Math.abs(mean - 1)).toBeLessThan(0.03);
    expect(new Set(Array.from(found, (y) => Math.round(y * 30))).size).toBeGreaterThan(5);
    expect(single.weights(ones as never)).toHaveLength(2);
  });

  test("is inactive outside training", async () => {
    const y = rows(200, 1, 9);
    const forward = (p: never, d: { x: Tensor; y: Tensor }, key: Tensor) => ({
      training: inTraining(key).cast("float32"),
      off: model.apply(p, d.x, key).sub(d.y),
    });
    const problem = minimise({
      params,
      forward: forward as never,
      objective: (({ off }: { off: Tensor }) => off.pow(2).mean()) as never,
    }).subjectTo({ seen: atMost(9, (({ training }: { training: Tensor }) => training) as never) });
    const solver = await createSolver(problem, {
      data: { x, y } as never,
      optimizer: adam(0.01),
      backend: reference(),
    });
    const found = await solver.next(await solver.inspect(solver.initial), 3);
    const bare = compile((p: never, seen: Tensor) => model.apply(p, seen), { backend: reference() });
    const answers = (await (await bare(found.params as never, x)).read()).data;
    const plain = Array.from(answers).reduce((s, a, i) => s + (a - y.data[i]) ** 2, 0) / 200;
    expect(found.report.objective).toBeCloseTo(plain, 4);
    expect(found.report.requirements.seen.reached).toBe(0);
  });
});
