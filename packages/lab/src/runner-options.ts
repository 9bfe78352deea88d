// What both runners are told, and how they know a run that was begun for theirs.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "@pliant/core";
import type { Backend } from "@pliant/engine";
import type { Progress } from "@pliant/learn/runs";

export interface RunnerOptions {
  readonly backend: Backend;
  /** Holds the run folders. */
  readonly out: string;
  /** Goes on with runs that were begun, and takes finished ones as they are. */
  readonly resume?: boolean;
  /** Does runs anew that are there already, in their place. */
  readonly again?: boolean;
  readonly progress?: Progress;
  /** How a person goes on after an interruption. */
  readonly resumeWith?: string;
  /** When to save and stop, in milliseconds as `Date.now` counts them. */
  readonly until?: number;
}

/** Going on with a run of another recipe would be neither: what a run.json holds must be what is asked now. */
export function sameAs<Asked extends object>(
  path: string,
  wanted: Partial<Asked>,
): (value: unknown) => Asked {
  return (value) => {
    const asked = value as Asked | null;
    const names = Object.keys(wanted) as (keyof Asked)[];
    if (!names.every((name) => JSON.stringify(asked?.[name]) === JSON.stringify(wanted[name])))
      throw new InputError(
        `the run in ${path} was of another recipe; give another --out, or leave out --resume to start it again.`,
      );
    return asked as Asked;
  };
}

/** A run that is there is lost only to a person who says so. */
export function refuseToReplace(path: string, { again }: Pick<RunnerOptions, "again">): void {
  if (again || !existsSync(join(path, "run.json"))) return;
  throw new InputError(
    `there is a run in ${path} already; go on with it, or take its result, with --resume, or replace it with --again.`,
  );
}
