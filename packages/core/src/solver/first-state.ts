// Where a run begins: nothing relaxed, nothing priced.
import { type Backend, full, type NdArray } from "@pliant/engine";
import { firstInner } from "../algorithms/inner-loop.js";
import { firstPace } from "../dual-rates/dual-step-size.js";
import { firstNoise } from "../dual-rates/minibatch-noise.js";
import type { Arrangement } from "../layout/constraint-layout.js";
import type { Optimizer } from "../optimizers/optimizer.js";
import { checkSeen } from "./finite.js";
import { firstNewton } from "./newton-loop.js";
import { usualSlope } from "./slope.js";
import type { SolverState } from "./state.js";

export async function firstState<P, D, N extends string>(
  params: P,
  arranged: Arrangement<P, D, N>,
  data: unknown,
  {
    rates,
    optimizer,
    byNewton,
    batch,
    dualRate,
    inner,
    backend,
  }: {
    readonly rates: readonly NdArray[];
    readonly optimizer: Optimizer;
    readonly byNewton: boolean;
    readonly batch?: unknown;
    readonly dualRate?: unknown;
    readonly inner: number;
    readonly backend: Backend;
  },
): Promise<SolverState> {
  const { dtype, start } = arranged;
  const zeros = () => arranged.vectors(() => 0);
  const scale = full([], await usualSlope(params, arranged, data, backend), dtype);
  const isNoisy = batch !== undefined && dualRate === undefined;
  const state = {
    params,
    optimizer: byNewton ? [] : optimizer.init(params),
    relaxations: zeros(),
    prices: zeros(),
    pace: firstPace(rates, scale, isNoisy ? firstNoise(zeros(), params, full([], 0, dtype)) : []),
    inner: byNewton ? firstNewton(zeros()) : firstInner(inner, params, zeros()),
    step: 0,
  };
  await checkSeen({ "the objective": [start.objective], ...start.losses }, state);
  return state;
}
