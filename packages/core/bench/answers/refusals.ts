// Points and problems for which nothing may be certified. Those of a start are checked where they are, without a step.
import { atLeast, atMost, equals, minimise } from "@pliant/core";
import { constant, matmul, type Tensor } from "@pliant/engine";
import { plain, table } from "./classics.js";
import { array, type Case, type Dtype, drawing } from "./problem.js";

const one = (x: Tensor, i: number): Tensor => x.slice([[i, i + 1]]).sum();
const refuse = (why: string): Case["answer"] => ({ refuse: why });
const here = { steps: 0 } as Case["options"];

function saddles(): Case[] {
  const humps = (x: Tensor): Tensor => x.pow(4).sub(x.pow(2)).sum();
  const at = (
    name: string,
    from: number[],
    objective: (x: Tensor) => Tensor,
    requirements = {},
    dtype: Dtype = "float64",
  ): Case =>
    plain({
      name,
      family: "saddle",
      from,
      objective,
      requirements,
      dtype,
      options: here,
      answer: refuse("saddle"),
    });
  const ridge = (n: number, dtype: Dtype = "float64"): Case => {
    const { uniform } = drawing(n);
    const weights = Array.from({ length: n }, () => uniform(0.5, 2));
    weights[Math.floor(n / 2)] = -0.05;
    const w = constant(array(weights, dtype));
    return at(
      `one falling direction of ${n}, ${dtype}`,
      new Array(n).fill(0),
      (x) => x.mul(x).mul(w).sum().add(x.pow(4).sum()),
      {},
      dtype,
    );
  };
  const xor = (dtype: Dtype): Case => {
    const X = array(
      [
        [0, 0],
        [0, 1],
        [1, 0],
        [1, 1],
      ] as number[][],
      dtype,
    );
    const y = array([0, 1, 1, 0], dtype);
    const zeros = (shape: number[]): ReturnType<typeof array> =>
      array(
        shape.length === 1
          ? new Array(shape[0]).fill(0)
          : Array.from({ length: shape[0] }, () => new Array(shape[1]).fill(0)),
        dtype,
      );
    return {
      name: `XOR from zero weights, ${dtype}`,
      family: "saddle",
      task: minimise({
        params: { a: zeros([2, 4]), b: zeros([4]), c: zeros([4, 1]), e: zeros([1]) },
        forward: (p: Record<string, Tensor>, d: Record<string, Tensor>) =>
          matmul(matmul(d.X, p.a).add(p.b).tanh(), p.c).add(p.e).reshape([4]),
        objective: (out: Tensor, d: Record<string, Tensor>) => {
          const signed = d.y.mul(2).sub(1).mul(out).neg();
          return signed.exp().add(1).log().mean();
        },
      }).subjectTo({}) as never,
      data: { X, y },
      options: here,
      answer: refuse("saddle"),
    };
  };
  const factors = (x: Tensor): Tensor => one(x, 0).mul(one(x, 1)).sub(1).pow(2).mul(0.5);
  const sphere = { sphere: equals(1, (x: Tensor) => x.mul(x).sum(), { hard: true }) };
  const A = constant(array([1, 2, 4], "float64"));
  return [
    at("a maximum", [0], humps),
    at("a maximum beside 1", [0], (x) => humps(x).add(1)),
    at("a maximum in 1e-6", [0], (x) => humps(x.mul(1e6))),
    at("a maximum in 1e6", [0], (x) => humps(x.mul(1e-6)).add(1)),
    at("a maximum, float32", [0], (x) => humps(x).add(1), {}, "float32"),
    at("a maximum in two of two", [0, 0], humps),
    at("a saddle in two", [0, 0], (x) => humps(one(x, 1)).add(one(x, 0).pow(2).mul(0.1))),
    at("a saddle beside a price that is 0", [0, 0], (x) => humps(one(x, 1)).add(one(x, 0).pow(2)), {
      r: atMost(9, (x: Tensor) => x.sum()),
    }),
    ridge(10),
    ridge(60),
    ridge(200),
    ridge(300, "float32"),
    at("two factors at 0", [0, 0], factors),
    at("two factors at 0, float32", [0, 0], factors, {}, "float32"),
    at("three factors at 0", [0, 0, 0], (x) => one(x, 0).mul(one(x, 1)).mul(one(x, 2)).sub(1).pow(2)),
    at("an even function without curvature", [0], (x) => x.pow(6).sub(x.pow(4)).sum().add(1)),
    at("a monkey saddle", [0, 0], (x) =>
      one(x, 0)
        .pow(3)
        .sub(one(x, 0).mul(one(x, 1).pow(2)).mul(3))
        .add(x.pow(4).sum())
        .add(1),
    ),
    at("the middle eigenvector", [0, 1, 0], (x) => x.mul(x).mul(A).sum(), sphere),
    xor("float64"),
    xor("float32"),
  ];
}

