// The verdict on a study: how many of its runs meet everything that was asked, which is the one to take, and the answers to a reader's
// questions about all of them.
import type { RunDetail } from "../../../src/api.js";
import type { Came, Study, StudyRun } from "../../../src/study.js";
import { number } from "../lib/format.js";
import { fullTitleOf, settingWords } from "../lib/names.js";
import { type Answer, besides } from "../words/answers.js";
import type { NextStep } from "../words/next-step.js";
import type { Headline, Shown } from "../words/overview.js";
import { askedOf, listed } from "../words/verdict.js";
import { afterFolds, studyNext } from "./next.js";
import { bestOf, closestOf, isSound, judgedBy, meetsAll, shortfall, spreadOf } from "./summary.js";

export interface StudyVerdict extends Omit<Shown, "next"> {
  readonly headline: Headline;
  readonly stands: string;
  /** The run to go on with, which knows the next step unless the study has one. */
  readonly subject: StudyRun | undefined;
  /** Of the run that is read for it: the subject's own, or the first of several folds. */
  readonly from: StudyRun | undefined;
  nextFrom(detail: RunDetail): NextStep | undefined;
}

/** Folds are one model tried on several parts of the rows: the luckiest part is no better a model. */
export const onlyFolds = ({ settings }: Study): boolean =>
  settings.length > 0 && settings.every((name) => name === "fold");

export function studyVerdict(study: Study): StudyVerdict {
  const { runs } = study;
  const by = judgedBy(study);
  const [best, closest] = onlyFolds(study) ? [] : [bestOf(runs, by), closestOf(runs)];
  const subject = best ?? closest ?? (onlyFolds(study) ? undefined : leastOf(runs));
  return {
    ...standing(study),
    headline: headlineOf(study, best, closest),
    answers: runs.some(({ came }) => Object.keys(came).length > 0)
      ? [whatWasAsked(study), didItHold(study), whatGaveWay(runs), whatItCosts(study, best, closest)]
      : [],
    subject,
    from: subject ?? runs[0],
    nextFrom: onlyFolds(study)
      ? afterFolds
      : (detail) => studyNext(study, subject, subject ? settingsOf(subject) : "", detail),
  };
}

const one = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** A run among those of its study: by what was set. */
export const settingsOf = ({ settings, summary }: StudyRun): string =>
  Object.entries(settings)
    .map(([name, value]) => settingWords(`${name} ${value}`))
    .join(", ") || fullTitleOf(summary);

/** What the runs are called together. */
const noun = (study: Study): string => (onlyFolds(study) ? "fold" : "run");

function standing(study: Study): Pick<StudyVerdict, "tone" | "stands"> {
  const { runs } = study;
  const training = runs.filter(({ summary }) => summary.status === "running").length;
  if (training > 0)
    return { tone: "busy", stands: `${training} of ${one(runs.length, "run")} still training` };
  const meeting = runs.filter(meetsAll).length;
  const sound = runs.filter(isSound).length;
  const stands = `${meeting === 0 ? "no" : meeting} ${noun(study)} of ${runs.length} meets everything asked`;
  const all = meeting > 0 && (!onlyFolds(study) || meeting === runs.length);
  const violated = runs.some(({ summary }) => summary.violated);
  return {
    tone: all ? "good" : sound > 0 || !violated ? "open" : "bad",
    stands:
      meeting > 1 ? stands.replace("meets", "meet").replace(` ${noun(study)} `, ` ${noun(study)}s `) : stands,
  };
}

