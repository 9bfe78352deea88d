// Options of both runners, and checks that an existing run folder is of the same recipe.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "@pliant/core";
import type { Backend } from "@pliant/engine";
import type { Progress } from "@pliant/learn/runs";

export interface RunnerOptions {
  readonly backend: Backend;
  /** Holds the run folders. */
  readonly out: string;
  /** Resumes interrupted runs and keeps finished ones. */
  readonly resume?: boolean;
  /** Replaces existing runs. */
  readonly again?: boolean;
  readonly progress?: Progress;
  /** The command that resumes an interrupted run. */
  readonly resumeWith?: string;
  /** When to save and stop, as `Date.now` counts. */
  readonly until?: number;
}

/** Refuses to resume a run of another recipe. */
export function sameAs<Started extends object>(
  path: string,
  wanted: Partial<Started>,
): (value: unknown) => Started {
  return (value) => {
    const asked = value as Started | null;
    const names = Object.keys(wanted) as (keyof Started)[];
    if (!names.every((name) => JSON.stringify(asked?.[name]) === JSON.stringify(wanted[name])))
      throw new InputError(
        `the run in ${path} was of another recipe; give another --out, or leave out --resume to start it again.`,
      );
    return asked as Started;
  };
}

/** Refuses to replace an existing run unless asked to. */
export function refuseToReplace(path: string, { again }: Pick<RunnerOptions, "again">): void {
  if (again || !existsSync(join(path, "run.json"))) return;
  throw new InputError(
    `there is already a run in ${path}; continue it, or use its result, with --resume, or replace it with --force.`,
  );
}
