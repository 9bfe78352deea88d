// The material of the pages: every item with its finished runs, what they show, and how its numbers are judged.
import type { Finished, Item, PlannedRun, Shown, Size } from "../items/item.js";
import { distinct, finished } from "../items/plan.js";
import { type Judged, judge } from "../items/verdict.js";
import { sum } from "../statistics.js";

export interface Section {
  readonly item: Item;
  readonly needed: readonly PlannedRun[];
  readonly done: readonly Finished[];
  readonly shown: Shown;
  readonly judged: readonly Judged[];
}

export const sectionsOf = (items: readonly Item[], runs: string, size: Size): Section[] =>
  items.map((item) => {
    const needed = distinct(item.runs(size));
    const done = needed.flatMap((run) => finished(runs, run) ?? []);
    const shown = item.show(done, needed);
    return { item, needed, done, shown, judged: shown.comparisons.map(judge) };
  });

/** Seconds of training on record, and how many seeds a setting has at most. */
export const secondsOf = ({ done }: Section): number =>
  sum(done.map(({ run, report }) => run.family.secondsOf(report) ?? 0));

export const itemPage = ({ item }: Section): string => `items/${item.name}.md`;
