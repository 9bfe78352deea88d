// What to do next about a study: with all its runs where none can be gone by, else with the one to go on with, which is named.
import type { RunDetail } from "../../../src/api.js";
import type { Study, StudyRun } from "../../../src/study.js";
import { trainCommand } from "../lib/rerun.js";
import type { NextStep } from "../words/next-step.js";
import { overviewOf } from "../words/overview.js";
import { isSound } from "./summary.js";

/** Of a run whose numbers stand for the study, by what the reader calls it. */
export function studyNext(
  study: Study,
  subject: StudyRun | undefined,
  label: string,
  detail: RunDetail,
): NextStep | undefined {
  const { next } = overviewOf(detail);
  if (!next || !subject || study.runs.length === 1) return next;
  const again = study.runs.some(isSound) ? undefined : allAgain(study, detail);
  return again ?? { ...next, words: `For ${label}: ${next.words[0].toLowerCase()}${next.words.slice(1)}` };
}

/** Folds tell how sure the numbers are: the model to use is trained once. */
export function afterFolds(detail: RunDetail): NextStep {
  const command = trainCommand(detail, ["--set", "data.test=0.2"]);
  return {
    words:
      "Folds tell how sure the numbers are; train the model to use once, with a fifth of the rows for testing.",
    ...(command && { command }),
  };
}

/** Where every run ended before it converged: the whole study with more steps. Undefined where that is not the matter, or no command says it. */
function allAgain(study: Study, detail: RunDetail): NextStep | undefined {
  const { runs, repeated, swept } = study;
  const early = runs.every(
    ({ summary }) => summary.status === "finished" && summary.certified === false && !summary.violated,
  );
  const over = [...sweepOf(study, detail), ...seedsOf(study)];
  const differing = (swept === null ? 0 : 1) + repeated.length;
  if (!early || repeated.includes("fold") || over.length !== 2 * differing) return undefined;
  const steps = Math.max(100, ...runs.map(({ summary }) => 4 * (summary.steps ?? 0)));
  const root = detail.path.slice(0, -detail.summary.name.length);
  const command = trainCommand({ ...detail, again: `${root}${study.id}-again` }, [
    ...["--set", `budget.steps=${steps}`, ...over],
  ]);
  return command === undefined
    ? undefined
    : { words: `Train all ${runs.length} runs with more steps.`, command };
}

const distinct = <T>(all: readonly T[]): T[] => [...new Set(all)];

/** Costs are multiplied: those of the run that is gone on with are already. */
function sweepOf({ runs }: Study, { summary }: RunDetail): string[] {
  const { sweep } = summary;
  const values = distinct(runs.map((run) => run.summary.sweep?.value));
  if (!sweep || values.includes(undefined)) return [];
  const factor = sweep.parameter === "cost" ? Number(sweep.value) : 1;
  const told = values.map((value) =>
    typeof value === "number" ? String(Number((value / factor).toPrecision(6))) : String(value),
  );
  return ["--sweep", `${sweep.parameter}=${told.join(",")}`];
}

/** From the first to the last, where none is left out. */
function seedsOf({ runs, repeated }: Study): string[] {
  const seeds = distinct(runs.map(({ summary }) => Number(summary.seed))).sort((a, b) => a - b);
  const [first, last] = [seeds[0], seeds[seeds.length - 1]];
  return repeated.includes("seed") && last - first === seeds.length - 1
    ? ["--seeds", `${first}-${last}`]
    : [];
}
