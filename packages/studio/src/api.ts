// What the server tells the page: the shapes of its answers.
import type { Insisting, Verdict } from "@pliant/train/words";
import type { CertificateKind } from "./certificate.js";
import type { ModelView } from "./held-out.js";

/**
 * A run without a report was stopped on purpose, failed with a cause, or was killed without a word. One whose report cannot be read
 * has no verdict.
 */
export type Status = "running" | "finished" | "stopped" | "failed" | "killed" | "unreadable";

/** A requirement as a reader knows it: the strict metric where there is one, since that is what was asked for. */
export interface RequirementResult {
  readonly sense: string;
  readonly level: number | readonly number[];
  /** What was reached, strictly where that is known. */
  readonly reached: number;
  /** Of a strict metric: the loss that stands in for it while training, and the level that is asked of the loss. */
  readonly surrogate?: { readonly reached: number; readonly level: number | readonly number[] };
  /** Where the level is one of the loss: what is counted beside it, here and on test data, for which there is no level. */
  readonly beside?: { readonly what: string; readonly reached: number; readonly test?: number };
  /** Whether the price follows the strict metric; the surrogate otherwise. */
  readonly strictlyPriced?: boolean;
  readonly relaxation: number;
  readonly price: number;
  readonly cost: string;
  /** Why it cannot be read; its numbers are none then. */
  readonly unreadable?: string;
  /** Must not bend. */
  readonly hard: boolean;
  /** What became of it, in the report's own word. */
  readonly status?: string;
  /** The run is not certified: what holds does so far, and no price is known. */
  readonly unsettled?: true;
  /** The rows that chose the threshold, where a decision settles it: it is counted there, and costs wrong decisions. */
  readonly decidedOn?: "train" | "validation" | "folds";
  /** The spec asks for it, and training leaves it to the threshold, which is chosen when training is over. */
  readonly pending?: true;
  /** How far from its level still counts as at it, where the report or the number of examples says. */
  readonly allowance?: number;
  /** How exactly its numbers are known, in their own units, where the report says. */
  readonly errors?: { readonly price?: number; readonly relaxation?: number; readonly reached?: number };
  /** What insisting came to, where it was measured. */
  readonly insisting?: Insisting;
  /** What the strict metric is called. */
  readonly strictly?: string;
  /** A level in words, where it is relative to another quantity. */
  readonly asked?: string;
  /** Of a requirement on every example: how many there are, and how many gave way. Its numbers are sums over them. */
  readonly examples?: { readonly all: number; readonly gave: number };
  /** The strict metric on data that was not trained on, what such data tell of the level asked there, and how far beyond it they are. */
  readonly test?: Unseen;
  /** The same on validation data, where it is not held to them. */
  readonly validation?: Unseen;
}

export interface Unseen extends Measure {
  readonly verdict: Verdict;
  /** It holds, and its interval reaches beyond the level. */
  readonly withinChance?: true;
  readonly beyond?: number;
  readonly group?: string;
}

/** A measured number, with its confidence interval where there is one. */
export interface Measure {
  readonly value: number;
  readonly interval?: readonly [number, number];
}

/** Where a run stands in a sweep. */
export interface Sweep {
  readonly parameter: string;
  readonly value: number | string;
  readonly group: string;
}

export interface Worst {
  readonly name: string;
  /** By how much it misses its level; negative where it holds. */
  readonly excess: number;
  readonly relaxation: number;
  readonly price: number;
}

/** What a person says of a run; "" and [] where nothing. */
export interface Note {
  /** In place of what the run calls itself. */
  readonly title: string;
  readonly tags: readonly string[];
  readonly notes: string;
}

/** A line of the list of runs. */
export interface RunSummary {
  /** The folder, relative to the runs folder; "." where the runs folder is itself a run. */
  readonly name: string;
  /** What the run calls itself. */
  readonly title: string | null;
  /** Of runs that call themselves the same: how its spec differs from that of the first of them. */
  readonly apart: string | null;
  readonly command: string;
  readonly dataset: string | null;
  readonly started: string | null;
  /** When the folder last changed, in milliseconds. */
  readonly updated: number;
  readonly status: Status;
  /** One, or several as a list. */
  readonly seed: string | null;
  readonly device: string | null;
  readonly objective: number | null;
  /** What runs are told apart by, by name. */
  readonly quantities: Readonly<Record<string, number>>;
  readonly steps: number | null;
  /** Steps that were asked for; a run that settles ends before. */
  readonly total: number | null;
  readonly worst: Worst | null;
  readonly certified: boolean | null;
  /** Whether decisions settle what was asked, counted on held-out rows, at scores that are not certified. */
  readonly counted: boolean;
  /** Whether something that must hold does not. */
  readonly violated: boolean;
  /** What is certified, where the report says. */
  readonly kind: CertificateKind | null;
  readonly sweep: Sweep | null;
  /** The study of several runs that it is one of. */
  readonly study: string | null;
  /** Of a federated run. */
  readonly clients: number | null;
  /** What a person says of it. */
  readonly note: Note;
  /** What is wrong with its files, or why it failed, in a sentence. */
  readonly problem: string | null;
}

