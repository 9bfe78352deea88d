// An item of the paper, a table or a figure: the runs it needs, and what recorded runs show beside the paper's numbers. Federated
// and invariance experiments plug in alike: a kind of run knows its folder, how long it takes, how it is trained and read.
import type { Device } from "@pliant/engine/device";
import type { Figure } from "../figure.js";
import type { RunnerOptions } from "../runner-options.js";
import type { Table } from "../table.js";

/** One training that items need. Runs with the same folder are the same run, whoever asks for them. */
export interface PlannedRun {
  /** Below the folder that holds all runs. */
  readonly folder: string;
  /** In words. */
  readonly name: string;
  /** Of how much use it is: what has the smallest number is done first. */
  readonly stage: number;
  /** An estimate, on a device of this kind; measured runs correct it. */
  seconds(device: Device): number;
  /** Runs of one family that stand beside each other may be trained together. */
  readonly family: Family;
}

export interface Family {
  readonly name: string;
  /** Trains runs of this family, each in its folder, those that were begun from where they stopped. */
  train(runs: readonly PlannedRun[], options: RunnerOptions): Promise<void>;
  /** How many runs to hand over at once: 1, or all that stand beside each other. */
  readonly together: "one" | "all";
  /** The seconds of training that a report tells. */
  secondsOf(report: unknown): number | undefined;
}

/** A number of ours, one for each seed, beside the paper's. */
export interface Comparison {
  /** What was measured: comparisons of one quantity share what is known of its spread. */
  readonly quantity: string;
  /** Of which run. */
  readonly of: string;
  readonly ours: readonly number[];
  readonly paper: number;
  /** The paper's own standard deviation, where it tells one. */
  readonly paperDeviation?: number;
  /** How finely the paper's number is known: half a unit of its last digit, or what could be read off a figure. */
  readonly resolution: number;
}

/** What the paper says in words, and whether our runs do. */
export interface Claim {
  readonly text: string;
  readonly holds: boolean;
  /** In how many cases. */
  readonly found: string;
}

export interface Shown {
  readonly tables: readonly Table[];
  readonly figures: readonly Figure[];
  readonly comparisons: readonly Comparison[];
  readonly claims: readonly Claim[];
  /** Why numbers may differ from the paper's, as far as the runs tell. */
  readonly reasons: readonly string[];
}

/** A finished run: what it was asked (run.json) and what it answered (report.json). */
export interface Finished {
  readonly run: PlannedRun;
  readonly asked: unknown;
  readonly report: unknown;
}

export interface Item {
  readonly name: string;
  /** Where the paper has it. */
  readonly place: string;
  readonly summary: string;
  /** `small` is the same on built-in data, in seconds on a CPU: to see that it works, not to compare. */
  runs(size: Size): readonly PlannedRun[];
  show(finished: readonly Finished[]): Shown;
  /** The command that does its runs. */
  readonly command: string;
}

export const sizes = ["paper", "small"] as const;
export type Size = (typeof sizes)[number];
