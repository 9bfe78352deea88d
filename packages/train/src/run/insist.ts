// What it would cost a finished run to insist on a requirement, at its level or another.

import { createSolver, InputError, insist, PliantError, type SolverState, unknownName } from "@pliant/core";
import { full } from "@pliant/engine";
import { decodeState, openIn } from "@pliant/learn/runs";
import { existsSync, join, readFileSync } from "@pliant/platform";
import { everyFor, stepsFor } from "../fit/budget.js";
import { solverOptions } from "../fit/solving.js";
import { atShare } from "../fit/surrogate-weight.js";
import { bestFile } from "../fit/watch.js";
import { figure } from "../format/figure.js";
import { readLevel, showRelative } from "../grammar/level.js";
import { namesMeant } from "../problem/names.js";
import { prepare } from "../problem/prepare.js";
import type { Stated } from "../problem/stated.js";
import { askedOf, type Insisting } from "../questions/answers.js";
import { insistByThreshold } from "../questions/insist-on-decision.js";
import { leastOf } from "../questions/least.js";
import { outOfReach, toldOf } from "../questions/measure.js";
import { reachedOf } from "../report/requirement-view.js";
import { readSpec } from "../spec/spec-file.js";
import { word } from "../store/files.js";
import { finishedRun, goingOn, specCopy, startedOn } from "./asked.js";

export interface InsistedOn {
  /** The requirement, as reports print it. */
  readonly name: string;
  readonly insisting: Insisting;
  /** What was insisted on and what it came to, in words. */
  readonly asked: string;
  readonly reached: string;
  /** What the run reached without, in words; of a relative level not, as it is another number. */
  readonly before?: string;
  /** Whether the level is relative to the metric overall. */
  readonly relative: boolean;
}

/** The level as a person writes it; default: the requirement's own. */
export async function insistOn(folder: string, given: string, text?: string): Promise<InsistedOn> {
  const { asked, report } = finishedRun(folder);
  const known = Object.keys(report.requirements);
  const [name, ...more] = namesMeant(given, known);
  if (name === undefined) throw unknownName("a requirement of the run", given, known);
  if (more.length > 0)
    throw new InputError(
      `"${given}" is several requirements of the run; name one: ${[name, ...more].join("; ")}.`,
    );
  if (report.requirements[name].status === "violated")
    throw new PliantError(
      `${name} is already hard in the run in ${folder}, and violated. See npx pliant report ${word(folder)}.`,
    );
  if (!report.certificate.holds && !report.requirements[name].decidedOn)
    throw new PliantError(
      `the run in ${folder} is not certified, so there is no cost to compare with: ${report.certificate.short.join("; ")}. To find out whether ${name} can be met, train with it hard: npx pliant train ${word(join(folder, specCopy))} --hard "${name}"`,
    );
  const training = await prepare(readSpec(join(folder, specCopy)));
  const { task } = training;
  const stated = task.stated.find((s) => s.name === name)!;
  if (stated.perExample)
    throw new InputError(
      `${name} is on every example; insist on it with pliant train --hard "${stated.of}".`,
    );
  const level = text === undefined ? undefined : levelOf(text, stated);
  const decided = report.requirements[name];
  if (decided.decidedOn) {
    const insisting = insistByThreshold(folder, stated, {
      ...{ spec: asked.spec, training },
      ...(level !== undefined && { level }),
    });
    return {
      ...{ name, insisting, relative: stated.relative !== undefined },
      reached: figure(insisting.reached, decided.unit),
      ...(!stated.relative && { before: reachedOf(report, decided) }),
      asked: askedOf({ ...decided, ...(level !== undefined && { level, relative: text }) }),
    };
  }
  const { device, precision } = startedOn(asked);
  const backend = await openIn(device, precision);
  try {
    const seen = await task.solvedOn(0);
    const whole = await createSolver(
      task.problem,
      solverOptions(asked.spec, { ...seen, decay: full([], asked.capacity.decay) }, backend),
    );
    const solver = atShare(whole, report.share);
    const stateIn = (file: string): SolverState => {
      if (!existsSync(file)) throw new InputError(`the run in ${folder} has no ${file} to start from.`);
      return decodeState<SolverState>(readFileSync(file), file);
    };
    // At less than the whole costs the model is another, and what is insisted on is nearer to that at all of them.
    const last = stateIn(join(folder, "checkpoint.safetensors"));
    const kept = report.share === undefined ? last : stateIn(join(folder, bestFile));
    const solution = await goingOn(folder, solver.inspect(kept));
    const before = solution.report.requirements[name];
    const least = await leastOf(stated, solution.params, {
      ...{ spec: asked.spec, training, seen, backend, ...(level !== undefined && { level }) },
    });
    const beyond = outOfReach(least, { ...before, ...(level !== undefined && { level }) });
    if (beyond)
      return {
        ...{ name, insisting: beyond, relative: false, reached: figure(beyond.reached, before.unit) },
        before: reachedOf(report, report.requirements[name]),
        asked: askedOf({ ...before, ...(level !== undefined && { level }) }),
      };
    const start = report.totals?.whole === undefined ? solution.state : last;
    const found = await insist(solver, { ...solution, state: start }, name, {
      steps: stepsFor(asked.spec, asked.data.train),
      every: everyFor(asked.spec),
      ...(level !== undefined && { level }),
    });
    const value = stated.relative
      ? showRelative({ ...stated.relative, offset: Number(found.reached.toPrecision(3)) })
      : figure(found.reached, before.unit);
    const insisting = toldOf(found, solution.report);
    const { looser } = insisting;
    const own = report.requirements[name];
    return {
      name,
      reached: value,
      ...(!stated.relative && { before: reachedOf(report, own) }),
      // A relative level is a difference to the solver, and what it gave way to is what a looser one is beside.
      insisting: {
        ...insisting,
        ...(looser && {
          looser: { ...looser, than: `${askedOf(own)}, which came to ${reachedOf(report, own)}` },
        }),
      },
      asked: askedOf({
        ...report.requirements[name],
        ...(level !== undefined && { level, relative: text }),
      }),
      relative: stated.relative !== undefined,
    };
  } finally {
    await backend.close();
  }
}

/** A number, or of a relative level another one relative to the same. */
function levelOf(text: string, { relative, name }: Stated): number {
  if (!relative) {
    const level = Number(text);
    if (text.trim() !== "" && Number.isFinite(level)) return level;
    throw new InputError(`"${text}" is not a level of ${name}; write a number.`);
  }
  const { factor, offset } = readLevel(text);
  if (factor === relative.factor) return offset;
  throw new InputError(
    `${name} was trained beside overall × ${relative.factor}; another factor is another run: pliant train --set.`,
  );
}
