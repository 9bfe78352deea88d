// What a site insists on, whatever a spec says: floors of its own, and terms that a person reads before the site joins.
import { InputError } from "@pliant/core";
import { z } from "zod";
import { type DataSpec, isRegression } from "../spec/data-spec.js";
import { type FederationSpec, hasHistogram, largestPrice, leastWeightOf } from "../spec/spec.js";
import { stepsOf } from "../spec/stages.js";

export const policySchema = z.strictObject({
  /** Sums in the open are refused. */
  secureOnly: z.boolean().optional(),
  /** Sites in a sum, at the least, this one included. */
  least: z.number().int().positive().optional(),
  /** Records must be private, with ε at most this over the whole run. */
  epsilon: z.number().positive().optional(),
  /** Rows that it learns from, and that a category or a group has here, at the least. */
  leastRows: z.number().int().positive().optional(),
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
  const rows = Math.max(a.leastRows ?? 0, b.leastRows ?? 0);
  const roster = typeof a.roster === "string" ? a.roster : (b.roster ?? a.roster);
  return {
    ...((a.secureOnly || b.secureOnly) && { secureOnly: true }),
    ...(least > 0 && { least }),
    ...(epsilon < Infinity && { epsilon }),
    ...(rows > 0 && { leastRows: rows }),
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

/** Not more names than one reads. */
function listOf(names: readonly string[]): string {
  const more = names.length - 20;
  return [...names.slice(0, 20), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** What sums tell about the columns and groups of all sites together. */
function tableTerms({ categories = {}, scale, test, groups }: DataSpec): string[] {
  return [
    ...Object.entries(categories).map(([name, list]) => `Categories of ${name}: ${listOf(list)}.`),
    ...(scale === "agreed"
      ? [
          "Before the first round, one sum reveals the mean and spread of each number over the rows of all sites.",
        ]
      : []),
    ...(test === undefined
      ? []
      : [`Each site holds out ${100 * test} % of its rows; sums reveal the losses on them.`]),
    ...(groups
      ? [`Sums reveal losses, labels and counts of rows by ${groups.column}: ${listOf(groups.values)}.`]
      : []),
  ];
}

/** What is asked of groups over all sites. */
function groupTerms({ groups, classes }: DataSpec): string[] {
  if (!groups) return [];
  const { column, loss, cost, rate } = groups;
  const relaxed = cost === "hard" ? "this cannot be relaxed" : `relaxing this by u costs ${cost.alpha} u²/2`;
  const rates = {
    positive: "rate",
    truePositive: "true positive rate",
    falsePositive: "false positive rate",
  };
  return [
    ...(loss === undefined
      ? []
      : [`The loss of each group by ${column} must be at most ${loss} over all sites; ${relaxed}.`]),
    ...(rate
      ? [
          `Thresholds by ${column} keep the ${rates[rate.of]} of class ${classes[1]} within ${rate.within} between groups.`,
        ]
      : []),
  ];
}

/** What is asked of this site and of others, and how much a price may make of one site. */
function requirementTerms(spec: FederationSpec, site: string, least: number): string[] {
  const { loss, levels = {}, cost } = spec.sites;
  if (loss === undefined) return spec.data.groups?.loss === undefined ? ["No site has a requirement."] : [];
  const own = Object.hasOwn(levels, site) ? levels[site] : loss;
  const others = Object.entries(levels).filter(([name]) => name !== site);
  const price = largestPrice(spec, 2 * stepsOf(spec));
  const share = price === Infinity ? 1 : (1 + price) / (1 + price + (least - 1) * (leastWeightOf(spec) ?? 0));
  return [
    `The loss of ${site} must be at most ${own}${cost === "hard" ? "; this cannot be relaxed" : `; relaxing this by u costs ${cost.alpha} u²/2`}.`,
    ...(others.length > 0
      ? [
          `Others have other levels: ${listOf(others.map(([name, level]) => `${name} ${level}`))}; all others ${loss}.`,
        ]
      : []),
    `A price raises a site's weight: at the largest price that this spec allows${price === Infinity ? "" : ` (${price})`}, one site can make up ${(100 * share).toFixed(0)} % of a sum over ${least}.`,
  ];
}

/** What a person agrees to at a site, one sentence a line. */
export function termsOf(
  spec: FederationSpec,
  policy: Policy,
  site: string,
  /** Where messages travel, if not by the coordinator's own server. */
  bus?: string,
): string[] {
  const { name, data, model, sites, training, sums, privacy } = spec;
  const least = Math.max(sites.least, policy.least ?? 0);
  const exchanges = training.rounds * training.communicationRounds;
  const scaled = `An update moves a coordinate by at most ${sums.bound}; a loss counts as at most ${sites.lossBound}.`;
  return [
    `${name}: ${isRegression(data) ? data.label : data.classes.join(" or ")} from ${data.images ? "images" : listOf(data.features)}.`,
    ...tableTerms(data),
    `A network with hidden layers [${model.hidden.join(", ")}], ${training.rounds} rounds, about ${exchanges} sums.`,
    ...requirementTerms(spec, site, least),
    ...groupTerms(data),
    scaled,
    ...(hasHistogram(spec)
      ? ["Sums reveal how many sites relax their requirement by how much, without names."]
      : []),
    ...(training.personalise
      ? [`After the last round, ${site} trains a last layer of its own, which stays here.`]
      : []),
    sums.kind === "plain"
      ? "Sums are taken IN THE OPEN: the coordinator sees every update and loss of this site."
      : `Sums are secure: the coordinator sees sums over at least ${least} of ${sites.number} sites, and no update or loss of one.`,
    privacy
      ? `Records are private: ε ${privacy.epsilon} at δ ${privacy.delta} over the whole run.`
      : "Records have no differential privacy: sums and the final model may reveal something about single records.",
    ...(bus === undefined
      ? []
      : [`Messages travel through the server ${bus}, which sees who takes part and when. Updates do not.`]),
  ];
}
