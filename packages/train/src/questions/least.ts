// The smallest value of a requirement that a model reaches: solved alone, without the objective and the other requirements. For a linear
// model and a convex requirement it is a minimum: no weights meet a level below it. A network may reach less than it was trained to, but
// what it does not meet alone it does not meet beside others. Either way there is no cost of insisting to measure.
import { atMost, createSolver, free, isSettled, minimise, type SolverState, solveWith } from "@pliant/core";
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
  /** Default: its own. */
  readonly level?: Stated["level"];
}

/** The least that was reached, and whether it is the minimum. */
export interface LeastReached {
  readonly value: number;
  readonly isMinimum: boolean;
}

/** One convex value of what the model gives, asked to be small. */
const isOneValue = ({ metric, base, worst, perExample, sense }: Stated): boolean =>
  metric.convex === true &&
  metric.level === "trained" &&
  !base &&
  !worst &&
  !perExample &&
  sense === "at most";

/** Undefined where it is not known, or a network meets the level. */
export async function leastOf(
  stated: Stated,
  params: Params,
  { spec, training, seen, backend, level = stated.level }: Least,
): Promise<LeastReached | undefined> {
  if (!isOneValue(stated) || typeof level !== "number") return undefined;
  const isLinear = spec.model.kind === "linear";
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
    const [steps, every] = [stepsFor(spec, seen.x.shape[0]), everyFor(spec)];
    if (isLinear) {
      const { certificate, report } = await solveWith(solver, { steps, every, state });
      return certificate.holds ? { value: report.objective, isMinimum: true } : undefined;
    }
    let found = await solver.inspect(state);
    let value = found.report.objective;
    while (value > level && found.steps < steps && !isSettled(found.certificate)) {
      found = await solver.next(found, every);
      value = Math.min(value, found.report.objective);
    }
    return value > level ? { value, isMinimum: false } : undefined;
  } finally {
    solver.release();
  }
}