function unbounded(): Case[] {
  const from = (
    name: string,
    start: number[],
    objective: (x: Tensor) => Tensor,
    requirements = {},
    dtype: Dtype = "float64",
  ): Case =>
    plain({
      name,
      family: "unbounded",
      from: start,
      objective,
      requirements,
      dtype,
      options: { steps: 200 },
      answer: refuse("unbounded"),
    });
  const X = [
    [1, 2],
    [2, 1],
    [-1, -2],
    [-3, 1],
  ];
  const y = [1, 1, -1, -1];
  const logistic = (answers: Tensor, target: Tensor): Tensor =>
    answers.mul(target).neg().exp().add(1).log().mean();
  const separable = (name: string, rows: number[][], labels: number[], dtype: Dtype, offset = 0): Case =>
    table({
      name,
      family: "separable",
      X: rows,
      y: labels,
      dtype,
      from: rows[0].map(() => 0.1),
      objective: (answers, target) => logistic(answers, target).add(offset),
      options: { steps: 400 },
      answer: refuse("separable"),
    });
  return [
    from("a linear objective", [0.5], (x) => x.sum()),
    from("a linear programme without enough rows", [0.5, 0.5], (x) => x.sum().neg(), {
      first: atMost(1, (x: Tensor) => one(x, 0), { hard: true }),
    }),
    from("−x²", [0.1], (x) => x.mul(x).sum().neg()),
    from("e^−x", [0.5], (x) => x.neg().exp().sum()),
    from("e^−x beside 1, float32", [0.5], (x) => x.neg().exp().sum().add(1), {}, "float32"),
    separable("separable data", X, y, "float64"),
    separable("separable data, float32", X, y, "float32"),
    separable("separable data beside 5", X, y, "float64", 5),
    separable(
      "data that one column separates in part",
      [
        [1, 1, 0],
        [1, -1, 0],
        [1, 0, 1],
        [1, 0.5, 2],
      ],
      [1, -1, 1, 1],
      "float64",
    ),
  ];
}

function infeasible(): Case[] {
  const asked = (name: string, start: number[], requirements: object): Case =>
    plain({
      name,
      family: "infeasible",
      from: start,
      objective: (x) => x.mul(x).sum().mul(0.5),
      requirements,
      options: { steps: 200 },
      answer: refuse("infeasible"),
    });
  const hard = { hard: true };
  return [
    asked("below −1 and above 1", [0.2], {
      low: atMost(-1, (x: Tensor) => x.sum(), hard),
      high: atLeast(1, (x: Tensor) => x.sum(), hard),
    }),
    asked("three that conflict", [0.2, 0.1], {
      a: atMost(-1, (x: Tensor) => one(x, 0), hard),
      b: atMost(-1, (x: Tensor) => one(x, 1), hard),
      c: atLeast(1, (x: Tensor) => x.sum(), hard),
    }),
    asked("a square below −1", [0.2], { square: atMost(-1, (x: Tensor) => x.mul(x).sum(), hard) }),
    asked("two equalities", [0.2, 0.4], {
      a: equals(1, (x: Tensor) => x.sum(), hard),
      b: equals(2, (x: Tensor) => x.sum(), hard),
    }),
    asked("a disc and a distant half-plane", [0.2, 0.4], {
      disc: atMost(1, (x: Tensor) => x.mul(x).sum(), hard),
      plane: atLeast(3, (x: Tensor) => one(x, 0), hard),
    }),
  ];
}

function withoutMultiplier(): Case[] {
  const asked = (
    name: string,
    start: number[],
    objective: (x: Tensor) => Tensor,
    requirements: object,
  ): Case =>
    plain({
      name,
      family: "no multiplier",
      from: start,
      objective,
      requirements,
      options: { steps: 200 },
      answer: refuse("no multiplier"),
    });
  const hard = { hard: true };
  const disc = (y: number) => (x: Tensor) => one(x, 0).pow(2).add(one(x, 1).sub(y).pow(2));
  return [
    asked("x with x² ≤ 0", [0.5], (x) => x.sum(), { square: atMost(0, (x: Tensor) => x.mul(x).sum(), hard) }),
    asked("two discs that touch", [0.3, 0.2], (x) => x.sum(), {
      up: atMost(1, disc(1), hard),
      down: atMost(1, disc(-1), hard),
    }),
    plain({
      name: "x with x² ≤ 0, at 0",
      family: "no multiplier",
      from: [0],
      objective: (x) => x.sum(),
      requirements: { square: atMost(0, (x: Tensor) => x.mul(x).sum(), hard) },
      options: here,
      answer: refuse("no multiplier"),
    }),
  ];
}

