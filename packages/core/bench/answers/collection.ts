// Problems of Hock and Schittkowski's collection (Test Examples for Nonlinear Programming Codes, 1981), from its own starts. The optimal
// values are the book's; the prices are those of Newton's method on the KKT conditions in float64, in Python.
import { atLeast, atMost, equals } from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import { plain } from "./classics.js";
import type { Answer, Case, Dtype } from "./problem.js";

type Function = (...x: Tensor[]) => Tensor;

interface Example {
  readonly from: number[];
  readonly objective: Function;
  /** Each at most 0. */
  readonly below?: Readonly<Record<string, Function>>;
  /** Each 0. */
  readonly zero?: Readonly<Record<string, Function>>;
  readonly atLeast?: readonly number[];
  readonly atMost?: readonly number[];
  readonly answer: Answer;
  readonly size?: number;
  readonly dtype?: Dtype;
}

const hard = { hard: true } as const;

function example(name: string, given: Example): Case {
  const { from, objective, below = {}, zero = {}, dtype = "float64", answer, size } = given;
  const parts =
    (f: Function) =>
    (x: Tensor): Tensor =>
      f(...from.map((_, i) => x.slice([[i, i + 1]]).sum()));
  const own = (x: Tensor): Tensor => x;
  const each = <T>(of: Readonly<Record<string, Function>>, make: (loss: (x: Tensor) => Tensor) => T) =>
    Object.fromEntries(Object.entries(of).map(([key, f]) => [key, make(parts(f))]));
  return plain({
    name: `${name}${dtype === "float32" ? ", float32" : ""}`,
    family: "Hock and Schittkowski",
    from,
    dtype,
    objective: parts(objective),
    requirements: {
      ...each(below, (loss) => atMost(0, loss, hard)),
      ...each(zero, (loss) => equals(0, loss, hard)),
      ...(given.atLeast && { low: atLeast(given.atLeast, own, hard) }),
      ...(given.atMost && { high: atMost(given.atMost, own, hard) }),
    },
    answer,
    size,
  });
}

const sq = (x: Tensor): Tensor => x.mul(x);
const sum = (...terms: Tensor[]): Tensor => terms.reduce((a, b) => a.add(b));
const product = (...factors: Tensor[]): Tensor => factors.reduce((a, b) => a.mul(b));

const rosenSuzuki = (dtype: Dtype): Case =>
  example("HS 43", {
    dtype,
    from: [0, 0, 0, 0],
    objective: (a, b, c, d) => sum(sq(a), sq(b), sq(c).mul(2), sq(d), a.add(b).mul(-5), c.mul(-21), d.mul(7)),
    below: {
      first: (a, b, c, d) => sum(sq(a), sq(b), sq(c), sq(d), a, b.neg(), c, d.neg()).sub(8),
      second: (a, b, c, d) => sum(sq(a), sq(b).mul(2), sq(c), sq(d).mul(2), a.neg(), d.neg()).sub(10),
      third: (a, b, c, d) => sum(sq(a).mul(2), sq(b), sq(c), a.mul(2), b.neg(), d.neg()).sub(5),
    },
    answer: { objective: -44, prices: { first: 1, second: 0, third: 2 } },
  });

