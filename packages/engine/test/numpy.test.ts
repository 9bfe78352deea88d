// Operations made of others beside those of the same name in jax.numpy, on the same numbers in double precision.
import * as p from "@pliant/engine";
import { evaluate, type NdArray, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { constant } from "../src/tensor.js";
import { openJax } from "./jax.js";
import { real, whole } from "./operations.js";

const jax = (await openJax("numpy_run.py"))!;

type Given = Readonly<Record<string, NdArray>>;
type Beside = readonly [expression: string, given: Given, f: (x: Record<string, Tensor>) => Tensor];

const [x, y] = [real([3, 4]), real([3, 4], 0.2, 3)];
const row = real([4]);
const list = real([7]);
const counts = whole([3, 4], -2, 6);
const a = real([2, 3, 3]);
const b = real([2, 3, 2]);
const unit = real([5], -0.95, 0.95);
const large = real([5], 1.1, 5);

const engine = { ...p };
/** Functions of one element under the same, or nearly the same, name. */
const same = (name: string, f: (x: Tensor) => Tensor, given: NdArray = x): Beside => [
  `${name}(x)`,
  { x: given },
  ({ x }) => f(x),
];

const elements: Beside[] = [
  ...(
    ["expm1", "exp2", "cbrt", "tan", "sinh", "cosh", "asinh", "trunc", "square", "reciprocal"] as const
  ).map((n) => same(`jnp.${n}`, engine[n])),
  ...(["log2", "log10"] as const).map((n) => same(`jnp.${n}`, engine[n], y)),
  same("jnp.arctan", p.atan),
  same("jnp.arcsin", p.asin, unit),
  same("jnp.arccos", p.acos, unit),
  same("jnp.arctanh", p.atanh, unit),
  same("jnp.arccosh", p.acosh, large),
  same("jnp.round", p.round, real([9], -4, 4)),
  ...(["silu", "gelu", "elu", "selu", "mish", "relu6"] as const).map((n) =>
    same(n === "gelu" ? "(lambda x: nn.gelu(x, approximate=False))" : `nn.${n}`, (x) => engine[n](x)),
  ),
  same("nn.log_sigmoid", p.logSigmoid),
  same("nn.hard_tanh", p.hardTanh),
  same("nn.hard_sigmoid", p.hardSigmoid),
  same("nn.hard_swish", p.hardSwish),
  same("nn.soft_sign", p.softSign),
  same("nn.glu", (x) => p.glu(x)),
  ["jnp.arctan2(x, r)", { x, r: row }, ({ x, r }) => p.atan2(x, r)],
  ["jnp.mod(x, r)", { x, r: row }, ({ x, r }) => p.mod(x, r)],
  ["jnp.fmod(x, r)", { x, r: row }, ({ x, r }) => p.rem(x, r)],
  ["jnp.floor_divide(x, r)", { x, r: row }, ({ x, r }) => p.floorDivide(x, r)],
  ["jnp.mod(c, 3)", { c: counts }, ({ c }) => p.mod(c, 3)],
  ["jnp.floor_divide(c, -3)", { c: counts }, ({ c }) => p.floorDivide(c, -3)],
  ["jnp.hypot(x, r)", { x, r: row }, ({ x, r }) => p.hypot(x, r)],
  ["jnp.logaddexp(x, r)", { x, r: row }, ({ x, r }) => p.logAddExp(x, r)],
  ["jnp.copysign(x, r)", { x, r: row }, ({ x, r }) => p.copySign(x, r)],
  ["jnp.heaviside(x, 0.5)", { x }, ({ x }) => p.heaviside(x)],
  ["jax.scipy.special.xlogy(y, y)", { y }, ({ y }) => p.xlogy(y, y)],
  ["jnp.isclose(x, x + 1e-6)", { x }, ({ x }) => p.isClose(x, x.add(1e-6))],
];

const axes: Beside[] = [
  ["jnp.var(x, axis=1)", { x }, ({ x }) => x.var(1)],
  [
    "jnp.std(x, axis=0, ddof=1, keepdims=True)",
    { x },
    ({ x }) => x.std({ axis: 0, correction: 1, keepDims: true }),
  ],
  ["jnp.argmin(x, axis=0)", { x }, ({ x }) => x.argmin(0)],
  ["jnp.any(x > 1, axis=1)", { x }, ({ x }) => x.gt(1).any(1)],
  ["jnp.all(x > -1, axis=1)", { x }, ({ x }) => x.gt(-1).all(1)],
  ["jnp.count_nonzero(c, axis=0)", { c: counts }, ({ c }) => c.countNonzero(0)],
  ["jnp.linalg.norm(x, axis=1)", { x }, ({ x }) => x.norm(1)],
  ["jnp.linalg.norm(x, ord=3, axis=0)", { x }, ({ x }) => x.norm({ axis: 0, order: 3 })],
  ["jnp.average(x, weights=y, axis=1)", { x, y }, ({ x, y }) => p.average(x, y, 1)],
  ["jnp.median(x, axis=1)", { x }, ({ x }) => x.median(1)],
  ["jnp.quantile(x, 0.3, axis=0)", { x }, ({ x }) => p.quantile(x, 0.3, 0)],
  ["jnp.ptp(x, axis=1)", { x }, ({ x }) => p.peakToPeak(x, 1)],
  ["jnp.cumprod(x, axis=1)", { x }, ({ x }) => x.cumprod(1)],
  ["lax.cummin(x, axis=0)", { x }, ({ x }) => x.cummin(0)],
  ["jnp.diff(x, n=2, axis=1)", { x }, ({ x }) => p.diff(x, 2, 1)],
  ["jnp.cov(x, rowvar=False)", { x }, ({ x }) => p.covariance(x)],
  ["jnp.tile(x, (2, 3))", { x }, ({ x }) => x.tile([2, 3])],
  ["jnp.repeat(x, 2, axis=1)", { x }, ({ x }) => x.repeat(2, 1)],
  ["jnp.roll(x, -5, axis=1)", { x }, ({ x }) => x.roll(-5, 1)],
  ["jnp.roll(x, 3)", { x }, ({ x }) => x.roll(3)],
  ["jnp.rot90(x, 3)", { x }, ({ x }) => p.rot90(x, 3)],
  ["jnp.rot90(x)", { x }, ({ x }) => p.rot90(x)],
  ["jnp.moveaxis(a, 0, 2)", { a }, ({ a }) => a.moveAxis(0, 2)],
  ["jnp.split(x, 2, axis=1)[1]", { x }, ({ x }) => x.split(2, 1)[1]],
  ...(["edge", "reflect", "symmetric", "wrap"] as const).map(
    (mode): Beside => [
      `jnp.pad(x, ((2, 1), (5, 6)), mode="${mode}")`,
      { x },
      ({ x }) =>
        p.padWith(
          x,
          [
            [2, 1],
            [5, 6],
          ],
          mode,
        ),
    ],
  ),
  ["jnp.tril(x, -1)", { x }, ({ x }) => x.tril(-1)],
  ["jnp.triu(x, 1)", { x }, ({ x }) => x.triu(1)],
  ["jnp.diag(r, 2)", { r: row }, ({ r }) => p.diag(r, 2)],
  ["jnp.diagonal(x, 1)", { x }, ({ x }) => x.diagonal(1)],
  ["jnp.trace(x)", { x }, ({ x }) => x.trace()],
  ["jnp.eye(3, 5, 1)", {}, () => constant(p.eye(3, 5, { offset: 1 }))],
  ["jnp.arange(2, 11, 3)", {}, () => constant(p.arange(2, 11, 3))],
  ["jnp.linspace(-1, 2, 6)", {}, () => constant(p.linspace(-1, 2, 6, "float64"))],
  ["jnp.logspace(0, 2, 5)", {}, () => constant(p.logspace(0, 2, 5, { dtype: "float64" }))],
  [
    "jnp.searchsorted(jnp.sort(l), x, side='right')",
    { l: list, x },
    ({ l, x }) => p.searchSorted(l.sort(), x, { side: "right" }),
  ],
  ["jnp.bincount(jnp.clip(c.ravel(), 0), length=4)", { c: counts }, ({ c }) => p.bincount(c.clip(0, 9), 4)],
  ["jnp.histogram(x, jnp.sort(l))[0]", { l: list, x }, ({ l, x }) => p.histogram(x, l.sort())],
  ["jnp.unique(c, return_counts=True, size=4)[0]", { c: counts }, ({ c }) => p.uniqueCounts(c, 4).values],
  ["jnp.unique(c, return_counts=True, size=4)[1]", { c: counts }, ({ c }) => p.uniqueCounts(c, 4).counts],
  ["jnp.interp(x, jnp.sort(l), l)", { l: list, x }, ({ l, x }) => p.interp(x, l.sort(), l)],
  ["jnp.polyval(r, x)", { r: row, x }, ({ r, x }) => p.polyval(r, x)],
  ["lax.dynamic_slice(x, (1, 9), (2, 3))", { x }, ({ x }) => p.dynamicSlice(x, p.arange(1, 10, 8), [2, 3])],
  [
    "lax.dynamic_update_slice(x, -x[:2, :2], (1, 9))",
    { x },
    ({ x }) =>
      p.dynamicUpdate(
        x,
        x
          .slice([
            [0, 2],
            [0, 2],
          ])
          .neg(),
        p.arange(1, 10, 8),
      ),
  ],
];

const spd = "a @ jnp.swapaxes(a, 1, 2) + jnp.eye(3)";
const definite = (a: Tensor): Tensor => a.matmul(a.swapAxes(1, 2)).add(p.eye(3, 3, { dtype: "float64" }));
const matrices: Beside[] = [
  ["jnp.inner(x, r)", { x, r: row }, ({ x, r }) => p.inner(x, r)],
  ["jnp.outer(r, l)", { r: row, l: list }, ({ r, l }) => p.outer(r, l)],
  [
    "jnp.tensordot(a, b, ((2, 0), (1, 0)))",
    { a, b },
    ({ a, b }) =>
      p.tensordot(a, b, [
        [2, 0],
        [1, 0],
      ]),
  ],
  ["jnp.kron(x, y)", { x, y }, ({ x, y }) => p.kron(x, y)],
  ["jnp.cross(a[0], a[1])", { a }, ({ a }) => p.cross(a.gather(0), a.gather(1))],
  ["jnp.einsum('nij,njk,nkl->il', a, a, b)", { a, b }, ({ a, b }) => p.einsum("nij,njk,nkl->il", a, a, b)],
  ["jnp.einsum('nii,nik->nk', a, b)", { a, b }, ({ a, b }) => p.einsum("nii,nik->nk", a, b)],
  [`jnp.linalg.cholesky(${spd})`, { a }, ({ a }) => p.cholesky(definite(a))],
  ["jnp.linalg.solve(a, b)", { a, b }, ({ a, b }) => p.solve(a, b)],
  [
    "jax.scipy.linalg.solve_triangular(a, b, lower=False)",
    { a, b },
    ({ a, b }) => p.triangularSolve(a, b, { upper: true }),
  ],
  ["jnp.linalg.det(a)", { a }, ({ a }) => p.det(a)],
  ["jnp.linalg.slogdet(a)[0]", { a }, ({ a }) => p.slogdet(a).sign],
  ["jnp.linalg.slogdet(a)[1]", { a }, ({ a }) => p.slogdet(a).logDet],
  ["jnp.linalg.inv(a)", { a }, ({ a }) => p.inverse(a)],
  ["jnp.linalg.matrix_power(a, 5)", { a }, ({ a }) => p.matrixPower(a, 5)],
  [`jnp.linalg.eigh(${spd})[0]`, { a }, ({ a }) => p.eigh(definite(a)).values],
  // Vectors up to their sign.
  [`jnp.abs(jnp.linalg.eigh(${spd})[1])`, { a }, ({ a }) => p.eigh(definite(a)).vectors.abs()],
  [
    "jax.grad(lambda a: jnp.linalg.det(a).sum())(a)",
    { a },
    ({ a }) => p.grad((a: Tensor) => p.det(a).sum())(a),
  ],
  [
    `jax.grad(lambda a: (jnp.linalg.cholesky(${spd}) ** 2).sum())(a)`,
    { a },
    ({ a }) => p.grad((a: Tensor) => p.cholesky(definite(a)).square().sum())(a),
  ],
];

const v = real([2, 3, 8, 7]);
const w = real([4, 3, 3, 2]);
const layers: Beside[] = [
  [
    "lax.conv_general_dilated(v[:, :, :, 0], w[:, :, :, 0], (2,), ((1, 0),), rhs_dilation=(2,))",
    { v, w },
    ({ v, w }) =>
      p.conv1d(v.slice([[], [], [], [0, 1]]).squeeze(3), w.slice([[], [], [], [0, 1]]).squeeze(3), {
        stride: 2,
        padding: [1, 0],
        dilation: 2,
      }),
  ],
  [
    "lax.conv_general_dilated(v[:, None], w[None], (1, 2, 1), ((1, 1), (0, 0), (1, 1)))",
    { v, w: real([1, 2, 3, 2]) },
    ({ v, w }) => p.conv3d(v.expandDims(1), w.expandDims(0), { stride: [1, 2, 1], padding: [1, 0, 1] }),
  ],
  [
    "lax.conv_general_dilated(v, jnp.flip(jnp.swapaxes(w, 0, 1), (2, 3)), (1, 1), ((2, 2), (1, 1)), lhs_dilation=(2, 2))",
    { v, w: real([3, 4, 3, 2]) },
    ({ v, w }) => p.convTranspose2d(v, w, { stride: 2 }),
  ],
  ["nn.standardize(x, axis=-1, epsilon=1e-5)", { x }, ({ x }) => p.layerNorm(x)],
  ["nn.standardize(v, axis=(0, 2, 3), epsilon=1e-5)", { v }, ({ v }) => p.batchNorm(v)],
  [
    "nn.standardize(v.reshape(2, 1, 168), axis=-1, epsilon=1e-5).reshape(v.shape)",
    { v },
    ({ v }) => p.groupNorm(v, 1),
  ],
  [
    "nn.softmax(jnp.where(jnp.tril(jnp.ones((3, 3), bool)), a @ jnp.swapaxes(a, 1, 2) / jnp.sqrt(3.0), -jnp.inf)) @ b",
    { a, b },
    ({ a, b }) => p.attention(a, a, b, { causal: true }),
  ],
];

describe.skipIf(!jax)("as jax.numpy gives it:", () => {
  test.each([...elements, ...axes, ...matrices, ...layers])("%s", async (expression, given, f) => {
    const inputs = Object.fromEntries(
      Object.entries(given).map(([name, { data, shape, dtype }]) => [
        name,
        { data: [...data], shape, dtype },
      ]),
    );
    const wanted = await jax.ask<{ error?: string; shape: number[]; data: number[] }>({ expression, inputs });
    expect(wanted.error).toBeUndefined();
    const tensors = Object.fromEntries(Object.entries(given).map(([name, v]) => [name, constant(v)]));
    const got = evaluate(f(tensors)) as NdArray;
    expect(got.shape).toEqual(wanted.shape);
    for (const [i, v] of [...got.data].entries())
      expect(Math.abs(v - wanted.data[i]), `element ${i}`).toBeLessThan(
        1e-11 * (1 + Math.abs(wanted.data[i])),
      );
  });
});
