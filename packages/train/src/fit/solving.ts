// The solver that a spec asks for.

import type { SolverOptions } from "@pliant/core";
import { type Backend, mapTree, type NdArray, type Tensor } from "@pliant/engine";
import type { Batch } from "../problem/problem.js";
import type { Spec } from "../spec/spec.js";
import { optimizerFor, stepsFor, toleranceFor } from "./budget.js";
import { hasKinks } from "./kinks.js";

export function solverOptions(
  spec: Spec,
  seen: Batch<NdArray>,
  backend: Backend,
): SolverOptions<Batch<Tensor>> {
  const { batch, priceRate } = spec.budget;
  return {
    data: mapTree(seen, (a: NdArray) => backend.put(a)) as never,
    ...(batch !== undefined && { batch: { size: batch, seed: spec.seed } }),
    optimizer: optimizerFor(spec, stepsFor(spec, seen.x.shape[0])),
    ...(priceRate !== undefined && { dualRate: priceRate }),
    tolerance: toleranceFor(spec),
    kinks: hasKinks(spec),
    backend,
  };
}
