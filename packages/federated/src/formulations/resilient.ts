// The requirement R_c − R̄ ≤ ε of every client: resilient, constrained, or left out.
import { InputError } from "@pliant/core";
import {
  belowLevel,
  clientWeight,
  constrainedStep,
  exactStep,
  explicitStep,
  meanPriceForWeights,
  slack,
  wantedPrices,
} from "../client.js";
import type { MaximumNorm, RelaxationCost } from "../costs.js";
import { waterLevels } from "../server.js";
import {
  type Asking,
  type Duals,
  type Formulation,
  type Judged,
  revisedBy,
  type Told,
  unchanged,
  type Vector,
} from "./formulation.js";

/** The requirement R_c − R̄ ≤ ε, and how fast its prices move. */
export interface RequirementOptions {
  /** ε: no client's loss above the mean by more than this. */
  readonly level: number;
  /** η_λ, which is divided by the number of clients. */
  readonly dualRate: number;
  /** What the level bounds instead of the loss, such as `errorRate`: it drives prices, and training follows the loss. */
  readonly of?: Judged;
  /** No price above this. */
  readonly cap?: number;
  /** What a client without a price counts at the least, whatever λ̄ is; see `meanPriceForWeights`. */
  readonly leastWeight?: number;
}

/** Of `resilient`. */
export interface ResilientOptions extends RequirementOptions {
  /** h of one client, ∇h(u_c) = λ_c at equilibrium; see `relaxationCost`. */
  readonly cost: RelaxationCost;
  /** η_u of the published explicit step, divided by the number of clients. Without it u is the exact minimiser. */
  readonly relaxationRate?: number;
}

/** Of `constrained`; a cap is the baseline's heuristic. */
export type ConstrainedOptions = RequirementOptions;

const priced =
  (leastWeight: number | undefined) =>
  (duals: Duals, _: Vector, { meanPrice, shares }: Told): Vector => {
    const mean = meanPriceForWeights(meanPrice, leastWeight);
    return duals.prices.map((price, c) => clientWeight(price, mean, shares?.[c]));
  };

/** Without prices: the same for every client, or for every sample. */
export const evenly = (duals: Duals, _: Vector, { shares }: Told): Vector =>
  duals.prices.map((_, c) => shares?.[c] ?? 1);

function* slacksOf(losses: Vector, level: number, { shares }: Told): Asking<Vector> {
  const meanLoss = yield shares ? losses.map((loss, c) => shares[c] * loss) : losses;
  return losses.map((loss) => slack(loss, meanLoss, level));
}

const isMaximum = (cost: RelaxationCost): cost is MaximumNorm => "maximum" in cost;

/** min R̄ + (1/C) Σ h(u_c) s.t. R_c − R̄ − ε ≤ u_c: requirements give way where they cost most. */
export function resilient(options: ResilientOptions): Formulation {
  const { level, dualRate, cost, relaxationRate, of, cap, leastWeight } = options;
  checkRequirement(options);
  if (cap !== undefined && (isMaximum(cost) || relaxationRate !== undefined))
    throw new InputError("A cap on prices needs the exact step and a cost of its own for each client.");
  if (relaxationRate !== undefined) checkPositive("relaxationRate", relaxationRate);
  if (isMaximum(cost) && relaxationRate !== undefined)
    throw new InputError(
      "The maximum norm has no gradient where several clients give way alike; leave out relaxationRate.",
    );
  if (!isMaximum(cost) && !cost.separable)
    throw new InputError(
      `${cost.name} is not a sum over clients, so no client can relax by itself; of such costs a federation knows maximumNorm(α).`,
    );
  const revised = revisedBy(1, function* (duals, losses, told) {
    const slacks = yield* slacksOf(losses, level, told);
    const dual = dualRate / told.clients;
    if (isMaximum(cost)) return yield* maximumStep(cost, duals, slacks, dual, told);
    if (relaxationRate === undefined) return exactStep(cost, duals, slacks, dual, cap);
    return explicitStep(cost, duals, slacks, { dual, relaxation: relaxationRate / told.clients });
  });
  return {
    name: "resilient",
    initialPrice: 0,
    level,
    judged: of,
    ...revised,
    ...(isMaximum(cost) && { revising: undefined, refusesNetwork: manyAverages }),
    weigh: priced(leastWeight),
  };
}

/**
 * min R̄ + α max_c u_c: the exact step, with the level of the prices that all clients must keep to, together. Prices of
 * absent clients stay, so the participants share what those leave of the budget λ̄ ≤ α.
 */
function* maximumStep(
  { maximum }: MaximumNorm,
  { prices }: Duals,
  slacks: Vector,
  dualRate: number,
  { clients, participants, meanPrice }: Told,
): Asking<Duals> {
  const wanted = wantedPrices(prices, slacks, dualRate);
  const spare = ((maximum - meanPrice) * clients) / participants;
  const budget = Math.max(0, spare + (yield prices));
  return belowLevel(wanted, yield* waterLevels(wanted, budget), dualRate);
}

const manyAverages =
  "the maximum norm asks all clients for up to 400 averages in a round, each an exchange of its own; choose a cost that is a sum over clients, such as relaxationCost({ alpha })";

/** min R̄ s.t. R_c − R̄ ≤ ε, by dual ascent. */
export function constrained(options: ConstrainedOptions): Formulation {
  const { level, dualRate, cap, of, leastWeight } = options;
  checkRequirement(options);
  return {
    name: "constrained",
    initialPrice: 0,
    level,
    judged: of,
    ...revisedBy(1, function* (duals, losses, told) {
      return constrainedStep(duals, yield* slacksOf(losses, level, told), dualRate / told.clients, cap);
    }),
    weigh: priced(leastWeight),
  };
}

/** min R̄: every client counts the same, or every sample. */
export const unconstrained = (): Formulation => ({
  name: "unconstrained",
  initialPrice: 0,
  ...unchanged,
  weigh: evenly,
});

export function checkPositive(name: string, value: number): void {
  if (!(value > 0 && Number.isFinite(value)))
    throw new InputError(`${name} must be a positive number, got ${value}.`);
}

function checkRequirement({ level, dualRate, cap, leastWeight }: RequirementOptions): void {
  if (!Number.isFinite(level)) throw new InputError(`level (ε) must be a finite number, got ${level}.`);
  checkPositive("dualRate", dualRate);
  if (cap !== undefined) checkPositive("cap", cap);
  if (leastWeight !== undefined && !(leastWeight > 0 && leastWeight <= 1))
    throw new InputError(`leastWeight must be above 0 and at most 1, got ${leastWeight}.`);
}
