// What a federation is to learn: the same text for the coordinator and every site.

import { InputError } from "@pliant/core";
import { type Backend, reference } from "@pliant/engine";
import {
  constrained,
  type Formulation,
  fedAvg,
  fedProx,
  type NetworkOptions,
  type Privacy,
  planned,
  privacyFor,
  relaxationCost,
  resilient,
  type Solver,
  scaffold,
  unconstrained,
} from "@pliant/federated";
import { mlp, type Params } from "@pliant/learn";
import { z } from "zod";
import { type DrawOptions, largestGroup } from "../protocol/draw.js";
import { siteName } from "../protocol/messages.js";
import { printable, unprintableIn } from "../protocol/printable.js";
import { digest } from "../sums/index.js";
import { widthOf } from "../tables/encoding.js";
import { lossFor } from "../tables/loss.js";
import {
  aboveMean,
  checkNames,
  costSchema,
  dataKeys,
  dataSchema,
  isRegression,
  levelIn,
} from "./data-spec.js";
import { stepsOf } from "./stages.js";

const whole = z.number().int().positive();
const positive = z.number().positive();

const schema = z.strictObject({
  name: z.string().min(1).max(60),
  /** What every site's table has, or its folder of images. */
  data: dataSchema,
  model: z.strictObject({ hidden: z.array(whole).default([16]) }).default({ hidden: [16] }),
  sites: z.strictObject({
    number: whole,
    /** Sites in a sum, at the least. */
    least: whole.default(3),
    /** Sites that are drawn for each round; all unless given. */
    sample: whole.optional(),
    /** Cuts the sites of a round into groups of at least this many, each with a secure sum of its own. */
    group: whole.optional(),
    /** With how many it begins, if not with all; the others join later. */
    begin: whole.optional(),
    /** `mean + 0.02`: no site's loss above the mean by more. Without it every site counts the same. */
    loss: aboveMean.optional(),
    /** Sites with another bound than `loss`, by name. */
    levels: z.record(siteName, aboveMean).optional(),
    /** h(u) = α u²/2, or hard: the requirement may not be relaxed. */
    cost: costSchema.default({ alpha: 2 }),
    dualRate: positive.default(1),
    /** No site's price is above this. */
    priceCap: positive.optional(),
    /** What a site without a price counts at the least in a sum, whatever the mean price is said to be; 0.5 with secure sums. */
    leastWeight: positive.max(1).optional(),
    /** A site whose loss is larger counts it as this: one broken site moves the mean of n by at most lossBound/n. */
    lossBound: positive.default(20),
    /** Whether how many sites give way how far is summed along, without who. */
    histogram: z.boolean().default(true),
  }),
  training: z.strictObject({
    rounds: whole,
    communicationRounds: whole.default(5),
    rate: positive,
    epochs: whole.default(1),
    batch: whole.optional(),
    clip: positive.optional(),
    decay: z.number().nonnegative().optional(),
    /** The longest update of a site, before it is weighted: what a broken site can do to the model in one sum. */
    updateClip: positive.optional(),
    /** By default local steps are corrected for drift where there are several, which would bias prices. */
    solver: z.union([z.enum(["fedAvg", "scaffold"]), z.strictObject({ fedProx: positive })]).optional(),
    /** After the last round each site trains the last layer of the model further on its own rows, and keeps it. */
    personalise: z.strictObject({ epochs: whole.default(5), rate: positive.optional() }).optional(),
  }),
  sums: z
    .strictObject({
      kind: z.enum(["secure", "plain"]).default("secure"),
      bound: positive.default(16),
      /** How the sums of groups are put together: added, or the median of their means in every coordinate. */
      across: z.enum(["sum", "median"]).optional(),
    })
    .default({ kind: "secure", bound: 16 }),
  /** Of each record of a site: ε at δ over the whole run, whoever sees all that leaves the site. */
  privacy: z
    .strictObject({
      epsilon: positive,
      delta: positive,
      /** The longest gradient of a record, and the largest of its losses that is counted. */
      clip: positive.default(1),
      lossClip: positive.default(2),
      /** Over the clip; as little as the rounds allow unless given. */
      noise: positive.optional(),
    })
    .optional(),
  seed: z.number().int().nonnegative().default(0),
});

/** A spec with everything in its place. */
export type FederationSpec = z.infer<typeof schema>;
/** A spec as one writes it, defaults left out. */
export type FederationSpecGiven = z.input<typeof schema>;

