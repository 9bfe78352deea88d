// Examples of exports, one line each with what it prints: docs/examples.yaml. A test runs them; the API's pages show them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { home } from "./place.js";

export interface Example {
  /** An expression, whose value is printed. */
  readonly code: string;
  readonly prints: string;
}

type Listed = Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>>;

const listed: Listed = parse(readFileSync(join(home, "examples.yaml"), "utf8"));

/** Of an entry, by the name of what they show. */
export const examplesOf = (entry: string): Readonly<Record<string, Example>> =>
  Object.fromEntries(
    Object.entries(listed[entry] ?? {}).map(([name, [code, prints]]) => [name, { code, prints }]),
  );

export const exampleEntries = Object.keys(listed);
