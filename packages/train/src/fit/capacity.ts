// Capacity before requirements. An overfitted model feels no price, and what it reaches on its training rows it does not reach on
// other rows. So where rows for validation are given and no decay is, a few decays are tried without requirements, and the one
// whose model ends with the least loss on those rows is taken. That model is an end, not a moment: a decay under which training
// would have to be stopped early is no equilibrium to price anything at. Prices weigh losses up and so the decay down; where rows
// are then overfitted all the same, the run begins again with more of it.

import { atMost, createSolver, free, isSettled, minimise } from "@pliant/core";
import type { Backend } from "@pliant/engine";
import type { Progress } from "@pliant/learn/runs";
import { meanLoss } from "../problem/objective.js";
import type { Training } from "../problem/prepare.js";
import { judged, type Task } from "../problem/problem.js";
import type { Spec } from "../spec/spec.js";
import { everyFor } from "./budget.js";
import { foldedDecay, isFolded } from "./decay.js";
import { solverOptions } from "./solving.js";

export interface Capacity {
  readonly decay: number;
  /** Those that were tried, with the loss on validation rows. */
  readonly tried?: readonly { readonly decay: number; readonly loss: number }[];
  /** The same with the loss on a fold of the training rows. */
  readonly folded?: readonly { readonly decay: number; readonly loss: number }[];
}

/** From much to none; of equals the first is taken. */
const decays = [0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 0];
/** Under prices only. */
const beyond = [0.1, 0.3];

/** Enough to see where the loss on new rows ends. */
const looks = 8;
/** Where it has risen so far above its least, rows are being overfitted. */
const lost = 1.25;

const watched = "validation loss";

/** Networks that separate their rows have no best weights without one. */
const usual = ({ model, objective }: Spec): number =>
  model.kind === "linear" || objective.loss === "parameter-size" ? 0 : 1e-3;

/** As the spec says; else chosen on validation rows, where there are some. */
export async function capacityFor(
  spec: Spec,
  training: Training,
  { backend, progress }: { backend: Backend; progress: Progress },
): Promise<Capacity> {
  const { task, prepared } = training;
  const { decay } = spec.objective;
  if (isFolded(spec, training)) return foldedDecay(spec, training, { backend, show: progress.show });
  if (decay !== undefined || !prepared.validation) return { decay: decay ?? usual(spec) };
  try {
    return await chooseDecay(spec, task, { backend, show: progress.show });
  } finally {
    progress.end();
  }
}

/** The loss on validation rows without requirements, where it is the one that reports have, and was seen at this decay. */
export function lossWithout({ objective, data }: Spec, { decay, tried = [] }: Capacity): number | undefined {
  const { loss = "cross-entropy" } = objective;
  const alike = loss === "cross-entropy" || loss === "squared-error";
  if (!alike || data.weights !== undefined || data.balance !== undefined) return undefined;
  return tried.find((one) => one.decay === decay)?.loss;
}

/** The next larger decay, where it is ours to choose. */
export function withMore({ decay, tried }: Capacity): Capacity | undefined {
  const more = [...decays, ...beyond].filter((one) => one > decay);
  return tried && more.length > 0 ? { decay: Math.min(...more), tried } : undefined;
}

async function chooseDecay(
  spec: Spec,
  task: Task,
  { backend, show }: { backend: Backend; show(line: string): void },
): Promise<Capacity> {
  const { params, forward, objective } = task.problem;
  const plain = minimise({ params, forward, objective }).subjectTo({
    [watched]: atMost(0, meanLoss(spec), { stream: judged, cost: free }),
  });
  const every = 2 * everyFor(spec);
  const tried: { decay: number; loss: number }[] = [];
  for (const decay of decays) {
    const solver = await createSolver(plain, {
      ...solverOptions(spec, await task.solvedOn(decay), backend),
      tolerance: 1e-2,
    });
    let found = await solver.inspect(solver.initial);
    let least = Number.POSITIVE_INFINITY;
    let loss = Number.POSITIVE_INFINITY;
    while (found.steps < looks * every && !isSettled(found.certificate) && loss <= lost * least) {
      found = await solver.next(found, every);
      loss = found.report.requirements[watched].reached;
      least = Math.min(least, loss);
    }
    solver.release();
    tried.push({ decay, loss });
    show(`decay ${decay}: loss ${loss.toFixed(4)} on the validation rows`);
    // Past the best, less decay only overfits more.
    const best = Math.min(...tried.map((one) => one.loss));
    if (tried.slice(-2).length === 2 && tried.slice(-2).every((one) => one.loss > best * 1.02)) break;
  }
  return { decay: bestOf(tried), tried };
}

/** The largest decay that is as good as any. */
export const bestOf = (tried: NonNullable<Capacity["tried"]>): number =>
  tried.reduce((a, b) => (b.loss < a.loss * 0.999 ? b : a)).decay;