/** A spec with everything in its place, or a sentence. */
export function checkSpec(given: unknown, source = "The spec"): FederationSpec {
  const hidden = unprintableIn(given);
  if (hidden !== undefined)
    throw new InputError(
      `${source}: "${printable(hidden)}" has control characters, with which a terminal would show other terms than these.`,
    );
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue.path.join(".");
    if (issue.code === "unrecognized_keys") throw unknownKey(issue.keys[0], place, source);
    throw new InputError(`${source}: ${place || "all of it"}: ${issue.message}.`);
  }
  const spec = parsed.data;
  const { number, least } = spec.sites;
  if (least > number)
    throw new InputError(`${source}: sites.least is ${least}, but there are ${number} sites.`);
  const begin = beginOf(spec);
  if (begin < least || begin > number)
    throw new InputError(
      `${source}: sites.begin is ${begin}; it is at least sites.least and at most sites.number.`,
    );
  const { sample = number, group } = spec.sites;
  if (sample < least || sample > number)
    throw new InputError(
      `${source}: sites.sample is ${sample}; it is at least sites.least and at most sites.number.`,
    );
  if (group !== undefined && (group < least || group > sample))
    throw new InputError(
      `${source}: sites.group is ${group}; it is at least sites.least and at most the sites of a round.`,
    );
  if (group !== undefined && spec.sums.kind === "plain")
    throw new InputError(
      `${source}: sites.group is for secure sums; plain sums hide nothing from the coordinator.`,
    );
  if (spec.sums.across === "median" && Math.floor(sample / (group ?? sample)) < 3)
    throw new InputError(`${source}: sums.across: median takes at least 3 groups; set sites.group lower.`);
  if (spec.sums.kind === "secure" && least < 3)
    throw new InputError(
      `${source}: sites.least is ${least}; below 3 sites a sum tells each what the other sent.`,
    );
  if (spec.privacy && spec.training.clip !== undefined)
    throw new InputError(
      `${source}: with privacy the gradient of each record is clipped, by privacy.clip; leave out training.clip.`,
    );
  if (parametersOf(spec) > mostParameters)
    throw new InputError(
      `${source}: the model has ${parametersOf(spec)} parameters, and a federation carries ${mostParameters}.`,
    );
  checkNames(spec.data, source);
  const { scale, weights, groups } = spec.data;
  if (spec.sites.levels && spec.sites.loss === undefined)
    throw new InputError(`${source}: sites.levels needs sites.loss, the bound of the other sites.`);
  if (groups?.loss !== undefined && spec.sites.loss !== undefined)
    throw new InputError(
      `${source}: data.groups.loss and sites.loss both weight the same rows; require one and report the other.`,
    );
  const exact = scale === "agreed" ? "scale: agreed" : weights ? "weights" : groups && "groups";
  if (spec.privacy && exact)
    throw new InputError(
      `${source}: data.${exact} needs sums without noise, which privacy does not cover; leave one of them out.`,
    );
  return spec;
}

/** An update of so many has 1 GiB. */
const mostParameters = 2 ** 28;

/** Weights and biases of the model. */
export function parametersOf({ data, model: { hidden } }: FederationSpec): number {
  const widths = [widthOf(data), ...hidden, isRegression(data) ? 1 : data.classes.length];
  return widths.slice(1).reduce((sum, width, i) => sum + (widths[i] + 1) * width, 0);
}

/** By what a spec is known: model, training, bounds, floors and privacy, in whatever order they were written. */
export const specHash = (spec: FederationSpec): string => digest(JSON.stringify(sorted(spec)));

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]),
  );
};

/** Who is asked in a round, and who sums together. */
export const drawOf = ({ sites: { sample, group } }: FederationSpec): DrawOptions => ({
  ...(sample !== undefined && { sample }),
  ...(group !== undefined && { group }),
});

/** The most sites that one sum can have, by which fixed point leaves room. */
export const summandsOf = (spec: FederationSpec): number => largestGroup(drawOf(spec), spec.sites.number);

/** With how many sites a federation begins; the others join later. */
export const beginOf = ({ sites: { number, begin } }: FederationSpec): number => begin ?? number;

/** What a part of a spec can have, for one who wrote something else. */
const known: Readonly<Record<string, readonly string[]>> = {
  "": Object.keys(schema.shape),
  data: Object.keys(dataKeys),
  sites: Object.keys(schema.shape.sites.shape),
  training: Object.keys(schema.shape.training.shape),
};

