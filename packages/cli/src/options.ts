// Options that several commands share, and how their values are parsed. Each mistake is one sentence.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InputError, unknownName } from "@pliant/core";
import { type Device, devices, precisions } from "@pliant/engine/device";
import type { Precision } from "@pliant/learn/runs";
import type { Options } from "./arguments.js";

/** The same wording in the help of every command. */
export const shared = {
  device: { type: "string", value: "NAME", default: "auto", about: "auto, cpu, cuda or reference" },
  resume: { type: "boolean", default: false, about: "continue the run in the folder" },
  json: { type: "boolean", default: false, about: "print one JSON object, also for errors" },
} as const satisfies Options;

/** The parsed value, or undefined if the option was not given. */
type Read<Text, Value> = Value | Extract<Text, undefined>;

/** Parses one of the known names. */
export function oneOf<Name extends string, Text extends string | undefined>(
  kind: string,
  given: Text,
  known: readonly Name[],
): Read<Text, Name> {
  if (given !== undefined && !known.includes(given as string as Name)) throw unknownName(kind, given, known);
  return given as Read<Text, Name>;
}

/** `a,b`, or `all`. */
export function someOf<Name extends string>(
  kind: string,
  given: string,
  known: readonly Name[],
): readonly Name[] {
  return given === "all" ? known : given.split(",").map((name) => oneOf(kind, name.trim(), known));
}

export function number<Text extends string | undefined>(name: string, text: Text): Read<Text, number> {
  if (text === undefined) return text as Read<Text, number>;
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value))
    throw new InputError(`--${name} must be a number, not ${text}.`);
  return value;
}

/** A whole number, at least 1 by default. */
export function whole<Text extends string | undefined>(
  name: string,
  text: Text,
  least = 1,
): Read<Text, number> {
  if (text === undefined) return text as Read<Text, number>;
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!(Number.isSafeInteger(value) && value >= least))
    throw new InputError(`--${name} must be a whole number of at least ${least}, not ${text}.`);
  return value;
}

export const readSeed = <Text extends string | undefined>(text: Text): Read<Text, number> =>
  whole("seed", text, 0);

/** A longer range is a typing mistake. */
const mostSeeds = 1000;

/** `0,1,2`, or `0-2`. */
export function seedList(text: string): number[] {
  const range = /^(\d+)-(\d+)$/.exec(text);
  const count = range ? Number(range[2]) - Number(range[1]) + 1 : 0;
  if (count > mostSeeds)
    throw new InputError(`--seeds takes at most ${mostSeeds} seeds, and ${text} is ${count}.`);
  const seeds = range
    ? Array.from({ length: count }, (_, i) => Number(range[1]) + i)
    : text.split(",").map((word) => (/^\d+$/.test(word.trim()) ? Number(word) : Number.NaN));
  if (seeds.length === 0 || seeds.some((seed) => !Number.isSafeInteger(seed)))
    throw new InputError(`--seeds must be a list of whole numbers such as 1,2,3 or 1-3, not ${text}.`);
  return seeds;
}

/** `--minutes N` as a deadline in the time of `Date.now`. */
export function deadline(text: string | undefined): number | undefined {
  const minutes = number("minutes", text);
  if (minutes !== undefined && !(minutes > 0))
    throw new InputError(`--minutes must be a number above 0, not ${text}.`);
  return minutes === undefined ? undefined : Date.now() + 60_000 * minutes;
}

/** An option with a fixed set of values. */
const named =
  <Name extends string>(option: string, known: readonly Name[]) =>
  <Text extends string | undefined>(text: Text): Read<Text, Name> => {
    if (text !== undefined && !known.includes(text as string as Name))
      throw new InputError(`--${option} must be one of ${known.join(", ")}, not ${text}.`);
    return text as Read<Text, Name>;
  };
export const readDevice = named<Device>("device", devices);
export const readPrecision = named<Precision>("precision", precisions);

/** Drops undefined entries. */
export const given = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined | "">;
  };

/** Writes result files beside the runs they come from. */
export function writeResults(folder: string, files: Readonly<Record<string, string>>): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  } catch (reason) {
    throw new InputError(`the results could not be written to ${folder}: ${(reason as Error).message}`);
  }
}
