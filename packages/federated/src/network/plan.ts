// Which exchanges a round consists of where clients are apart. Every exchange is one sum over the participants; the numbers
// that prices need ride with the updates, so that a round rarely has more exchanges than communication rounds.
import { InputError } from "@pliant/core";
import type { Formulation } from "../formulations/index.js";
import type { LocalOptions } from "../local.js";
import { checkOptions } from "../options.js";
import type { ServerOptimizer } from "../server-optimizer.js";
import type { Solver } from "../solvers.js";
import type { Weighting } from "../weighting.js";

/** What the exchanges of a round follow from. */
export interface PlanOptions {
  readonly formulation: Formulation;
  readonly solver: Solver;
  readonly communicationRounds: number;
  readonly timing: "published" | "fresh";
  readonly local: LocalOptions;
  /** η_g. */
  readonly serverRate: number;
  /** Samples cannot count alike here; see `checkNetwork`. */
  readonly weighting?: Weighting;
  /** How the server moves by the mean update, if not by itself. */
  readonly server?: ServerOptimizer;
}

/** A number that rides along: an average the formulation asks for, the loss, the price before and after, q-FedAvg's h_c. */
export type Riding = { readonly ask: number } | "loss" | "price before" | "price after" | "fair";

/** One exchange of a round: whether updates are sent, and which numbers ride along. */
export interface Exchanged {
  /** The communication round of this round, where updates are sent. */
  readonly communication?: number;
  readonly numbers: readonly Riding[];
}

/**
 * As published, number k rides with communication round k: the losses with the first, prices once all that they depend on is
 * known. With fresh prices all numbers go first.
 */
export function planned({
  formulation,
  communicationRounds,
  timing,
}: Pick<PlanOptions, "formulation" | "communicationRounds" | "timing">): Exchanged[] {
  const asks = formulation.revising?.asks ?? 0;
  const queue: Riding[][] = Array.from({ length: asks }, (_, ask) => [{ ask }]);
  if (asks === 0) queue.push(["loss"]);
  else queue.push(["price before", "price after"]);
  const fair: Riding[] = formulation.fairness === undefined ? [] : ["fair"];
  const ahead = timing === "fresh" && asks > 0 ? queue.length : 0;
  const length = Math.max(queue.length, ahead + communicationRounds);
  return Array.from({ length }, (_, e) => {
    const communication = e - ahead;
    const updates = communication >= 0 && communication < communicationRounds;
    return {
      ...(updates && { communication }),
      numbers: [...(queue[e] ?? []), ...(updates ? fair : [])],
    };
  });
}

/** Refuses what clients that are apart cannot do with sums alone, or where one of them may be away. */
export function checkNetwork({ formulation, solver, communicationRounds, ...more }: PlanOptions): void {
  const cannot = (why: string) =>
    new InputError(`"${formulation.name}" cannot run between machines: ${why}.`);
  if (formulation.refusesNetwork) throw cannot(formulation.refusesNetwork);
  if (!formulation.revising)
    throw cannot("it does not say which averages it asks for; build its update with revisedBy");
  if (solver.refusesAbsence)
    throw new InputError(
      `${solver.refusesAbsence}, but a site may be away; choose another solver for a federation of machines.`,
    );
  if (more.weighting === "samples")
    throw new InputError(
      "Between machines every site counts the same: how many samples each has is not told, so R̄ cannot be the mean over samples. Leave out weighting.",
    );
  checkOptions(more, { formulation, solver, communicationRounds, absent: true });
}