function unknownKey(key: string, place: string, source: string): InputError {
  const within = Object.hasOwn(known, place) ? ` can have ${known[place].join(", ")}` : ` cannot have it`;
  const what = place === "" ? "a federation's spec" : `${place} in a federation's spec`;
  const instead = place === "" && key === "requirements" ? "; what each site asks for is sites.loss" : "";
  return new InputError(`${source}: "${key}" is not known: ${what}${within}${instead}.`);
}

/** Only where sites can give way. */
export const hasHistogram = ({ sites: { loss, cost, histogram } }: FederationSpec): boolean =>
  histogram && loss !== undefined && cost !== "hard";

/** ε: how far a site's loss may be above the mean. */
export const levelOf = ({ sites: { loss = "mean", levels = {} } }: FederationSpec, site?: string): number =>
  levelIn(site !== undefined && Object.hasOwn(levels, site) ? levels[site] : loss);

function formulationOf(spec: FederationSpec, site?: string): Formulation {
  const { loss, cost, dualRate, priceCap: cap } = spec.sites;
  if (loss === undefined) return unconstrained();
  const told = { level: levelOf(spec, site), dualRate, cap, leastWeight: leastWeightOf(spec) };
  return cost === "hard" ? constrained(told) : resilient({ ...told, cost: relaxationCost(cost) });
}

/**
 * Behind masks every site hides among the others' updates, so none of these may vanish: half of what they count without prices
 * remains, whatever prices are said to be.
 */
export const leastWeightOf = ({ sites: { leastWeight }, sums }: FederationSpec): number | undefined =>
  leastWeight ?? (sums.kind === "secure" ? 0.5 : undefined);

/**
 * The largest price that an honest site can have after so many steps: λ = αu, and nobody gives way further than the largest loss; a hard
 * requirement's price grows by the largest loss a step. Noise on private losses may carry them beyond any bound but the cap.
 */
export function largestPrice({ sites, privacy }: FederationSpec, steps: number): number {
  const { lossBound, cost, dualRate, priceCap = Infinity } = sites;
  const grown = lossBound * (cost === "hard" ? dualRate * steps : cost.alpha);
  return Math.min(priceCap, privacy ? Infinity : grown);
}

/** Several local steps drift towards a site's own optimum; private ones have noise that a correction would spread. */
const correctsDrift = ({ data, sites, training: { batch, epochs }, privacy }: FederationSpec): boolean =>
  (sites.loss ?? data.groups?.loss) !== undefined && !privacy && (batch !== undefined || epochs > 1);

function solverOf(spec: FederationSpec): Solver {
  const { solver = correctsDrift(spec) ? "scaffold" : "fedAvg" } = spec.training;
  if (solver === "fedAvg") return fedAvg();
  return solver === "scaffold" ? scaffold() : fedProx({ mu: solver.fedProx });
}

/** The options of the network's server and clients; of one site, with its own level. */
export function networkOptions(
  spec: FederationSpec,
  backend: Backend,
  site?: string,
): NetworkOptions<Params> {
  const { data, model, training, seed, sites } = spec;
  const { rate, epochs, batch, clip, decay } = training;
  const outputs = isRegression(data) ? 1 : data.classes.length;
  return {
    model: mlp({ inputs: widthOf(data), hidden: model.hidden, outputs }),
    loss: lossFor(data),
    local: { rate, epochs, batch, clip, decay },
    formulation: formulationOf(spec, site),
    solver: solverOf(spec),
    communicationRounds: training.communicationRounds,
    timing: "published",
    seed,
    clients: sites.number,
    lossBound: sites.lossBound,
    updateClip: training.updateClip,
    serverRate: 1,
    backend,
  };
}

/** What a site with so many rows promises its records, if the spec asks for it. */
export function privacyOf(spec: FederationSpec, rows: number): Privacy | undefined {
  const { local, communicationRounds } = networkOptions(spec, reference());
  return (
    spec.privacy &&
    privacyFor(spec.privacy, { rows, local, rounds: spec.training.rounds, communicationRounds })
  );
}

/** The number of exchanges of a run in which no round is abandoned. */
export const exchangesOf = (spec: FederationSpec, options: NetworkOptions<Params>): number =>
  spec.training.rounds * planned(options).length + (stepsOf(spec) - spec.training.rounds);

/** The sums of a round. */
export const plannedOf = (spec: FederationSpec): ReturnType<typeof planned> =>
  planned(networkOptions(spec, reference()));