function headlineOf(study: Study, best: StudyRun | undefined, closest: StudyRun | undefined): Headline {
  const by = judgedBy(study);
  if (onlyFolds(study)) return foldsLine(study, by);
  if (best)
    return [`Best: ${settingsOf(best)}`, ` meets everything asked, with a ${by} of ${numberOf(best, by)}.`];
  if (closest) {
    const [name, { beyond }] = mostBeyond(closest);
    const others = Object.entries(closest.came).filter(([other, came]) => other !== name && came.beyond > 0);
    const too = others.map(([other, came]) => `, and ${other} ${number(came.beyond, 3)}`).join("");
    const beside = Object.hasOwn(closest.values, by) ? `, with a ${by} of ${numberOf(closest, by)}` : "";
    return [
      `Closest: ${settingsOf(closest)}`,
      `. No run meets everything asked; there ${name} is ${number(beyond, 3)} beyond its level${too}${beside}.`,
    ];
  }
  return ["No run is settled", ": none is certified, or counted on held-out rows, without a violation."];
}

/** How sure a number is: that is what folds are for. */
function foldsLine({ runs }: Study, by: string): Headline {
  const spread = spreadOf({ runs }, by);
  if (!spread) return [`${one(runs.length, "fold")}`, ", each tested on other rows."];
  const about = `${number(spread.mean, 3)} ± ${number(spread.deviation, 2)}`;
  return [
    `A ${by} of ${about}`,
    ` over ${one(spread.count, "fold")}, each tested on other rows; no fold is a better model than another.`,
  ];
}

/** With its interval, where it has one. */
function numberOf({ values, intervals }: StudyRun, name: string): string {
  const interval = Object.hasOwn(intervals, name) ? intervals[name] : undefined;
  const range = interval ? ` (${number(interval[0], 3)}–${number(interval[1], 3)})` : "";
  return `${number(values[name], 3)}${range}`;
}

const mostBeyond = ({ came }: StudyRun): [string, Pick<Came, "beyond">] =>
  Object.entries(came).reduce<[string, Pick<Came, "beyond">]>(
    (a, b) => (b[1].beyond > a[1].beyond ? b : a),
    ["nothing", { beyond: 0 }],
  );

/** Of runs that nobody can go by, the one that misses by least. */
const leastOf = (runs: readonly StudyRun[]): StudyRun | undefined =>
  runs.reduce<StudyRun | undefined>((a, b) => (a && shortfall(a) <= shortfall(b) ? a : b), undefined);

const namesIn = (runs: readonly StudyRun[]): string[] => [
  ...new Set(runs.flatMap(({ came }) => Object.keys(came))),
];

/** Requirements that an answer has room for. */
const mostAsked = 4;

function whatWasAsked(study: Study): Answer {
  const names = namesIn(study.runs);
  const words = names.map((name) => {
    const all = study.runs.flatMap(({ came }) => (Object.hasOwn(came, name) ? [came[name]] : []));
    const [first, ...levels] = [...new Set(all.map(askedOf))];
    const others = levels.map((level) => level.replace(`${all[0].sense} `, ""));
    const asked = others.length > 2 ? `at ${levels.length + 1} levels` : [first, ...others].join(", ");
    return `${name} ${asked}${all.some(({ hard }) => hard) ? " (hard)" : ""}`;
  });
  const more = words.length > mostAsked ? [`${words.length - mostAsked + 1} others`] : [];
  const over = study.settings.map((name) => {
    const values = [...new Set(study.runs.flatMap(({ settings }) => settings[name] ?? []))];
    return `${settingWords(name)} ${values.length > 6 ? `${values[0]} to ${values.at(-1)}` : values.join(", ")}`;
  });
  return {
    question: "What was asked",
    answer: one(names.length, "requirement"),
    detail: [
      ...words.slice(0, more.length > 0 ? mostAsked - 1 : mostAsked),
      ...more,
      ...(over.length > 0 ? [`tried over ${over.join("; ")}`] : []),
    ].join("; "),
  };
}

