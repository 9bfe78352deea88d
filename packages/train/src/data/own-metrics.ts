// A metric of one's own, from a file beside the spec: its default export says what is counted of the model's answers, and what is
// learnt from.
import type { InputError } from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import { type Look, type Metric, trained } from "../metrics/metric.js";
import type { SpecFile } from "../spec/spec-file.js";
import { ownFile } from "../store/own-file.js";
import { besideSpec } from "./files.js";

/** What a file exports as its default. */
export interface OwnMetric {
  /** As reports call it. */
  readonly name: string;
  /**
   * `mean` (the default): a mean over examples; `rate`: each example is strictly 0 or 1; `statistic`: one number over all examples, which have weights with mean 1.
   */
  readonly kind?: "mean" | "rate" | "statistic";
  /** What is learnt from: [N], or of a statistic one number; it needs a slope. */
  trained(look: Look, weights: Tensor): Tensor;
  /** The metric of levels and prices; default: the trained one. */
  strict?(look: Look, weights: Tensor): Tensor;
}

/** By the path that a spec gives, with the SHA-256 of its file. */
export type OwnMetrics = Readonly<Record<string, { readonly metric: Metric; readonly sha256: string }>>;

/** Data for whose spec there may be such metrics. */
export type WithOwn<T> = T & { readonly own?: OwnMetrics };

export async function ownMetrics(specFile: SpecFile): Promise<OwnMetrics> {
  const found: Record<string, OwnMetrics[string]> = {};
  for (const [of, requirement] of Object.entries(specFile.spec.requirements)) {
    if (requirement.metric !== "own") continue;
    const { use } = requirement;
    const path = besideSpec(specFile, use);
    const wrong = (sentence: string): InputError =>
      specFile.mistake(["requirements", of, "use"], `requirements.${of}.use: ${sentence}`);
    const { own, sha256 } = await ownFile(path, wrong);
    found[use] = { metric: metricFrom(own, use, wrong), sha256 };
  }
  return found;
}

const kinds: readonly unknown[] = [undefined, "mean", "rate", "statistic"];

function metricFrom(own: unknown, file: string, wrong: (sentence: string) => InputError): Metric {
  const given = own as Partial<OwnMetric> | undefined;
  if (typeof given !== "object" || given === null || typeof given.trained !== "function")
    throw wrong(`${file} has no default export with a function called trained.`);
  if (typeof given.name !== "string" || given.name === "")
    throw wrong(`the default export of ${file} has no name, by which reports would call it.`);
  if (!kinds.includes(given.kind))
    throw wrong(`the kind that ${file} gives is "${given.kind}", and should be mean, rate or statistic.`);
  if (given.strict !== undefined && typeof given.strict !== "function")
    throw wrong(`strict in ${file} is no function.`);
  const { name, kind = "mean", trained: learnt, strict } = given as OwnMetric;
  const described = {
    strictly: name,
    level: strict ? ("strict" as const) : ("trained" as const),
    ...trained(learnt as (look: Look, weights: Tensor) => Tensor),
    strict: (strict ?? learnt) as (look: Look, weights: Tensor) => Tensor,
  };
  return { kind, ...described } as Metric;
}
