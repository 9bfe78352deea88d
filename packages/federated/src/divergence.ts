// A federation that runs away, told with what to change.
import { PliantError } from "@pliant/core";
import type { Solver } from "./solvers.js";
import type { SimulationState } from "./state.js";

/** The state before the round that went wrong is kept. */
export class FederationDiverged extends PliantError {
  override readonly name = "FederationDiverged";
  constructor(
    message: string,
    readonly lastGood: SimulationState,
  ) {
    super(message);
  }
}

/** What the round before showed. */
export interface LastRound {
  readonly meanLoss: number;
  readonly weights: readonly number[];
  readonly before: SimulationState;
}

const smaller = "Try a smaller local rate, or clip the gradients (local.clip).";
const remedy =
  "Lower the dual rate, cap the prices (constrained's cap), or let requirements give way (resilient).";

/**
 * Stops a run whose losses are no numbers, or that climbs: with a negative weight w_c = 1 + λ_c − λ̄ the server moves against
 * client c, whose loss has no upper bound. Few and small ones are part of the method; they are the cause when the mean loss
 * more than doubles, beyond that of guessing, in a round that had them. What guessing costs is known of cross-entropy alone.
 */
export function checkProgress(
  participants: readonly number[],
  losses: readonly number[],
  meanLoss: number,
  guessing: number,
  state: SimulationState,
  last?: LastRound,
): void {
  const negative = last?.weights.filter((w) => w < 0) ?? [];
  const kept = last?.before ?? state;
  const bad = losses.findIndex((loss) => !Number.isFinite(loss));
  const climbs = negative.length > 0 && meanLoss > 2 * last!.meanLoss && meanLoss > guessing;
  if (bad < 0 && !climbs) return;
  const what =
    bad >= 0
      ? `the loss of client ${participants[bad]} is not a finite number`
      : `the mean loss went from ${short(last!.meanLoss)} to ${short(meanLoss)}`;
  const why =
    negative.length > 0
      ? `${negative.length} of ${last!.weights.length} clients had a negative weight 1 + λ_c − λ̄ (down to ${short(Math.min(...negative))}), so the server moved against them. ${remedy}`
      : smaller;
  throw new FederationDiverged(`After round ${state.step} ${what}: ${why}`, kept);
}

/** Where an update fits no sum of whole numbers. */
export const updatesRanAway = (state: SimulationState): FederationDiverged =>
  new FederationDiverged(
    `In round ${state.step + 1} an update has coordinates that are no finite numbers, or too large for a sum in fixed point: ${smaller}`,
    state,
  );

const short = (x: number): string => String(Number(x.toPrecision(3)));

/** Stops where the solver has no use for the negative weights it would get. */
export function checkWeights(
  weights: readonly number[],
  { refusesNegativeWeights }: Solver,
  state: SimulationState,
): void {
  const least = Math.min(...weights);
  if (!(least < 0) || !refusesNegativeWeights) return;
  throw new FederationDiverged(
    `After round ${state.step} a client has the weight ${short(least)}: ${refusesNegativeWeights}. ${remedy}`,
    state,
  );
}
