// The steps of a run: before the first round a survey, where the scale of the columns is to be agreed; after the last one an
// evaluation, where rows are held out or grouped. Each is one exchange, with the same secure sum as any other.
import { InputError } from "@pliant/core";
import { numberColumns } from "../tables/encoding.js";
import type { GroupPrices } from "../tables/group-prices.js";
import { noPrices } from "../tables/group-prices.js";
import type { Scale } from "./data-spec.js";
import type { FederationSpec } from "./spec.js";

export type Stage = "survey" | "training" | "evaluation";

/** What sites are told beside the model. Its bytes are part of the model's blob, so the statement of an exchange binds it. */
export interface Agreed {
  readonly stage: Stage;
  /** Once the survey is done. */
  readonly scale?: Scale;
  /** Where groups have requirements. */
  readonly groups?: GroupPrices;
}

const hasSurvey = ({ data: { scale } }: FederationSpec): boolean => scale === "agreed";

/** Not of private records: its sums have no noise. */
const hasEvaluation = ({ data: { test, groups }, privacy }: FederationSpec): boolean =>
  privacy === undefined && (test !== undefined || groups !== undefined);

/** Whether sites are told the stage, and what was agreed, beside the model. */
export const isStaged = (spec: FederationSpec): boolean => hasSurvey(spec) || hasEvaluation(spec);

/** What the survey finds: of each number, and a spread that is not lost in the rounding of its centre. */
function checkScale(spec: FederationSpec, scale: Scale): void {
  const names = hasSurvey(spec) ? numberColumns(spec.data) : [];
  const isFound = (name: string) => {
    const [centre, spread] = Object.hasOwn(scale, name) ? scale[name] : [Number.NaN, Number.NaN];
    return Math.abs(centre) < 1e37 && spread < 1e37 && (spread === 1 || spread >= 0.9e-6 * Math.abs(centre));
  };
  if (Object.keys(scale).length !== names.length || !names.every(isFound))
    throw new InputError("The coordinator tells a scale of the columns that no survey by this spec finds.");
}

/** A stage that the spec does not have, or a survey after the scale was agreed, would tell what nobody agreed to. */
export function checkStage(spec: FederationSpec, { stage, scale }: Agreed): void {
  const known =
    stage === "training"
      ? !hasSurvey(spec) || scale !== undefined
      : stage === "survey"
        ? hasSurvey(spec) && scale === undefined
        : hasEvaluation(spec) && (!hasSurvey(spec) || scale !== undefined);
  if (!known)
    throw new InputError(`The coordinator asks for a step (${stage}) that the spec does not have here.`);
  if (scale) checkScale(spec, scale);
}

/** What sites are told first; nothing where all steps are rounds. */
export const firstAgreed = (spec: FederationSpec): Agreed | undefined => {
  const { groups } = spec.data;
  if (!isStaged(spec)) return undefined;
  return { stage: stageAfter(spec, 0), ...(groups?.loss !== undefined && { groups: noPrices(groups) }) };
};

/** Steps in all: survey, rounds, evaluation. */
export const stepsOf = (spec: FederationSpec): number =>
  spec.training.rounds + Number(hasSurvey(spec)) + Number(hasEvaluation(spec));

/** The stage after so many steps, not counting those that were abandoned. */
export function stageAfter(spec: FederationSpec, steps: number): Stage {
  const rounds = steps - Number(hasSurvey(spec));
  if (rounds < 0) return "survey";
  return rounds >= spec.training.rounds && hasEvaluation(spec) ? "evaluation" : "training";
}

/** Sums without noise after so many steps: some are opened once, and none is taken in parts. */
export function exactSum(spec: FederationSpec, steps: number, part: number): "once" | "whole" | undefined {
  if (stageAfter(spec, steps) !== "training") return "once";
  return spec.data.groups?.loss !== undefined && part === 0 ? "whole" : undefined;
}

/** A step of the run as a step of training, which counts from 0. */
export const trainingStep = (spec: FederationSpec, step: number): number => step - Number(hasSurvey(spec));

/** Rounds done after so many steps. */
export const roundsAfter = (spec: FederationSpec, steps: number): number =>
  Math.min(spec.training.rounds, Math.max(0, trainingStep(spec, steps)));
