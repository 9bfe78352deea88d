// Decisions after scores. It begins at the free model and the threshold that does best with it on held-out rows, and leaves that only
// for a gain beyond chance there: scores are pressed where groups are asked about and the threshold alone leaves something undone.
import type { Solution } from "@pliant/core";
import type { Backend } from "@pliant/engine";
import type { Params } from "@pliant/learn";
import type { Examples, Target } from "../data/examples.js";
import {
  type Scaling,
  scaledDecision,
  scaledParams,
  scaledScores,
  scalingOf,
} from "../decision/calibrate.js";
import { bestCut, judge, type Question, type Scored } from "../decision/cut.js";
import { askedIn, isAsked, questionOf } from "../decision/question.js";
import { type Calibration, calibrationOf } from "../evaluate/calibration.js";
import { groupedBy } from "../problem/check-decision.js";
import type { Decision } from "../problem/decision.js";
import type { Training } from "../problem/prepare.js";
import type { Stated } from "../problem/stated.js";
import type { Spec } from "../spec/spec.js";
import { type HeldOut, heldOutFor, scoredBy, scorer, takeExamples } from "./cross-fit.js";
import { alike, press, type Standing, standingOf, totalOf } from "./press.js";

type Classes = Extract<Target, { kind: "class" }>;

/** What decisions came to, and on which rows. */
export interface Decided {
  readonly decision: Decision;
  /** The model, where its scores were pressed. */
  readonly params?: Params;
  readonly heldOut: HeldOut;
  readonly scored: Scored;
  readonly question: Question;
  readonly by?: string;
  /** The chosen one, and the free model with its threshold. */
  readonly chosen: Standing;
  readonly free: Standing;
  /** Whether pressing was tried, and whether it was taken. */
  readonly tried: boolean;
  readonly pressed: boolean;
  /** What pressing gains over the free model there, where it found anything, taken or not. */
  readonly gain?: Gain;
  /** The calibration on the held-out rows, before and after recalibration. */
  readonly calibration?: { readonly before: Calibration; readonly after: Calibration };
}

/** By how much a total and the largest violation fall, each with its standard error. */
export interface Gain {
  readonly total: number;
  readonly totalError: number;
  readonly violation: number;
  readonly violationError: number;
}

export interface Deciding {
  readonly spec: Spec;
  readonly training: Training;
  readonly backend: Backend;
  readonly decay: number;
  /** Steps of a fold's model; default: those of the run. */
  readonly foldSteps?: number;
  show(line: string, done?: number): void;
}

/** Undefined without requirements on decisions: the likeliest class is then predicted. */
export async function decide(
  { params, report, steps }: Pick<Solution<Params, string>, "params" | "report" | "steps">,
  deciding: Deciding,
): Promise<Decided | undefined> {
  const { spec, training, backend, decay, foldSteps = steps, show } = deciding;
  const { task, prepared, facts } = training;
  if (!isAsked(task.stated, spec, prepared)) return undefined;
  const target = prepared.target as Classes;
  const classes = target.classes.length;
  const heldOut = await heldOutFor(params, { spec, training, backend, decay, steps: foldSteps, show });
  const score = scorer(task, prepared, backend);
  const asked = askedIn(task.stated, spec);
  const ask = (examples: Examples): Question => questionOf(spec, asked, { target, examples });
  const question = ask(heldOut.examples);
  const by = groupedBy(spec);
  const scored = await scoredBy(heldOut, score, classes);
  const free = standingOf(heldOut, scored, bestCut(scored, question, { by }));
  const common = { heldOut, question, ...(by !== undefined && { by }), free };
  const tried =
    heldOut.rows !== "train" && isPressable(asked, spec, facts) && leavesSomething(free, question, by);
  const kept = { ...common, decision: free.cut.decision, scored, chosen: free, tried, pressed: false };
  if (!tried) return kept;
  const found = await press(free, {
    ...{ training, backend, decay, question, learnt: ask(prepared.train), score, show },
    ...(by !== undefined && { by }),
    others: Object.fromEntries(
      Object.entries(report.requirements)
        .filter(
          ([name, { cost }]) => cost !== "free" && !task.stated.find((s) => s.name === name)?.perExample,
        )
        .map(([name, { price, relaxation }]) => [name, { price, relaxation }]),
    ),
    linear: spec.model.kind === "linear",
  });
  if (found === free) return kept;
  const gain = gainOf(found, free, ask);
  if (!isSure(gain)) return { ...kept, gain };
  const pressed = found.heldOut.models[found.heldOut.models.length - 1].params;
  const plain = { ...common, chosen: found, tried, pressed: true, gain, scored: found.scored };
  // A monotone model applies the squares of its weights, so no layer can take a scaling.
  if (facts.monotone) return { ...plain, decision: found.cut.decision, params: pressed };
  const scaling: Scaling = scalingOf(found.scored);
  const straight = scaledScores(found.scored, scaling);
  const decision = scaledDecision(found.cut.decision, scaling);
  return {
    ...plain,
    scored: straight,
    decision,
    params: scaledParams(pressed, scaling),
    chosen: {
      ...{ ...found, scored: straight, losses: found.straight, cut: { ...found.cut, decision } },
      heldOut: {
        ...found.heldOut,
        models: found.heldOut.models.map((one) => ({ ...one, params: scaledParams(one.params, scaling) })),
      },
    },
    calibration: { before: calibrationIn(found.scored, target), after: calibrationIn(straight, target) },
  };
}