export const collection = (): Case[] => [
  example("HS 6", {
    from: [-1.2, 1],
    objective: (a) => sq(a.neg().add(1)),
    zero: { curve: (a, b) => b.sub(sq(a)).mul(10) },
    answer: { objective: 0, prices: { curve: 0 } },
    size: 1,
  }),
  example("HS 7", {
    from: [2, 2],
    objective: (a, b) => sq(a).add(1).log().sub(b),
    zero: { curve: (a, b) => sq(sq(a).add(1)).add(sq(b)).sub(4) },
    answer: { objective: -Math.sqrt(3), prices: { curve: 0.5 / Math.sqrt(3) } },
  }),
  example("HS 10", {
    from: [-10, 10],
    objective: (a, b) => a.sub(b),
    below: { ellipse: (a, b) => sum(sq(a).mul(3), a.mul(b).mul(-2), sq(b)).sub(1) },
    answer: { objective: -1, prices: { ellipse: 0.5 } },
  }),
  example("HS 12", {
    from: [0, 0],
    objective: (a, b) => sum(sq(a).mul(0.5), sq(b), a.mul(b).neg(), a.add(b).mul(-7)),
    below: { ellipse: (a, b) => sq(a).mul(4).add(sq(b)).sub(25) },
    answer: { objective: -30, prices: { ellipse: 0.5 } },
  }),
  example("HS 22", {
    from: [2, 2],
    objective: (a, b) => sq(a.sub(2)).add(sq(b.sub(1))),
    below: { line: (a, b) => a.add(b).sub(2), parabola: (a, b) => sq(a).sub(b) },
    answer: { objective: 1, prices: { line: 2 / 3, parabola: 2 / 3 } },
  }),
  example("HS 27", {
    from: [2, 2, 2],
    objective: (a, b) =>
      sq(a.sub(1))
        .mul(0.01)
        .add(sq(b.sub(sq(a)))),
    zero: { curve: (a, _, c) => a.add(sq(c)).add(1) },
    answer: { objective: 0.04, prices: { curve: 0.04 } },
  }),
  example("HS 28", {
    from: [-4, 1, 1],
    objective: (a, b, c) => sq(a.add(b)).add(sq(b.add(c))),
    zero: { plane: (a, b, c) => sum(a, b.mul(2), c.mul(3)).sub(1) },
    answer: { objective: 0, prices: { plane: 0 } },
    size: 1,
  }),
  example("HS 29", {
    from: [1, 1, 1],
    objective: (a, b, c) => product(a, b, c).neg(),
    below: { ellipsoid: (a, b, c) => sum(sq(a), sq(b).mul(2), sq(c).mul(4)).sub(48) },
    answer: { objective: -16 * Math.SQRT2, prices: { ellipsoid: Math.SQRT1_2 } },
  }),
  example("HS 34", {
    from: [0, 1.05, 2.9],
    objective: (a) => a.neg(),
    below: { first: (a, b) => a.exp().sub(b), second: (_, b, c) => b.exp().sub(c) },
    atLeast: [0, 0, 0],
    atMost: [100, 100, 10],
    answer: {
      objective: -Math.log(Math.log(10)),
      prices: { first: 1 / Math.log(10), second: 0.1 / Math.log(10), low: 0, high: 0.1 / Math.log(10) },
    },
  }),
  example("HS 35", {
    from: [0.5, 0.5, 0.5],
    objective: (a, b, c) =>
      sum(
        a.mul(-8),
        b.mul(-6),
        c.mul(-4),
        sq(a).mul(2),
        sq(b).mul(2),
        sq(c),
        a.mul(b).mul(2),
        a.mul(c).mul(2),
      ).add(9),
    below: { line: (a, b, c) => sum(a, b, c.mul(2)).sub(3) },
    atLeast: [0, 0, 0],
    answer: { objective: 1 / 9, prices: { line: 2 / 9, low: 0 } },
  }),
  example("HS 39", {
    from: [2, 2, 2, 2],
    objective: (a) => a.neg(),
    zero: {
      cubic: (a, b, c) => b.sub(a.pow(3)).sub(sq(c)),
      square: (a, b, _, d) => sq(a).sub(b).sub(sq(d)),
    },
    answer: { objective: -1, prices: { cubic: -1, square: -1 } },
  }),
  example("HS 40", {
    from: [0.8, 0.8, 0.8, 0.8],
    objective: (a, b, c, d) => product(a, b, c, d).neg(),
    zero: {
      first: (a, b) => a.pow(3).add(sq(b)).sub(1),
      second: (a, _, c, d) => sq(a).mul(d).sub(c),
      third: (_, b, __, d) => sq(d).sub(b),
    },
    answer: { objective: -0.25, prices: { first: 0.5, second: -(2 ** (-13 / 12)), third: 2 ** -1.5 } },
  }),
  rosenSuzuki("float64"),
  rosenSuzuki("float32"),
  example("HS 71", {
    from: [1, 5, 5, 1],
    objective: (a, b, c, d) => product(a, d, sum(a, b, c)).add(c),
    below: { volume: (a, b, c, d) => product(a, b, c, d).neg().add(25) },
    zero: { sphere: (a, b, c, d) => sum(sq(a), sq(b), sq(c), sq(d)).sub(40) },
    atLeast: [1, 1, 1, 1],
    atMost: [5, 5, 5, 5],
    answer: {
      objective: 17.014017289156303,
      prices: { volume: 0.5522936601207268, sphere: 0.16146856677050578, low: 1.087871228666945, high: 0 },
    },
  }),
  example("HS 76", {
    from: [0.5, 0.5, 0.5, 0.5],
    objective: (a, b, c, d) =>
      sum(
        sq(a),
        sq(b).mul(0.5),
        sq(c),
        sq(d).mul(0.5),
        a.mul(c).neg(),
        c.mul(d),
        a.neg(),
        b.mul(-3),
        c,
        d.neg(),
      ),
    below: {
      first: (a, b, c, d) => sum(a, b.mul(2), c, d).sub(5),
      second: (a, b, c, d) => sum(a.mul(3), b, c.mul(2), d.neg()).sub(4),
      third: (_, b, c) => b.add(c.mul(4)).neg().add(1.5),
    },
    atLeast: [0, 0, 0, 0],
    answer: { objective: -103 / 22, prices: { first: 5 / 11, second: 0, third: 0, low: 19 / 11 } },
  }),
  example("HS 78", {
    from: [-2, 1.5, 2, -1, -1],
    objective: product,
    zero: {
      sphere: (...x) => sum(...x.map(sq)).sub(10),
      saddle: (_, b, c, d, e) => b.mul(c).sub(d.mul(e).mul(5)),
      cubes: (a, b) => a.pow(3).add(b.pow(3)).add(1),
    },
    answer: {
      objective: -2.9197004089636795,
      prices: { sphere: 0.7444459309751799, saddle: -0.7035751900173157, cubes: 0.09680552489506651 },
    },
  }),
  example("HS 100", {
    from: [1, 2, 0, 4, 0, 1, 1],
    objective: (a, b, c, d, e, f, g) =>
      sum(
        sq(a.sub(10)),
        sq(b.sub(12)).mul(5),
        c.pow(4),
        sq(d.sub(11)).mul(3),
        e.pow(6).mul(10),
        sq(f).mul(7),
        g.pow(4),
        f.mul(g).mul(-4),
        f.mul(-10),
        g.mul(-8),
      ),
    below: {
      first: (a, b, c, d, e) => sum(sq(a).mul(2), b.pow(4).mul(3), c, sq(d).mul(4), e.mul(5)).sub(127),
      second: (a, b, c, d, e) => sum(a.mul(7), b.mul(3), sq(c).mul(10), d, e.neg()).sub(282),
      third: (a, b, _, __, ___, f, g) => sum(a.mul(23), sq(b), sq(f).mul(6), g.mul(-8)).sub(196),
      fourth: (a, b, c, _, __, f, g) =>
        sum(sq(a).mul(4), sq(b), a.mul(b).mul(-3), sq(c).mul(2), f.mul(5), g.mul(-11)),
    },
    answer: {
      objective: 680.630057374402,
      prices: { first: 1.1397199591673757, second: 0, third: 0, fourth: 0.3686145171872116 },
    },
  }),
  example("HS 113", {
    from: [2, 3, 5, 5, 1, 2, 7, 3, 6, 10],
    objective: (...x) => {
      const [a, b] = x;
      const centres = [10, 5, 3, 1, 0, 11, 10, 7];
      const weights = [1, 4, 1, 2, 5, 7, 2, 1];
      const bowls = x.slice(2).map((v, i) => sq(v.sub(centres[i])).mul(weights[i]));
      return sum(sq(a), sq(b), a.mul(b), a.mul(-14), b.mul(-16), ...bowls).add(45);
    },
    below: {
      g1: (a, b, _, __, ___, ____, g, h) => sum(a.mul(4), b.mul(5), g.mul(-3), h.mul(9)).sub(105),
      g2: (a, b, _, __, ___, ____, g, h) => sum(a.mul(10), b.mul(-8), g.mul(-17), h.mul(2)),
      g3: (...x) => sum(x[0].mul(-8), x[1].mul(2), x[8].mul(5), x[9].mul(-2)).sub(12),
      g4: (a, b, c, d) => sum(sq(a.sub(2)).mul(3), sq(b.sub(3)).mul(4), sq(c).mul(2), d.mul(-7)).sub(120),
      g5: (a, b, c, d) => sum(sq(a).mul(5), b.mul(8), sq(c.sub(6)), d.mul(-2)).sub(40),
      g6: (a, b, _, __, e, f) =>
        sum(sq(a.sub(8)).mul(0.5), sq(b.sub(4)).mul(2), sq(e).mul(3), f.neg()).sub(30),
      g7: (a, b, _, __, e, f) => sum(sq(a), sq(b.sub(2)).mul(2), a.mul(b).mul(-2), e.mul(14), f.mul(-6)),
      g8: (...x) => sum(x[0].mul(-3), x[1].mul(6), sq(x[8].sub(8)).mul(12), x[9].mul(-7)),
    },
    answer: {
      objective: 24.30620906817979,
      prices: {
        g1: 1.7165331534681736,
        g2: 0.4745201541889712,
        g3: 1.3759266639213232,
        g4: 0.020545555102422418,
        g5: 0.3120285089353326,
        g6: 0,
        g7: 0.2870493192908773,
        g8: 0,
      },
    },
  }),
  // The book's largest chemical equilibrium (HS 112): mole fractions of ten compounds, from 0.1 of each.
  example("HS 112", {
    from: new Array(10).fill(0.1),
    objective: (...x) => {
      const c = [-6.089, -17.164, -34.054, -5.914, -24.721, -14.986, -24.1, -10.708, -26.662, -22.179];
      const all = sum(...x);
      return sum(...x.map((v, i) => v.mul(v.maximum(1e-30).div(all).log().add(c[i]))));
    },
    zero: {
      hydrogen: (...x) => sum(x[0], x[1].mul(2), x[2].mul(2), x[5], x[9]).sub(2),
      nitrogen: (...x) => sum(x[3], x[4].mul(2), x[5], x[6]).sub(1),
      oxygen: (...x) => sum(x[2], x[6], x[7], x[8].mul(2), x[9]).sub(1),
    },
    answer: { objective: -47.76109085936586 },
  }),
];
