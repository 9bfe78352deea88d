// The requirement R_c − R̄ ≤ ε of every client: resilient, constrained, or left out.
import { InputError } from "pliant";
import {
  belowLevel,
  clientWeight,
  constrainedStep,
  exactStep,
  explicitStep,
  slack,
  wantedPrices,
} from "../client.js";
import type { MaximumNorm, RelaxationCost } from "../costs.js";
import { waterLevel } from "../server.js";
import type { Duals, Exchange, Formulation, Vector } from "./formulation.js";

export interface RequirementOptions {
  /** ε: no client's loss above the mean by more than this. */
  readonly level: number;
  /** η_λ, which is divided by the number of clients. */
  readonly dualRate: number;
}

export interface ResilientOptions extends RequirementOptions {
  /** h of one client, ∇h(u_c) = λ_c at equilibrium; see `relaxationCost`. */
  readonly cost: RelaxationCost;
  /** η_u of the published explicit step, divided by the number of clients. Without it u is the exact minimiser. */
  readonly relaxationRate?: number;
}

export interface ConstrainedOptions extends RequirementOptions {
  /** No price above this, the baseline's heuristic. */
  readonly cap?: number;
}

const priced = (duals: Duals, { meanPrice }: Exchange): Vector =>
  duals.prices.map((price) => clientWeight(price, meanPrice));

const slacksOf = (losses: Vector, level: number, { average }: Exchange): Vector => {
  const meanLoss = average(losses);
  return losses.map((loss) => slack(loss, meanLoss, level));
};

const isMaximum = (cost: RelaxationCost): cost is MaximumNorm => "maximum" in cost;

/** min R̄ + (1/C) Σ h(u_c) s.t. R_c − R̄ − ε ≤ u_c: requirements give way where they cost most. */
export function resilient({ level, dualRate, cost, relaxationRate }: ResilientOptions): Formulation {
  checkRequirement({ level, dualRate });
  if (relaxationRate !== undefined) checkPositive("relaxationRate", relaxationRate);
  if (isMaximum(cost) && relaxationRate !== undefined)
    throw new InputError(
      "The maximum norm has no gradient where several clients give way alike; leave out relaxationRate.",
    );
  if (!isMaximum(cost) && !cost.separable)
    throw new InputError(
      `${cost.name} is not a sum over clients, so no client can relax by itself; of such costs a federation knows maximumNorm(α).`,
    );
  const update = (duals: Duals, losses: Vector, exchange: Exchange): Duals => {
    const slacks = slacksOf(losses, level, exchange);
    const dual = dualRate / exchange.clients;
    if (isMaximum(cost)) return maximumStep(cost, duals, slacks, dual, exchange);
    if (relaxationRate === undefined) return exactStep(cost, duals, slacks, dual);
    return explicitStep(cost, duals, slacks, { dual, relaxation: relaxationRate / exchange.clients });
  };
  return {
    name: "resilient",
    initialPrice: 0,
    level,
    update,
    weigh: (duals, _, told) => priced(duals, told),
  };
}

/**
 * min R̄ + α max_c u_c: the exact step, with the level of the prices that all clients must keep to, together. Prices of
 * absent clients stay, so the participants share what those leave of the budget λ̄ ≤ α.
 */
function maximumStep(
  { maximum }: MaximumNorm,
  { prices }: Duals,
  slacks: Vector,
  dualRate: number,
  { clients, participants, meanPrice, average }: Exchange,
): Duals {
  const wanted = wantedPrices(prices, slacks, dualRate);
  const spare = ((maximum - meanPrice) * clients) / participants;
  return belowLevel(wanted, waterLevel(wanted, Math.max(0, spare + average(prices)), average), dualRate);
}

/** min R̄ s.t. R_c − R̄ ≤ ε, by dual ascent. */
export function constrained({ level, dualRate, cap }: ConstrainedOptions): Formulation {
  checkRequirement({ level, dualRate });
  if (cap !== undefined) checkPositive("cap", cap);
  return {
    name: "constrained",
    initialPrice: 0,
    level,
    update: (duals, losses, exchange) =>
      constrainedStep(duals, slacksOf(losses, level, exchange), dualRate / exchange.clients, cap),
    weigh: (duals, _, told) => priced(duals, told),
  };
}

/** min R̄: every client counts the same. */
export const unconstrained = (): Formulation => ({
  name: "unconstrained",
  initialPrice: 0,
  update: (duals) => duals,
  weigh: (duals) => duals.prices.map(() => 1),
});

export function checkPositive(name: string, value: number): void {
  if (!(value > 0 && Number.isFinite(value)))
    throw new InputError(`${name} must be a positive number, got ${value}.`);
}

function checkRequirement({ level, dualRate }: RequirementOptions): void {
  if (!Number.isFinite(level)) throw new InputError(`level (ε) must be a finite number, got ${level}.`);
  checkPositive("dualRate", dualRate);
}