/** Groups are what scores are pressed for: one rate, two rates, precision or costs are the threshold's work. */
const isPressable = (
  asked: readonly Stated[],
  { model, objective }: Spec,
  { shape }: Training["facts"],
): boolean =>
  shape.length === 1 &&
  (model.kind === "linear" || model.kind === "mlp") &&
  [undefined, "cross-entropy"].includes(objective.loss) &&
  asked.some(({ group, worst, base }) => group || worst || base);

/** Below this nobody would notice. */
const noticeable = 1e-3;

/** Whether the free model with its threshold misses something, or pays for it. */
function leavesSomething({ scored, cut }: Standing, question: Question, by: string | undefined): boolean {
  const without = bestCut(scored, { ...question, rules: [] }, { by });
  return cut.violation > 1e-9 || cut.gave > noticeable || cut.cost > without.cost + noticeable;
}

/** Parts of the rows, each left out once. */
const parts = 20;

/** Standard errors that a gain must exceed: with two, models that were better on test rows were refused more often than worse ones. */
const sureBy = 1;

/** Errors by the jackknife, which leaves out one part of the rows after another. */
function gainOf(found: Standing, free: Standing, ask: (examples: Examples) => Question): Gain {
  const { examples } = found.scored;
  const without = Array.from({ length: parts }, (_, part) => {
    const rows = Array.from({ length: examples.count }, (_, i) => i).filter((i) => i % parts !== part);
    const question = ask(takeExamples(examples, rows));
    const [pressed, moved] = [found, free].map(({ straight, cut }) => {
      const given = Int32Array.from(rows, (i) => cut.given[i]);
      const judged = { ...cut, ...judge(question, given) };
      return {
        total: totalOf({ straight: Float64Array.from(rows, (i) => straight[i]), cut: judged }),
        violation: Math.sqrt(judged.violation),
      };
    });
    return { total: moved.total - pressed.total, violation: moved.violation - pressed.violation };
  });
  return {
    total: totalOf(free) - totalOf(found),
    totalError: jackknife(without.map(({ total }) => total)),
    violation: Math.sqrt(free.cut.violation) - Math.sqrt(found.cut.violation),
    violationError: jackknife(without.map(({ violation }) => violation)),
  };
}

/** Whether violations fall by more than a point, or the total falls, beyond chance. */
const isSure = ({ total, totalError, violation, violationError }: Gain): boolean =>
  violation > Math.max(0.01, sureBy * violationError) || (violation > -alike && total > sureBy * totalError);

/** The standard error of a number whose values without each part are given. */
function jackknife(values: readonly number[]): number {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt((squares * (values.length - 1)) / values.length);
}

/** For the positive class, or for the likeliest of several. */
function calibrationIn(
  { scores, examples, classes }: Scored,
  { positive = 1, classes: names }: Classes,
): Calibration {
  const y = examples.y.data;
  const n = examples.count;
  if (classes === 2) {
    const sign = positive === 1 ? 1 : -1;
    const p = Float64Array.from({ length: n }, (_, i) => 1 / (1 + Math.exp(-sign * scores[i])));
    return calibrationOf(
      p,
      Float64Array.from({ length: n }, (_, i) => Number(y[i] === positive)),
      names[positive],
    );
  }
  const [p, right] = [new Float64Array(n), new Float64Array(n)];
  for (let i = 0; i < n; i++) {
    const own = scores.subarray(i * classes, (i + 1) * classes);
    const top = Math.max(...own);
    p[i] = 1 / own.reduce((sum, z) => sum + Math.exp(z - top), 0);
    right[i] = Number(own.indexOf(top) === y[i]);
  }
  return calibrationOf(p, right);
}
