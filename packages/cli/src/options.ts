// Options that several commands read alike, each mistake one sentence.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InputError, unknownName } from "@pliant/core";

/** One of some names. */
export function oneOf<Name extends string>(kind: string, given: string, known: readonly Name[]): Name {
  if (!known.includes(given as Name)) throw unknownName(kind, given, known);
  return given as Name;
}

/** `a,b`, or `all`. */
export function someOf<Name extends string>(
  kind: string,
  given: string,
  known: readonly Name[],
): readonly Name[] {
  return given === "all" ? known : given.split(",").map((name) => oneOf(kind, name.trim(), known));
}

export function number(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value)) throw new InputError(`--${name} is a number, not ${text}.`);
  return value;
}

/** A whole number of at least 1. */
export function count(name: string, text: string | undefined): number | undefined {
  const value = number(name, text);
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= 1))
    throw new InputError(`--${name} is a whole number of at least 1, not ${text}.`);
  return value;
}

/** `0,1,2`, or `0-2`. */
export function seedList(text: string): number[] {
  const range = /^(\d+)-(\d+)$/.exec(text);
  const seeds = range
    ? Array.from({ length: Number(range[2]) - Number(range[1]) + 1 }, (_, i) => Number(range[1]) + i)
    : text.split(",").map((each) => (/^\d+$/.test(each.trim()) ? Number(each) : Number.NaN));
  if (seeds.length === 0 || seeds.some((seed) => !Number.isSafeInteger(seed)))
    throw new InputError(`--seeds is a list of whole numbers such as 1,2,3 or 1-3, not ${text}.`);
  return seeds;
}

/** Without the entries that were not given. */
export const given = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined | "">;
  };

/** Result files beside the runs they come from. */
export function writeResults(folder: string, files: Readonly<Record<string, string>>): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  } catch (reason) {
    throw new InputError(`the results could not be written to ${folder}: ${(reason as Error).message}`);
  }
}
