// How operations made of others are called where tensors alone do not say it.
import type { Tensor } from "@pliant/engine";
import * as p from "@pliant/engine";
import { type Call, type Draw, ranked } from "./draw.js";

const rows = (d: Draw): Tensor => d.float(ranked(1, 3), d.shape(1 + d.pick(3)));
const anyRows = (d: Draw): Tensor => d.any(ranked(1, 3), d.shape(1 + d.pick(3)));
const numberRows = (d: Draw): Tensor => d.number(ranked(1, 3), d.shape(1 + d.pick(3)));

/** Over some axes, kept or not. */
const over =
  (draw: (d: Draw) => Tensor, f: (x: Tensor, options: p.ReduceOptions) => Tensor): Call =>
  (d) => {
    const x = draw(d);
    return f(x, { axis: d.axes(x), keepDims: d.chance(2) });
  };

/** Along one axis. */
const along =
  (draw: (d: Draw) => Tensor, f: (x: Tensor, axis: number, d: Draw) => Tensor): Call =>
  (d) => {
    const x = draw(d);
    return f(x, d.axis(x), d);
  };

/** Square matrices, most of them far from singular. */
const square = (d: Draw, n = 1 + d.pick(4)): Tensor =>
  d.fresh([...d.shape(d.pick(2)), n, n], d.real).add(p.constant(p.eye(n, n, { dtype: d.real })).mul(3));

/** Positive definite ones. */
const definite = (d: Draw): Tensor => {
  const a = square(d);
  return a.matmul(p.swapAxes(a, -1, -2));
};

/** A system: matrices and as many rows on the right. */
const system = (d: Draw, solve: (a: Tensor, b: Tensor) => Tensor): Tensor => {
  const a = square(d);
  const n = a.shape[a.rank - 1];
  return solve(a, d.fresh(d.chance(3) ? [n] : [...a.shape.slice(0, -2), n, 1 + d.pick(3)], d.real));
};

const sides = ["left", "right"] as const;
const modes: readonly p.PadMode[] = ["edge", "reflect", "symmetric", "wrap"];

