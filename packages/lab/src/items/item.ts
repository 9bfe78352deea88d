// An item of the paper, a table or a figure: the runs it needs, and how recorded runs compare with the paper's numbers. Federated and
// invariance experiments are families of runs, which know their folders, durations, training and reports.
import type { Device } from "@pliant/engine/device";
import type { Figure } from "../figure.js";
import type { RunnerOptions } from "../runner-options.js";
import type { Table } from "../table.js";

/** A run that items need. Runs with the same folder are the same run. */
export interface PlannedRun {
  /** Below the folder that holds all runs. */
  readonly folder: string;
  /** In words. */
  readonly name: string;
  /** Its priority: the smallest number is done first. */
  readonly stage: number;
  /** An estimate, on a device of this kind; measured runs correct it. */
  seconds(device: Device): number;
  /** Runs of one family that stand beside each other may be trained together. */
  readonly family: Family;
}

export interface Family {
  readonly name: string;
  /** Trains runs of this family, each in its folder; interrupted ones are resumed. */
  train(runs: readonly PlannedRun[], options: RunnerOptions): Promise<void>;
  /** How many runs to train at once: one, or all neighbours in the plan. */
  readonly together: "one" | "all";
  /** The seconds of training in a report. */
  secondsOf(report: unknown): number | undefined;
}

/** Where a number of the paper comes from: printed, read off a figure, or read off a plot that only its notebook shows. */
export type Source = "table" | "figure" | "notebook";

/** A number of the paper, and ours of the same thing. */
export interface Comparison {
  /** Its place: the paper's label of a table or figure, a row and a column. */
  readonly label: string;
  readonly row: string;
  readonly column: string;
  readonly source: Source;
  readonly quantity: string;
  /** Which run it is about. */
  readonly of: string;
  /** One value a run that repeats the paper's; none where there is no such run yet. */
  readonly ours: readonly number[];
  /** The folders of those runs. */
  readonly runs: readonly string[];
  /** All our seeds, where the paper has one seed and we have more. */
  readonly allSeeds?: readonly number[];
  readonly paper: number;
  /** The paper's standard deviation over its three runs, if it is given. */
  readonly paperDeviation?: number;
  /** Half a unit of the paper's last digit, or the reading error of a figure. */
  readonly resolution: number;
}

/** One of the paper's claims (`paper-claims.ts`), counted on our runs. */
export interface Claim {
  readonly id: string;
  readonly holds: boolean;
  /** The count, or the numbers it rests on. */
  readonly found: string;
}

export interface Shown {
  readonly tables: readonly Table[];
  readonly figures: readonly Figure[];
  readonly comparisons: readonly Comparison[];
  readonly claims: readonly Claim[];
  /** Known reasons why numbers differ from the paper's. */
  readonly reasons: readonly string[];
}

/** A finished run: its request (run.json) and its result (report.json). */
export interface Finished {
  readonly run: PlannedRun;
  readonly asked: unknown;
  readonly report: unknown;
}

export interface Item {
  readonly name: string;
  /** The paper's labels of what it reproduces. */
  readonly labels: readonly string[];
  readonly summary: string;
  /** How, in a few words: the preset, the network or the number of rounds. */
  readonly recipe: string;
  /** In settings that the paper's numbers are not of: shown, but no claim is judged by it. */
  readonly aside?: boolean;
  /** `small` is a quick version on built-in data, to test that it works. */
  runs(size: Size): readonly PlannedRun[];
  /** Tables, figures, numbers and claims from the finished runs, out of those that it needs. */
  show(finished: readonly Finished[], needed: readonly PlannedRun[]): Shown;
  /** The command that trains its runs. */
  readonly command: string;
}

export const sizes = ["paper", "small"] as const;
export type Size = (typeof sizes)[number];
