// The columns of a study's table: its settings, how each run stands, and every number; with them runs are filtered and sorted.
import type { RunSummary } from "../../../src/api.js";
import type { Study, StudyRun } from "../../../src/study.js";
import { titleOf } from "../lib/names.js";
import type { Column, Value } from "../runs/columns.js";
import { standingOf } from "../words/standing.js";
import { isSound, judgedBy, meetsAll, shortfall } from "./summary.js";

export function studyColumns(study: Study): Column[] {
  const runs = new Map(study.runs.map((run) => [run.summary.name, run]));
  const of = (key: string, value: (run: StudyRun) => Value, numeric = true): Column => ({
    key,
    label: key,
    numeric,
    value: ({ name }: RunSummary) => {
      const run = runs.get(name);
      return run ? value(run) : null;
    },
  });
  const isNumeric = (name: string): boolean =>
    study.runs.every(({ settings }) => typeof (settings[name] ?? 0) === "number");
  return [
    { key: "name", label: "run", numeric: false, value: titleOf },
    ...study.settings.map((name) => of(name, ({ settings }) => settings[name] ?? null, isNumeric(name))),
    { key: "standing", label: "standing", numeric: false, value: (run) => standingOf(run).words },
    ...study.values
      .filter((name) => !study.settings.includes(name))
      .map((name) => of(name, ({ values }) => values[name] ?? null)),
  ];
}

/** Numbers of requirements shown unless others are chosen. */
const most = 4;

/** What is shown at first: the settings, how runs stand, what they are judged by and what requirements reached. */
export const usualColumns = (study: Study): string[] => [
  ...study.settings,
  "standing",
  judgedBy(study),
  ...study.values.filter((name) => name.endsWith(": reached")).slice(0, most),
];

/** Runs that meet everything, by a number; then by how far they miss their levels, the sound ones first. */
export function bestFirst(by: string): (a: StudyRun, b: StudyRun) => number {
  const rank = (run: StudyRun): number => (meetsAll(run) ? 0 : isSound(run) ? 1 : 2);
  const miss = (run: StudyRun): number => (rank(run) === 0 ? 0 : shortfall(run));
  const value = (run: StudyRun): number => run.values[by] ?? Number.MAX_VALUE;
  return (a, b) => rank(a) - rank(b) || miss(a) - miss(b) || value(a) - value(b);
}
