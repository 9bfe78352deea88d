// What a site believes of what it is shown. Means that no honest sites can have, or a round that the spec does not have, are a
// coordinator's lie: the site refuses before it trains.
import { InputError } from "@pliant/core";
import type { ShownMessage } from "../protocol/index.js";
import { type FederationSpec, largestPrice, plannedOf } from "../spec/spec.js";
import { type Agreed, checkStage, stepsOf } from "../spec/stages.js";

/** Steps that a site takes part in at the most: those of the spec, and as many again, or 100, for abandoned rounds. */
export const mostSteps = (spec: FederationSpec): number => {
  const steps = stepsOf(spec);
  return steps + Math.max(steps, 100);
};

/** Sums of one step: otherwise a coordinator could ask for any number of them about models of its choice. */
function checkExchange(
  spec: FederationSpec,
  { exchange, answers }: Pick<ShownMessage, "exchange" | "answers">,
  stage: Agreed["stage"],
): void {
  const plan = stage === "training" ? plannedOf(spec) : [{ numbers: [] }];
  if (exchange >= plan.length)
    throw new InputError(
      `The coordinator asks for sum ${exchange + 1} of a step; by the spec it has ${plan.length}.`,
    );
  const told = plan.slice(0, exchange).flatMap(({ numbers }) => numbers.filter((n) => typeof n === "object"));
  if (answers.length !== told.length)
    throw new InputError(
      `The coordinator tells ${answers.length} means where the spec has ${told.length}; this site does not go on.`,
    );
}

/** A stage before its time, or prices of groups that no honest sites have, would let a coordinator choose whose rows count. */
export function checkAgreed(spec: FederationSpec, { stage, groups }: Agreed, step: number): void {
  if (stage === "evaluation" && step < stepsOf(spec) - 1)
    throw new InputError(`The coordinator asks for the evaluation before the last round (step ${step + 1}).`);
  if (!groups) return;
  const { prices, relaxations, rows, sites } = groups;
  const count = spec.data.groups?.values.length ?? 0;
  const all = rows.at(-1) ?? 0;
  const cost = spec.data.groups?.cost;
  const dearest = spec.sites.lossBound * (cost === undefined || cost === "hard" ? Infinity : cost.alpha);
  const isCount = (n: number) => Number.isSafeInteger(n) && n >= 0;
  const possible =
    prices.length === count &&
    relaxations.length === count &&
    rows.length === count + 1 &&
    rows.every(isCount) &&
    rows.slice(0, -1).reduce((sum, n) => sum + n, 0) <= all &&
    isCount(sites) &&
    sites <= Math.min(spec.sites.number, all) &&
    (sites === 0 ? prices.every((price) => price === 0) : sites >= spec.sites.least) &&
    prices.every((price) => price >= 0 && price <= dearest);
  if (!possible)
    throw new InputError("The coordinator tells prices or counts of groups that no honest sites have.");
}

/** All that a site refuses before it has looked at its rows; after that nothing is refused. */
export function checkAsked(spec: FederationSpec, shown: ShownMessage, agreed: Agreed | undefined): void {
  checkShown(spec, shown, agreed?.stage);
  if (!agreed) return;
  checkStage(spec, agreed);
  checkAgreed(spec, agreed, shown.step);
}

/** Refuses what cannot be. Noise on private losses may carry their mean beyond any bound, so there means are not checked. */
export function checkShown(
  spec: FederationSpec,
  { step, exchange, meanPrice, answers }: Pick<ShownMessage, "step" | "exchange" | "meanPrice" | "answers">,
  stage: Agreed["stage"] = "training",
): void {
  checkExchange(spec, { exchange, answers }, stage);
  const { lossBound } = spec.sites;
  const most = mostSteps(spec);
  if (step >= most)
    throw new InputError(
      `The coordinator asks for step ${step + 1}; with abandoned rounds this site takes part in ${most} at the most.`,
    );
  // Rounding in fixed point.
  const slack = 1e-6 * lossBound;
  for (const mean of answers)
    if (!spec.privacy && !(mean >= -slack && mean <= lossBound + slack))
      throw new InputError(
        `The coordinator says that the mean loss is ${mean}; it is between 0 and sites.lossBound, ${lossBound}.`,
      );
  const dearest = largestPrice(spec, most);
  if (!(meanPrice >= -slack && meanPrice <= dearest + slack))
    throw new InputError(
      `The coordinator says that the mean price is ${meanPrice}; by the spec it is between 0 and ${dearest}.`,
    );
}
