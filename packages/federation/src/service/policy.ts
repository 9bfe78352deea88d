// What a site insists on, whatever a spec says: floors of its own, and terms that a person reads before the site joins.
import { InputError } from "@pliant/core";
import { z } from "zod";
import { type DataSpec, isRegression } from "../spec/data-spec.js";
import { type FederationSpec, leastWeightOf } from "../spec/spec.js";

export const policySchema = z.strictObject({
  /** Sums in the open are refused. */
  secureOnly: z.boolean().optional(),
  /** Sites in a sum, at the least, this one included. */
  least: z.number().int().positive().optional(),
  /** Records must be private, with ε at most this over the whole run. */
  epsilon: z.number().positive().optional(),
  /** The code of the only roster it takes part with; or, with `true`, no newcomers after it began. */
  roster: z.union([z.string(), z.literal(true)]).optional(),
});

/** A site's own floors. */
export type Policy = z.infer<typeof policySchema>;

/** A policy from a file, or a sentence. */
export function checkPolicy(given: unknown, source: string): Policy {
  const parsed = policySchema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const known = Object.keys(policySchema.shape).join(", ");
  throw new InputError(
    `${source}: ${issue.path.join(".") || "all of it"}: ${issue.message}; it can have ${known}.`,
  );
}

/** The stricter of two, in every part. */
export function stricter(a: Policy, b: Policy): Policy {
  const least = Math.max(a.least ?? 0, b.least ?? 0);
  const epsilon = Math.min(a.epsilon ?? Infinity, b.epsilon ?? Infinity);
  const roster = typeof a.roster === "string" ? a.roster : (b.roster ?? a.roster);
  return {
    ...((a.secureOnly || b.secureOnly) && { secureOnly: true }),
    ...(least > 0 && { least }),
    ...(epsilon < Infinity && { epsilon }),
    ...(roster !== undefined && { roster }),
  };
}

/** Refuses a spec that falls below the floors, before anything is joined. */
export function checkTerms({ sums, sites, privacy }: FederationSpec, policy: Policy): void {
  const refuse = (what: string, floor: string) =>
    new InputError(`This site does not join: ${what}, and its policy is ${floor}. Nothing was sent.`);
  if (policy.secureOnly && sums.kind === "plain")
    throw refuse(
      "sums are taken in the open, so that the coordinator sees its updates and losses",
      "secureOnly",
    );
  if (policy.least !== undefined && sites.number < policy.least)
    throw refuse(`the federation has ${sites.number} sites`, `least ${policy.least}`);
  if (policy.epsilon !== undefined && (privacy?.epsilon ?? Infinity) > policy.epsilon)
    throw refuse(
      privacy ? `its records are promised ε ${privacy.epsilon}` : "its records are promised no privacy",
      `epsilon ${policy.epsilon}`,
    );
}

/** What sums tell about the columns and groups of all sites together. */
function tableTerms({ scale, test, groups }: DataSpec): string[] {
  return [
    ...(scale === "agreed"
      ? [
          "Before the first round one sum tells the mean and spread of each number over the rows of all sites.",
        ]
      : []),
    ...(test === undefined
      ? []
      : [`Each site holds out ${100 * test} % of its rows; sums tell the losses on them.`]),
    ...(groups ? [`Sums tell losses and counts of rows by ${groups.column}.`] : []),
  ];
}

/** How far prices weight updates, whoever tells the mean price. */
function weightTerm(spec: FederationSpec): string[] | undefined {
  const least = leastWeightOf(spec);
  const cap = spec.sites.priceCap;
  if (spec.sites.loss === undefined || least === undefined) return undefined;
  const most = cap === undefined ? "no bound but that of its own price" : `at most ${1 + cap}`;
  return [
    `A site with a price counts more in a sum, with ${most}; every site counts at least ${least}, whatever mean price the coordinator tells.`,
  ];
}

/** What a person agrees to, one sentence a line. */
export function termsOf(spec: FederationSpec, policy: Policy): string[] {
  const { name, data, model, sites, training, sums, privacy } = spec;
  const least = Math.max(sites.least, policy.least ?? 0);
  const exchanges = training.rounds * training.communicationRounds;
  return [
    `${name}: ${isRegression(data) ? data.label : data.classes.join(" or ")} from ${data.images ? "images" : data.features.join(", ")}.`,
    ...tableTerms(data),
    `A network with hidden layers [${model.hidden.join(", ")}], ${training.rounds} rounds, about ${exchanges} sums.`,
    sites.loss === undefined
      ? "No site has a requirement."
      : `Each site asks for a loss of at most ${sites.loss}${sites.cost === "hard" ? ", without giving way" : ""}.`,
    ...(weightTerm(spec) ?? []),
    sums.kind === "plain"
      ? "Sums are taken IN THE OPEN: the coordinator sees every update and loss of this site."
      : `Sums are secure: the coordinator sees sums over at least ${least} of ${sites.number} sites, and no update or loss of one.`,
    privacy
      ? `Records are private: ε ${privacy.epsilon} at δ ${privacy.delta} over the whole run.`
      : "Records have no differential privacy: sums and the final model may tell about single records.",
  ];
}
