// What it would cost a finished run to insist on a rate of decisions, at its level or another: the threshold is solved again from the
// scores that the run keeps of held-out rows.
import { InputError } from "@pliant/core";
import { givenIn, judge } from "../decision/cut.js";
import { readDecision } from "../decision/file.js";
import { askedIn, currencyOf, questionOf } from "../decision/question.js";
import { readHeldOut } from "../explain/held-out.js";
import { foldOf, takeExamples } from "../fit/cross-fit.js";
import { isPair, signOf } from "../problem/decision.js";
import type { Training } from "../problem/prepare.js";
import type { Stated } from "../problem/stated.js";
import type { Spec } from "../spec/spec.js";
import type { Insisting } from "./answers.js";
import { insistingOf } from "./decision-cost.js";

/** The rows whose scores a run keeps, as it has them in its file. */
function rowsOf({ prepared, task }: Training, { of, rows }: { of: string; rows: number }, spec: Spec) {
  const { train, validation } = prepared;
  if (of === "validation") return validation!;
  if (rows === train.count) return train;
  const fold = foldOf(train, task.stated, spec.seed);
  return takeExamples(
    train,
    Array.from(fold.keys()).filter((i) => fold[i] === 0),
  );
}

/** At another level where one is given. */
export function insistByThreshold(
  folder: string,
  stated: Stated,
  { spec, training, level }: { spec: Spec; training: Training; level?: number },
): Insisting {
  const { target } = training.prepared;
  const decision = readDecision(folder);
  if (!isPair(target) || !decision)
    throw new InputError(
      `${stated.name} is decided by offsets of several classes, whose scores a run does not keep; insist on it with pliant train --hard "${stated.of}".`,
    );
  const kept = readHeldOut(folder);
  const examples = rowsOf(training, kept, spec);
  if (kept.score.length !== examples.count)
    throw new InputError(`the data of ${folder} changed since it was trained; train it again.`);
  const scores = Float64Array.from(kept.score, (s) => signOf(target) * s);
  const scored = { scores, examples, classes: 2 };
  const all = askedIn(training.task.stated, spec);
  const own = level === undefined ? stated : { ...stated, level };
  const asked = all.map((s) => (s.name === stated.name ? own : s));
  const question = questionOf(spec, asked.includes(own) ? asked : [...asked, own], { target, examples });
  const cut = { decision, ...judge(question, givenIn(decision, scored)) };
  return insistingOf(
    {
      ...{ scored, question, cut, currency: currencyOf(all, spec), positive: target.positive ?? 1 },
      ...(decision.by && { by: decision.by.column }),
    },
    question.rules.findIndex((rule) => rule.stated === own),
  );
}
