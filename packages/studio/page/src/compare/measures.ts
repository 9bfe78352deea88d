// What whole models do on data that was not trained on, and whether their objectives are one quantity.
import type { RunDetail } from "../../../src/api.js";
import { fields } from "../../../src/fields.js";
import { measureOf } from "../../../src/requirement.js";

export const testOf = (report: RunDetail["report"], key: string) =>
  measureOf(fields(fields(report).test)[key]);

/** The measures that one of some runs has. */
export const testNamesOf = (runs: readonly RunDetail[]): string[] =>
  [...new Set(runs.flatMap(({ report }) => Object.keys(fields(fields(report).test))))].filter((key) =>
    runs.some(({ report }) => testOf(report, key)),
  );

/** Objectives of other data, or with other costs in them, are other quantities. */
export const haveOneObjective = (runs: readonly RunDetail[]): boolean =>
  new Set(runs.map(({ summary, run }) => JSON.stringify([summary.dataset, fields(run.spec).objective])))
    .size === 1;