function didItHold(study: Study): Answer {
  const { runs } = study;
  const meeting = runs.filter(meetsAll).length;
  const violated = runs.filter(({ summary }) => summary.violated).length;
  const gave = runs.filter((run) => isSound(run) && !meetsAll(run)).length;
  const rest = runs.length - meeting - violated - gave;
  const parts = [
    ...(gave > 0 ? [`in ${gave} something gave way`] : []),
    ...(violated > 0 ? [`${violated} violated`] : []),
    ...(rest > 0 ? [`${rest} not certified or not finished`] : []),
  ];
  return {
    question: "Did it hold",
    answer: `in ${meeting} of ${one(runs.length, noun(study))}`,
    detail: parts.join("; ") || "everything asked holds in all of them",
    tone: meeting === runs.length ? "met" : violated > 0 && meeting === 0 ? "missed" : "gave",
  };
}

/** What is beyond its level in most runs, and how far. */
function whatGaveWay(runs: readonly StudyRun[]): Answer {
  const question = "What gave way";
  const found = namesIn(runs)
    .map((name) => {
      const missing = runs.filter(({ came }) => (came[name]?.beyond ?? 0) > 0);
      return {
        name,
        by: missing.map(({ came }) => came[name].beyond),
        violated: missing.some((run) => run.came[name].hard),
      };
    })
    .filter(({ by }) => by.length > 0)
    .sort((a, b) => b.by.length - a.by.length || Math.max(...b.by) - Math.max(...a.by));
  if (found.length === 0)
    return { question, answer: "Nothing", detail: "every level is met in every run", tone: "met" };
  const [{ name, by, violated }, ...others] = found;
  const [low, high] = [number(Math.min(...by), 3), number(Math.max(...by), 3)];
  return {
    question: violated ? "What does not hold" : question,
    answer: name,
    detail: `${violated ? "violated" : "beyond its level"} in ${by.length} of ${one(runs.length, "run")}, by ${low === high ? low : `${low} to ${high}`}${
      others.length > 0
        ? `; also ${listed(others.map((other) => `${other.name} by up to ${number(Math.max(...other.by), 3)}`))}`
        : ""
    }`,
    tone: violated ? "missed" : "gave",
  };
}

/** What gives way instead where a run insists on a requirement at its own level. */
const moved = ({ insisted, levels }: StudyRun, name: string): Readonly<Record<string, number>> =>
  insisted.find((one) => one.requirement === name && one.level === levels[name]?.level)?.others ?? {};

/** What meeting everything costs beside the run with the least loss; where no run does, what insisting was measured to cost. */
function whatItCosts(study: Study, best: StudyRun | undefined, closest: StudyRun | undefined): Answer {
  const question = "What it costs";
  const by = judgedBy(study);
  const sound = study.runs.filter((run) => isSound(run) && Object.hasOwn(run.values, by));
  const free = sound.reduce<StudyRun | undefined>(
    (a, b) => (a && a.values[by] <= b.values[by] ? a : b),
    undefined,
  );
  if (best && free) {
    const more = best.values[by] - free.values[by];
    if (!(more > 0))
      return {
        question,
        answer: "0",
        detail: `the best run also has the least ${by} of the settled runs`,
      };
    return {
      question,
      answer: `${number(more, 2)} of ${by}`,
      detail: `more than in ${settingsOf(free)}, in which something gave way`,
    };
  }
  if (closest) {
    const [name] = mostBeyond(closest);
    const costs = closest.values[`${name}: insisting costs`];
    const more = besides(moved(closest, name)) && ", and how much more others then give way";
    if (costs !== undefined)
      return {
        question,
        answer: `${number(costs, 2)} of ${closest.levels[name]?.in ?? "loss"}${besides(moved(closest, name))}`,
        detail: `to insist on ${name} in the closest run${more}`,
      };
    return {
      question,
      answer: "not measured",
      detail: `what insisting on ${name} costs is measured by the command below`,
    };
  }
  return {
    question,
    answer: "not known",
    detail: onlyFolds(study)
      ? "folds tell how sure a number is, not what it costs"
      : "known once a run is certified",
  };
}