export const derivedCalls: Readonly<Record<string, Call>> = {
  all: over(anyRows, (x, o) => p.all(x, o)),
  any: over(anyRows, (x, o) => p.any(x, o)),
  countNonzero: over(anyRows, (x, o) => p.countNonzero(x, o)),
  var: over(rows, (x, o) => x.var(o)),
  variance: over(rows, (x, o) => x.variance({ ...o, correction: 1 })),
  std: over(rows, (x, o) => x.std(o)),
  norm: (d) => {
    const x = rows(d);
    return x.norm({ axis: d.axes(x), order: d.among([2, 1, Infinity, -Infinity, 0, 3]) });
  },
  average: over(rows, (x, o) => p.average(x, x.mul(x), o)),
  peakToPeak: over(numberRows, (x, o) => p.peakToPeak(x, o)),
  nanSum: over(rows, (x, o) => p.nanSum(x, o)),
  nanMean: over(rows, (x, o) => p.nanMean(x, o)),
  argmin: along(numberRows, (x, axis) => x.argmin(axis)),
  cummin: along(numberRows, (x, axis, d) => x.cummin(axis, { reverse: d.chance(2) })),
  cumprod: along(numberRows, (x, axis, d) => x.cumprod({ axis, reverse: d.chance(2) })),
  median: along(rows, (x, axis) => x.median(axis)),
  diff: along(numberRows, (x, axis, d) => p.diff(x, d.pick(3), axis)),
  quantile: along(rows, (x, axis, d) => p.quantile(x, d.among([0, 0.3, 0.5, 1]), axis)),
  cvar: along(rows, (x, axis, d) => p.cvar(x, d.among([0, 0.3, 0.9]), axis)),
  auc: (d) => {
    const x = rows(d);
    return p.auc(x, d.fresh(x.shape, "bool").cast(x.dtype));
  },
  glu: (d) => p.glu(d.float(ranked(1, 3), [2 * d.pick(3), 2 * (1 + d.pick(2))])),
  gelu: (d) => p.gelu(d.float(), { approximate: d.chance(2) }),
  elu: (d) => p.elu(d.float(), d.among([1, 0.5])),
  nanToNum: (d) => p.nanToNum(d.number(), d.chance(2) ? {} : { nan: 1, most: 5 }),
  isClose: (d) => {
    const x = d.float();
    return p.isClose(x, d.partner(x), { relative: 0.5, absolute: 0.25 });
  },
  xor: (d) => {
    const x = d.find("bool");
    return p.xor(x, d.partner(x));
  },
  mod: (d) => {
    const x = d.number();
    return x.mod(d.chance(2) ? d.among([1, 3, -2]) : d.partner(x));
  },
  floorDivide: (d) => {
    const x = d.number();
    return p.floorDivide(x, d.chance(2) ? d.among([1, 3, -2]) : d.partner(x));
  },
  fullLike: (d) => p.fullLike(d.number(), d.pick(3)),
  swapAxes: (d) => {
    const x = anyRows(d);
    return x.swapAxes(d.axis(x), d.axis(x));
  },
  moveAxis: (d) => {
    const x = anyRows(d);
    return x.moveAxis(d.axis(x), d.axis(x));
  },
  tile: (d) => d.any(ranked(0, 3)).tile(d.among<number | number[]>([2, [2, 1], [1, 2, 2], 0])),
  repeat: along(anyRows, (x, axis, d) => (d.chance(4) ? x.repeat(2) : x.repeat(d.pick(3), axis))),
  roll: along(anyRows, (x, axis, d) => (d.chance(4) ? x.roll(1) : x.roll(d.pick(7) - 3, axis))),
  split: along(anyRows, (x, axis, d) => x.split([d.pick(3), 2 + d.pick(2)], axis)[d.pick(3)]),
  rot90: (d) => p.rot90(d.any(ranked(2, 3), d.shape(2)), d.pick(6) - 2),
  padWith: (d) => {
    const x = anyRows(d);
    return p.padWith(
      x,
      x.shape.map(() => [d.pick(3), d.pick(3)]),
      d.among(modes),
    );
  },
  tril: (d) => d.any(ranked(2, 3), d.shape(2)).tril(d.pick(3) - 1),
  triu: (d) => d.any(ranked(2, 3), d.shape(2)).triu(d.pick(3) - 1),
  diag: (d) => p.diag(d.any(ranked(1, 2), d.shape(1)), d.pick(3) - 1),
  diagonal: (d) => d.any(ranked(2, 3), d.shape(2)).diagonal(d.pick(3) - 1),
  trace: (d) => d.number(ranked(2, 3), d.shape(2)).trace(d.pick(3) - 1),
  meshgrid: (d) => p.meshgrid(d.any(ranked(1, 1), d.shape(1)), d.fresh(d.shape(1), d.real))[d.pick(2)],
  searchSorted: (d) => {
    const list = d.number(ranked(1, 1), d.shape(1)).sort();
    return p.searchSorted(list, d.fresh(d.shape(d.pick(3)), list.dtype), { side: d.among(sides) });
  },
  bincount: (d) => {
    const x = d.fresh(d.shape(d.pick(3)), "int32");
    return d.chance(2) ? p.bincount(x, d.pick(4)) : p.bincount(x, d.pick(4), d.fresh(x.shape, d.real));
  },
  histogram: (d) => p.histogram(d.float(), d.fresh([2 + d.pick(3)], d.real).sort()),
  uniqueCounts: (d) => {
    const { values, counts } = p.uniqueCounts(d.number(), d.pick(5));
    return d.chance(2) ? values : counts;
  },
  dynamicSlice: (d) => {
    const x = anyRows(d);
    return p.dynamicSlice(
      x,
      d.fresh([x.rank], "int32"),
      x.shape.map((n) => d.pick(n + 1)),
    );
  },
  dynamicUpdate: (d) => {
    const x = anyRows(d);
    const part = d.fresh(
      x.shape.map((n) => d.pick(n + 1)),
      x.dtype,
    );
    return p.dynamicUpdate(x, part, d.fresh([x.rank], "int32"));
  },
  interp: (d) => {
    const points = d.fresh([2 + d.pick(3)], d.real);
    return p.interp(d.float(), points.sort(), d.fresh(points.shape, d.real));
  },
  polyval: (d) => p.polyval(d.fresh([d.pick(4)], d.real), d.float()),
  covariance: (d) => p.covariance(d.float(ranked(2, 2), d.shape(2))),
  dot: (d) => {
    const x = d.number(ranked(1, 2), d.shape(2));
    return p.dot(x, d.fresh([x.shape[x.rank - 1], 2], x.dtype));
  },
  vdot: (d) => {
    const x = d.number();
    return p.vdot(x, d.fresh(x.shape, x.dtype));
  },
  inner: (d) => {
    const x = numberRows(d);
    return p.inner(x, d.fresh([2, x.shape[x.rank - 1]], x.dtype));
  },
  tensordot: (d) => {
    const x = d.number(ranked(2, 3), d.shape(2));
    return d.chance(2)
      ? p.tensordot(x, d.fresh([...x.shape.slice(-2), 2], x.dtype))
      : p.tensordot(x, d.fresh([2, x.shape[0]], x.dtype), [[0], [-1]]);
  },
  kron: (d) => {
    const x = d.number(ranked(2, 2), d.shape(2));
    return p.kron(x, d.fresh(d.shape(2), x.dtype));
  },
  cross: (d) => {
    const x = d.fresh([d.pick(3), 3], d.real);
    return p.cross(x, d.chance(2) ? d.fresh([3], d.real) : d.fresh(x.shape, d.real));
  },
  cholesky: (d) => p.cholesky(definite(d)),
  triangularSolve: (d) =>
    system(d, (a, b) => p.triangularSolve(a, b, { upper: d.chance(2), unitDiagonal: d.chance(3) })),
  solve: (d) => system(d, p.solve),
  inverse: (d) => p.inverse(square(d)),
  det: (d) => p.det(square(d)),
  slogdet: (d) => p.slogdet(square(d)).logDet,
  matrixPower: (d) => p.matrixPower(square(d), d.pick(5) - 1),
  eigh: (d) => {
    const { values, vectors } = p.eigh(square(d));
    return d.chance(2) ? values : vectors;
  },
};