/** The runs of a folder. */
export interface RunList {
  readonly folder: string;
  /** Nothing can be changed from here. */
  readonly readOnly: boolean;
  readonly runs: readonly RunSummary[];
  readonly deleted: readonly Deleted[];
}

/** A run in the trash. */
export interface Deleted {
  readonly id: string;
  readonly name: string;
  readonly at: number;
}

export interface RunFile {
  readonly name: string;
  readonly bytes: number;
}

/** Everything about a run but its series. */
export interface RunDetail {
  readonly summary: RunSummary;
  /** The folder as a command takes it. */
  readonly path: string;
  /** A folder beside it that does not exist: where it can be trained again without touching anything. */
  readonly again: string;
  /** run.json. */
  readonly run: Readonly<Record<string, unknown>>;
  /** report.json, or the last line of metrics where there is none yet. */
  readonly report: Readonly<Record<string, unknown>> | null;
  /** Whether the process that trains it can be ended from here. */
  readonly stoppable: boolean;
  /** When the last evaluation of a run that is over was logged. */
  readonly ended: string | null;
  /** The spec as it was written, where the folder has it. */
  readonly spec: { readonly file: string; readonly text: string } | null;
  readonly files: readonly RunFile[];
}

/** Points of one quantity, fewer than were logged, extremes kept. */
export interface Curve {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

export interface RequirementSeries {
  /** reached − level, so that at most 0 is met. */
  readonly slack: Curve;
  readonly relaxation: Curve;
  readonly price: Curve;
  /** Pairs (u, λ) along the run. */
  readonly path: Curve;
}

/** How far a reader has come: the lines read, of which version of the file. */
export interface Place {
  readonly version: string;
  readonly rows: number;
}

/** Many requirements at once, over some of the steps. */
export interface Spread {
  readonly count: number;
  readonly x: readonly number[];
  /** One list a quantile (see `shares`), one number a step. */
  readonly slack: readonly (readonly number[])[];
  readonly relaxation: readonly (readonly number[])[];
  readonly price: readonly (readonly number[])[];
  /** Requirements in the order of their last slack, the worst first, neighbours together where they are many: their mean slack. */
  readonly heat: readonly {
    readonly name: string;
    readonly count: number;
    readonly slack: readonly (number | null)[];
  }[];
}

/** The curves of a run. */
export interface Series extends Place {
  /** Whether it is made of every line; a first glimpse at a long file is made of some. */
  readonly whole: boolean;
  readonly objective: Curve;
  /** Seconds since the first line. */
  readonly time: Curve;
  /** Where requirements are many; `requirements` then has only those that were asked for, or the worst. */
  readonly spread: Spread | null;
  readonly requirements: Readonly<Record<string, RequirementSeries>>;
  /** The largest residual, or relative error, of the certificate. */
  readonly residual: Curve;
  /** Other numbers the lines have. */
  readonly other: Readonly<Record<string, Curve>>;
}

/** What is seen of one of several runs first; of one that cannot be read, why not. */
export type FirstLook =
  | { readonly name: string; readonly detail: RunDetail; readonly series: Series }
  | { readonly name: string; readonly problem: string };

/** New evaluations, as they are appended: one array entry each, null where a line lacks the number. */
export interface NewPoints extends Place {
  readonly step: readonly number[];
  readonly time: readonly (number | null)[];
  readonly objective: readonly (number | null)[];
  readonly residual: readonly (number | null)[];
  /** None where they are many. */
  readonly requirements: Readonly<
    Record<string, Readonly<Record<"slack" | "relaxation" | "price", readonly (number | null)[]>>>
  >;
  readonly other: Readonly<Record<string, readonly (number | null)[]>>;
  /** Of a federated run: what each client has in the last of these rounds. */
  readonly clients: ClientValues | null;
}

/** One array a quantity, one number a client. */
export type ClientValues = Readonly<Record<string, readonly (number | null)[]>>;

/** The curves of a federation, client by client. */
export interface Federation extends Place {
  /** The rounds that follow, in order: all of them, or evenly spaced ones where there are many. */
  readonly rounds: readonly number[];
  readonly clients: readonly ClientValues[];
  readonly objective: Curve;
  /** What the report knows of each client: numbers by name. */
  readonly attributes: ClientValues;
}

/** Runs that were published, with everything a page asks a server for. */
export interface Published {
  readonly list: RunList;
  readonly runs: Readonly<
    Record<
      string,
      {
        readonly detail: RunDetail;
        readonly series: Series;
        readonly federation: Federation | null;
        /** Counts over its held-out rows, and none of the rows. */
        readonly model: ModelView | null;
        /** Where its files lie. */
        readonly files: string;
      }
    >
  >;
}
