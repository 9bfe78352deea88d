// What is wrong with a spec, from the schema's findings: a sentence that names the key and the nearest valid name.
import { hint } from "@pliant/core";
import type * as z from "zod";
import { specSchema } from "./spec.js";

export type Path = readonly PropertyKey[];

export interface Explained {
  readonly keys: Path;
  readonly sentence: string;
  /** A name that is nearly right explains others that seem to be missing. */
  readonly misspelt: boolean;
}

type Issue = z.core.$ZodIssue;

export function explain(issue: Issue, whole: unknown): Explained[] {
  const { path: keys } = issue;
  const name = keys.join(".");
  const given = valueAt(whole, keys);
  const shown = typeof given === "string" ? `"${given}"` : JSON.stringify(given);
  const about = (sentence: string): Explained[] => [{ keys, sentence, misspelt: false }];
  const choose = (known: readonly string[]): Explained[] => {
    if (given === undefined) return about(`${name} is missing; it is one of ${known.join(", ")}.`);
    return about(`${name}: ${shown} is not allowed here${hint(String(given), known)}`);
  };
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => {
        const known = keysAt(specSchema, keys, whole);
        const of = name === "" ? "a spec" : name;
        return {
          keys: [...keys, key],
          sentence: `"${key}" is not a key of ${of}${hint(key, known)}`,
          misspelt: true,
        };
      });
    case "invalid_value":
      return choose(issue.values.map(String));
    case "invalid_union":
      if ("options" in issue && Array.isArray(issue.options)) return choose(issue.options.map(String));
      return about(
        given === undefined
          ? `${name} is missing; it is ${issue.message}.`
          : `${name} is ${shown}, and should be ${issue.message}.`,
      );
    case "invalid_type": {
      const kind = kinds[issue.expected] ?? issue.expected;
      return about(
        given === undefined
          ? `${name} is missing; it is ${kind}.`
          : `${name} is ${shown}, and should be ${kind}.`,
      );
    }
    case "too_small":
    case "too_big": {
      const limit = issue.code === "too_small" ? issue.minimum : issue.maximum;
      const [above, below] = issue.inclusive ? ["at least", "at most"] : ["more than", "less than"];
      const of = issue.origin === "array" || issue.origin === "string" ? " long" : "";
      return about(
        `${name} is ${shown}, and should be ${issue.code === "too_small" ? above : below} ${limit}${of}.`,
      );
    }
    case "custom":
      return about(`${name}: ${issue.message.replace(/\.?$/, ".")}`);
    default:
      return about(`${name} is ${shown}: ${issue.message}.`);
  }
}

const kinds: Record<string, string> = {
  int: "a whole number",
  number: "a number",
  string: "a text",
  boolean: "true or false",
  object: "a set of keys",
  record: "a set of names",
  array: "a list",
  tuple: "a pair [low, high]",
};

const valueAt = (whole: unknown, keys: Path): unknown =>
  keys.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], whole);

/** The keys the schema knows at a place, in the variant that the value there has chosen. */
function keysAt(schema: z.core.$ZodType, keys: Path, value: unknown): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const [key, ...rest] = keys;
  const inner = valueAt(value, keys.slice(0, 1));
  switch (def.type) {
    case "optional":
    case "default":
    case "prefault":
      return keysAt(def.innerType, keys, value);
    case "object":
      return key === undefined ? Object.keys(def.shape) : keysAt(def.shape[key as string], rest, inner);
    case "record":
      return key === undefined ? [] : keysAt(def.valueType, rest, inner);
    case "union": {
      const { discriminator: tag } = def as { discriminator?: string };
      const chosen = def.options.filter((option) => {
        const { def: variant } = (option as z.core.$ZodTypes)._zod;
        if (variant.type !== "object" || tag === undefined) return variant.type === "object";
        return (variant.shape[tag] as z.ZodType).safeParse(valueAt(value, [tag])).success;
      });
      return [...new Set(chosen.flatMap((option) => keysAt(option, keys, value)))];
    }
    default:
      return [];
  }
}
