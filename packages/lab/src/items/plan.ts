// The plan over all items: each run once, by priority; which runs are done, which are missing, and how long those take here.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Device } from "@pliant/engine/device";
import { sum } from "../statistics.js";
import type { Finished, Item, PlannedRun, Size } from "./item.js";
import { byStage } from "./stages.js";
import { verdictOf } from "./verdict.js";

export interface PlanOptions {
  /** Holds the run folders. */
  readonly out: string;
  /** Holds recorded run folders, which count as done. */
  readonly records?: string;
  readonly size: Size;
  readonly device: Device;
}

/** Every run of the items once, the most useful first; among equals in the order of the items. */
export function planOf(items: readonly Item[], size: Size): PlannedRun[] {
  const runs = new Map<string, PlannedRun>();
  for (const item of items)
    for (const run of item.runs(size)) {
      const known = runs.get(run.folder);
      if (!known || run.stage < known.stage) runs.set(run.folder, run);
    }
  return [...runs.values()].sort((a, b) => a.stage - b.stage);
}

const json = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

/** The run with its files, where it is finished. */
export function finished(out: string, run: PlannedRun): Finished | undefined {
  const [asked, report] = ["run.json", "report.json"].map((file) => join(out, run.folder, file));
  return existsSync(report) && existsSync(asked)
    ? { run, asked: json(asked), report: json(report) }
    : undefined;
}

/** Why a run failed, if it did. */
export function failure(out: string, run: PlannedRun): string | undefined {
  const file = join(out, run.folder, failureFile);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}
export const failureFile = "failed.txt";

export interface ItemStatus {
  readonly name: string;
  /** How many runs it needs, and how many of them are done or have failed. */
  readonly runs: number;
  readonly done: number;
  readonly failed: number;
  /** Seconds of training of those that are done. */
  readonly seconds: number;
  /** An estimate for those that are not. */
  readonly secondsLeft: number;
  readonly verdict: string;
}

export interface Status {
  readonly items: readonly ItemStatus[];
  /** Over all items, shared runs once. */
  readonly runs: number;
  readonly done: number;
  readonly secondsLeft: number;
  /** The next run. */
  readonly next?: string;
  /** Missing runs, stage by stage in the order of the plan. */
  readonly waiting: readonly WaitingStage[];
}

export interface WaitingStage {
  readonly name: string;
  readonly runs: readonly string[];
  readonly secondsLeft: number;
}

/** The run with its files, if it is finished or on record. */
const known = (
  run: PlannedRun,
  { out, records }: Pick<PlanOptions, "out" | "records">,
): Finished | undefined => finished(out, run) ?? (records === undefined ? undefined : finished(records, run));

/** The runs of a plan that are neither finished nor on record. */
export const missingOf = (
  plan: readonly PlannedRun[],
  places: Pick<PlanOptions, "out" | "records">,
): PlannedRun[] => plan.filter((run) => !known(run, places));

export function statusOf(items: readonly Item[], options: PlanOptions): Status {
  const { out, size, device } = options;
  const plan = planOf(items, size);
  const found = new Map(plan.map((run) => [run.folder, known(run, options)]));
  const paces = paceOf(plan, found, device);
  const left = (runs: readonly PlannedRun[]): number =>
    sum(runs.filter((run) => !found.get(run.folder)).map((run) => paces(run) * run.seconds(device)));
  const seconds = (run: PlannedRun): number => run.family.secondsOf(found.get(run.folder)?.report) ?? 0;
  return {
    items: items.map((item) => {
      const runs = distinct(item.runs(size));
      const done = runs.flatMap((run) => found.get(run.folder) ?? []);
      return {
        name: item.name,
        runs: runs.length,
        done: done.length,
        failed: runs.filter((run) => !found.get(run.folder) && failure(out, run) !== undefined).length,
        seconds: sum(runs.map(seconds)),
        secondsLeft: left(runs),
        verdict: done.length === 0 ? "not run" : verdictFor(item, done, runs, size),
      };
    }),
    runs: plan.length,
    done: plan.filter((run) => found.get(run.folder)).length,
    secondsLeft: left(plan),
    next: plan.find((run) => !found.get(run.folder) && failure(out, run) === undefined)?.name,
    waiting: byStage(plan.filter((run) => !found.get(run.folder))).map(({ name, runs }) => ({
      name,
      runs: runs.map((run) => run.name),
      secondsLeft: left(runs),
    })),
  };
}

export const distinct = (runs: readonly PlannedRun[]): PlannedRun[] => [
  ...new Map(runs.map((run) => [run.folder, run])).values(),
];

/** An item's verdict from its finished runs; a small version only shows that it works. */
export function verdictFor(
  item: Item,
  done: readonly Finished[],
  needed: readonly PlannedRun[],
  size: Size,
): string {
  if (size === "small") return done.length < needed.length ? "works so far" : "works";
  return verdictOf(item.show(done, needed));
}

/** How much longer than estimated runs of a family took, on this kind of device. */
function paceOf(
  plan: readonly PlannedRun[],
  found: ReadonlyMap<string, Finished | undefined>,
  device: Device,
): (run: PlannedRun) => number {
  const measured = plan.flatMap((run) => {
    const done = found.get(run.folder);
    const seconds = run.family.secondsOf(done?.report);
    const here = (done?.asked as { device?: Device } | undefined)?.device === device;
    return here && seconds !== undefined
      ? [{ family: run.family, seconds, estimated: run.seconds(device) }]
      : [];
  });
  return ({ family }) => {
    const alike = measured.filter((run) => run.family === family);
    return alike.length === 0 ? 1 : sum(alike.map((m) => m.seconds)) / sum(alike.map((m) => m.estimated));
  };
}