function notYet(): Case[] {
  const at = (name: string, from: number[], objective: (x: Tensor) => Tensor, requirements: object): Case =>
    plain({
      name,
      family: "not solved",
      from,
      objective,
      requirements,
      options: here,
      answer: refuse("not solved"),
    });
  const floor = (level: number) => ({ floor: atLeast(level, (x: Tensor) => x.sum(), { hard: true }) });
  const square = (x: Tensor): Tensor => x.mul(x).sum().mul(0.5);
  const far = constant(array([1, 1], "float64"));
  return [
    at("a feasible point without a price", [3], square, floor(1)),
    at("a minimum that misses its level", [0], square, floor(1)),
    at("at its level without a price", [1], square, floor(1)),
    at("the level 0 in 1e-4, from 0.3", [0.3, 0.3], (x) => x.sub(far.mul(1e-4)).pow(2).sum(), {
      zero: atMost(0, (x: Tensor) => one(x, 0), { hard: true }),
    }),
    at("beside 1e8", [3], (x) => square(x).add(1e8), floor(1)),
    at(
      "one element missed by all of it",
      [1, 200],
      (x) =>
        x
          .mul(constant(array([1, 1e-4], "float64")))
          .pow(2)
          .sum(),
      {
        levels: atMost([0.001, 300], (x: Tensor) => x, { hard: true }),
      },
    ),
  ];
}

function outside(): Case[] {
  const hard = { hard: true };
  const of = (
    family: string,
    name: string,
    from: number[],
    objective: (x: Tensor) => Tensor,
    requirements: object,
    options: Case["options"],
  ): Case => plain({ name, family, from, objective, requirements, options, answer: refuse(family) });
  const kinks = { steps: 0, kinks: true } as Case["options"];
  const some = { steps: 200 } as Case["options"];
  const few = constant(array([0, 1, 3, 4], "float64"));
  const target = constant(array([3, 0.2], "float64"));
  const pinball = (x: Tensor): Tensor => {
    const r = few.sub(x);
    return r.mul(0.75).maximum(r.mul(-0.25)).mean();
  };
  return [
    of("kinks", "the top of a roof", [0], (x) => x.abs().neg().sum(), {}, kinks),
    of("kinks", "a saddle of kinks", [0, 0], (x) => one(x, 0).abs().sub(one(x, 1).abs()), {}, kinks),
    of("kinks", "a quantile at the wrong row", [1], pinball, {}, kinks),
    of(
      "kinks",
      "a lasso at 0",
      [0, 0],
      (x) => x.sub(target).pow(2).sum().mul(0.5).add(x.abs().sum()),
      {},
      kinks,
    ),
    of(
      "kinks",
      "a kinked ball inside its level",
      [0.5, 0],
      (x) => x.sub(target).pow(2).sum().mul(0.5),
      { ball: atMost(1, (x: Tensor) => x.abs().sum(), hard) },
      kinks,
    ),
    of(
      "saddle",
      "a product on a line through its saddle",
      [0, 0],
      (x) => one(x, 0).mul(one(x, 1)),
      { line: equals(0, (x: Tensor) => x.sum(), hard) },
      here,
    ),
    of(
      "saddle",
      "factors of a matrix at 0",
      [0, 0, 0, 0],
      (x) => {
        const [u, v] = [x.slice([[0, 2]]).reshape([2, 1]), x.slice([[2, 4]]).reshape([1, 2])];
        return u
          .matmul(v)
          .sub(
            constant(
              array(
                [
                  [2, 1],
                  [1, 1],
                ],
                "float64",
              ),
            ),
          )
          .pow(2)
          .sum();
      },
      {},
      here,
    ),
    of(
      "no multiplier",
      "a cusp",
      [0.5, 0.3],
      (x) => one(x, 0),
      { cusp: atMost(0, (x: Tensor) => one(x, 1).pow(2).sub(one(x, 0).pow(3)), hard) },
      some,
    ),
    of(
      "no multiplier",
      "two parabolas that touch",
      [0.5, 0.1],
      (x) => one(x, 0),
      {
        above: atLeast(0, (x: Tensor) => one(x, 1).sub(one(x, 0).pow(2)), hard),
        below: atMost(0, (x: Tensor) => one(x, 1).add(one(x, 0).pow(2)), hard),
      },
      some,
    ),
    of("unbounded", "a bet that cannot lose", [0.1], (x) => x.mul(few).add(1).log().mean().neg(), {}, some),
    of(
      "unbounded",
      "a deviation that falls to 0",
      [0, 0],
      (x) => one(x, 1).add(one(x, 0).sub(2).pow(2).mul(one(x, 1).mul(-2).exp()).mul(0.5)),
      {},
      some,
    ),
    of("separable", "counts that are all 0", [0.3], (x) => x.exp().sum(), {}, some),
    of(
      "infeasible",
      "transport of unequal totals",
      [0.2, 0.2, 0.2, 0.2],
      (x) => x.mul(x.maximum(1e-30).log()).sum(),
      {
        from: equals([0.5, 0.5], (x: Tensor) => x.reshape([2, 2]).sum({ axis: 1 }), hard),
        to: equals([0.6, 0.6], (x: Tensor) => x.reshape([2, 2]).sum({ axis: 0 }), hard),
      },
      some,
    ),
  ];
}

export const refusals = (): Case[] => [
  ...outside(),
  ...saddles(),
  ...unbounded(),
  ...infeasible(),
  ...withoutMultiplier(),
  ...notYet(),
];
