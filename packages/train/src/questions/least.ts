// The least value that a linear model can reach of a convex requirement: solved alone, without the objective and without the other
// requirements. No weights meet a level below it, so there is no cost of insisting to measure.
import { atMost, createSolver, free, minimise, type SolverState, solveWith } from "@pliant/core";
import { type Backend, full, type NdArray, type Tensor } from "@pliant/engine";
import type { Params } from "@pliant/learn";
import { everyFor, stepsFor } from "../fit/budget.js";
import { solverOptions } from "../fit/solving.js";
import type { Looks } from "../problem/measure.js";
import type { Training } from "../problem/prepare.js";
import type { Batch } from "../problem/problem.js";
import type { Stated } from "../problem/stated.js";
import type { Spec } from "../spec/spec.js";

interface Least {
  readonly spec: Spec;
  readonly training: Training;
  readonly seen: Batch<NdArray>;
  readonly backend: Backend;
}

/** Whether its minimum bounds what any weights reach: one convex value of a linear model, asked to be small. */
const isBounded = ({ metric, base, worst, perExample, sense }: Stated, { model }: Spec): boolean =>
  model.kind === "linear" &&
  metric.convex === true &&
  metric.level === "trained" &&
  !base &&
  !worst &&
  !perExample &&
  sense === "at most";

/** Undefined where the minimum is not known to be one, or was not reached. */
export async function leastOf(
  stated: Stated,
  params: Params,
  { spec, training, seen, backend }: Least,
): Promise<number | undefined> {
  if (!isBounded(stated, spec)) return undefined;
  const { problem } = training.task;
  const { loss } = problem.requirements[stated.name];
  const value = (looks: Looks, of: Batch<Tensor>): Tensor => {
    const found = loss(looks, of);
    return (typeof found === "object" && "value" in found ? found.value : found) as Tensor;
  };
  const alone = minimise({ params: problem.params, forward: problem.forward, objective: value }).subjectTo({
    [stated.name]: atMost(0, value, { cost: free }),
  });
  const solver = await createSolver(
    alone,
    solverOptions(spec, { ...seen, decay: full([], 0) }, backend) as never,
  );
  try {
    const state = { ...solver.initial, params } as SolverState;
    const { certificate, report } = await solveWith(solver, {
      steps: stepsFor(spec, seen.x.shape[0]),
      every: everyFor(spec),
      state,
    });
    return certificate.holds ? report.objective : undefined;
  } finally {
    solver.release();
  }
}
