// A kind of metric, as specs name it: all that is known of it before there are data, beside the function that makes it.
import type { InputError } from "@pliant/core";
import type * as z from "zod";
import type { Target } from "./examples.js";
import type { Metric } from "./metric.js";

/** A mistake about a key of the requirement. */
export type Complain = (key: string, sentence: string) => InputError;

/** The properties of the requirement and of the data that a metric may read. */
export interface Asking {
  readonly target: Target;
  /** The class that it is about. */
  classOf(): number;
  /** The same; none of a number. */
  response(): number | undefined;
  /** The feature of its column. */
  feature(): number;
  /** The metric of a user's file. */
  own(file: string): Metric;
  readonly complain: Complain;
}

/** A gap between groups in another metric that a requirement stands for; `called` is added to its name. */
export interface GapIn {
  readonly metric: string;
  readonly called?: string;
}

export interface MetricKind<Name extends string, Keys extends z.core.$ZodShape> {
  readonly name: Name;
  /** The kind of target it needs. */
  readonly target: "class" | "number" | "any";
  /** Whether a larger value is better. */
  readonly moreIsBetter?: true;
  /** How its surrogate behaves in the parameters of a linear model, where that is known: Newton's steps want it smooth and convex. */
  readonly surrogate?: "smooth and convex" | "kinked";
  /** Its keys in a spec, beside those of every requirement. */
  readonly keys: Keys;
  /** Its row in the guide of specs: what is counted, and what the model follows. */
  readonly row: readonly [strict: string, surrogate: string];
  /** Where it stands for gaps in other metrics; else it is made for the data. */
  readonly gaps?: readonly GapIn[];
  make?(spec: z.output<z.ZodObject<Keys>>, asking: Asking): Metric;
}

/** Keeps its name and its keys as types. */
export const kind = <const Name extends string, Keys extends z.core.$ZodShape>(
  of: MetricKind<Name, Keys>,
): MetricKind<Name, Keys> => of;

/** For rates of decisions, and shares of their counts. */
export const ofDecisions = { target: "class", surrogate: "smooth and convex" } as const;
