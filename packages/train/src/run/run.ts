// A training run in its folder: started or resumed, trained, evaluated, reported.

import { createSolver, type Solution, type Solver, type SolverState } from "@pliant/core";
import { type Backend, full, leaves, type NdArray } from "@pliant/engine";
import type { Device } from "@pliant/engine/device";
import type { Params } from "@pliant/learn";
import {
  openIn,
  type Precision,
  type Progress,
  type RunFolder,
  resumeRun,
  startRun,
  train,
} from "@pliant/learn/runs";
import { existsSync, join, rmSync } from "@pliant/platform";
import type { Part } from "../data/examples.js";
import type { Summary } from "../data/summary.js";
import { performance } from "../evaluate/evaluate.js";
import { everyFor, optimizerFor, stepsFor, takesNewton } from "../fit/budget.js";
import { type Capacity, capacityFor, lossWithout, withMore } from "../fit/capacity.js";
import type { Choices } from "../fit/choices.js";
import { type Clock, clockFrom } from "../fit/clock.js";
import type { Decided } from "../fit/decide.js";
import { partings } from "../fit/generalisation-gap.js";
import { lastStep } from "../fit/last-step.js";
import { solverOptions } from "../fit/solving.js";
import { atShare } from "../fit/surrogate-weight.js";
import { totalsOf } from "../fit/totals.js";
import { bestFile, type Merit, Overfitted, watch } from "../fit/watch.js";
import { prepare, type Training } from "../problem/prepare.js";
import type { Batch } from "../problem/problem.js";
import type { Stated } from "../problem/stated.js";
import { leastOf } from "../questions/least.js";
import { budgetFor, measureCosts, unmeasuredYet } from "../questions/measure.js";
import { decidedParts } from "../report/decided.js";
import { type TrainReport, trainReport, withAnswers, withDecaysTried } from "../report/report.js";
import type { Spec } from "../spec/spec.js";
import type { SpecFile } from "../spec/spec-file.js";
import { writeWhole } from "../store/files.js";
import {
  askedBefore,
  goingOn,
  goOnWith,
  rowsFile,
  type SweepPoint,
  specCopy,
  startedOn,
  type TrainAsked,
} from "./asked.js";
import { asking } from "./asking.js";
import {
  attemptsIn,
  forgetAttempts,
  modelOf,
  restoreAttempt,
  type StoredAttempt,
  storeAttempt,
} from "./attempt-store.js";
import { bestTry, meritOnValidation, type Try } from "./attempts.js";
import { metAlone } from "./conflict.js";
import { decideInFolder, forgetDecisions } from "./deciding.js";
import { refuseSpecFolder, storedSpec, writeSpecCopy } from "./spec-copy.js";

type Folder = RunFolder<TrainAsked, SolverState>;

/** The folder of a run, its device, and its callbacks. */
export interface RunOptions {
  readonly name: string;
  /** The run folder. */
  readonly out: string;
  readonly device?: Device;
  /** The precision of products; default: float32, which residuals need. */
  readonly precision?: Precision;
  readonly resume?: boolean;
  readonly sweep?: SweepPoint;
  /** Whether to measure, after a certified run, what insisting would cost. */
  readonly insist?: boolean;
  /** Where to start from instead of a new model: the solution of a neighbour. */
  readonly warm?: SolverState;
  readonly progress: Progress;
  /** Told what the table holds. */
  onData?(summary: Summary): void;
  /** Told what is about to be trained. */
  onStart?(asked: TrainAsked, folder: Folder): void;
}

/** A finished run. */
export interface Run {
  readonly folder: string;
  readonly report: TrainReport;
  readonly state: SolverState;
}

/**
 * Trains what a spec states, in a run folder: the data is read, the problem solved, what insisting costs measured, and the
 * report written.
 */
export async function trainInFolder(specFile: SpecFile, options: RunOptions): Promise<Run> {
  const { progress } = options;
  const clock = clockFrom();
  refuseSpecFolder(specFile, options.out);
  const training = await prepare(specFile, progress.show);
  progress.end();
  if (training.prepared.summary) options.onData?.(training.prepared.summary);
  return trainOn(training, specFile, { ...options, clock });
}

/** With the data at hand; on a back end that is opened for it unless one is given. */
export async function trainOn(
  training: Training,
  specFile: SpecFile,
  { clock = clockFrom(), ...options }: RunOptions & { readonly backend?: Backend; readonly clock?: Clock },
): Promise<Run> {
  const { out, resume, progress, onStart } = options;
  const { spec } = specFile;
  // Before the folder, where a run may be that a mistake must not cost.
  const seen = await training.task.solvedOn(0);
  const before = resume
    ? resumeRun<TrainAsked, SolverState>(out, askedBefore(out, spec, training.facts, options))
    : undefined;
  const { device, precision = "float32" } = before ? startedOn(before.asked) : options;
  const backend = options.backend ?? (await openIn(device, precision));
  try {
    const work: Work = { spec, training, seen, backend, options, clock };
    const capacity = before?.asked.capacity ?? (await capacityFor(spec, training, { backend, progress }));
    const folder = fromNeighbour(before ?? startFolder(work, capacity), options.warm, spec);
    if (!existsSync(join(out, specCopy)) || !before) writeSpecCopy(specFile, options);
    if (training.prepared.rows && !(before && existsSync(join(out, rowsFile))))
      writeWhole(join(out, rowsFile), training.prepared.rows());
    if (!before) forgetAttempts(out);
    onStart?.(folder.asked, folder);
    return await withEnoughDecay(folder, work);
  } finally {
    if (!options.backend) await backend.close();
  }
}

interface Work {
  readonly spec: Spec;
  readonly training: Training;
  readonly seen: Batch<NdArray>;
  readonly backend: Backend;
  readonly options: RunOptions;
  readonly clock: Clock;
}

type OwnSolver = Solver<Params, string>;
type OwnSolution = Solution<Params, string>;

interface Solved extends Choices {
  readonly solver: OwnSolver;
  /** Whether it was overfitted, and more decay is available. */
  readonly givenUp: boolean;
  readonly solution: OwnSolution;
  /** What to insist from, where that is not the solution. */
  readonly start?: SolverState;
}

/** A run with one decay. */
interface Attempt extends Try, StoredAttempt {
  /** With its solver, to ask it more. */
  solved(): Promise<Solved>;
  /** The folder with its model in it. */
  folder(): Folder;
}

/** Where rows are overfitted and the decay is ours to choose, the run begins again with more of it, and the best is kept. */
async function withEnoughDecay(folder: Folder, work: Work): Promise<Run> {
  const { progress, out } = work.options;
  const aside = attemptsIn(out);
  const decays: number[] = [];
  let current = folder;
  const attempt = async (capacity: Capacity): Promise<Attempt> => {
    decays.push(capacity.decay);
    const earlier = aside.find((one) => one.capacity.decay === capacity.decay);
    if (earlier) return fromStored(earlier, work);
    if (capacity.decay !== current.asked.capacity.decay) current = startFolder(work, capacity);
    const own = current;
    const solved = await solveInFolder(own, work, withMore(capacity) !== undefined);
    const report = await reportOf(solved, work);
    const overfitted = solved.givenUp || report.overfitted !== undefined;
    const found = { capacity, report };
    if (overfitted && withMore(capacity)) storeAttempt(out, found);
    return {
      ...found,
      overfitted,
      merit: meritIn(report, work),
      solved: async () => solved,
      folder: () => (own === current ? own : broughtBack(found, work)),
    };
  };
  const best = await bestTry(aside[0]?.capacity ?? folder.asked.capacity, attempt, progress.show);
  const kept = best.folder();
  const { report: scoresOnly, solved } = await decidedOn(best, work);
  const found = await answered(withDecaysTried(scoresOnly, decays), solved, work);
  const before = (folder.report as TrainReport | undefined)?.seconds;
  const report = { ...found, seconds: work.clock.read({ resumed: work.options.resume, before }) };
  progress.end();
  kept.finish(report);
  forgetAttempts(out);
  return { folder: kept.path, report, state: solved.solution.state };
}

/** The best attempt with its decisions: a threshold, and the model that was pressed where that gains. */
async function decidedOn(best: Attempt, work: Work): Promise<{ report: TrainReport; solved: Solved }> {
  const { spec, training, backend, options } = work;
  const solved = await best.solved();
  const { decided, solution, ...rest } = await decideInFolder(options.out, solved, {
    ...{ spec, training, backend, decay: best.capacity.decay },
    // A neighbour's solution may need no step, and a model of a fold begins with none.
    ...(options.warm && { foldSteps: stepsFor(spec, training.facts.train) }),
    show: options.progress.show,
  });
  const own = { ...solved, solution };
  const report = decided ? await reportOf(own, work, decided) : best.report;
  return { report: { ...report, ...rest }, solved: own };
}

// Without validation rows no other decay is tried.
const meritIn = (report: TrainReport, { spec }: Work): Merit =>
  report.validation ? meritOnValidation(report, spec.cost) : { step: report.steps, missed: 0, value: 0 };

/** One that an earlier process set aside, because it had overfitted. */
function fromStored(found: StoredAttempt, work: Work): Attempt {
  let solved: Promise<Solved> | undefined;
  return {
    ...found,
    overfitted: true,
    merit: meritIn(found.report, work),
    solved: () => {
      solved ??= (async () => {
        const solver = atShare(await solverFor(found.capacity, work), found.report.share);
        const solution = await goingOn(work.options.out, solver.inspect(modelOf(work.options.out, found)));
        return { solver, givenUp: true, solution, ...found.capacity };
      })();
      return solved;
    },
    folder: () => broughtBack(found, work),
  };
}

function broughtBack(found: StoredAttempt, work: Work): Folder {
  const again = startFolder(work, found.capacity);
  restoreAttempt(work.options.out, found);
  return again;
}

const solverFor = ({ decay }: Capacity, { spec, training, seen, backend }: Work): Promise<OwnSolver> =>
  createSolver(training.task.problem, solverOptions(spec, { ...seen, decay: full([], decay) }, backend));

const sizeOf = (params: unknown): number =>
  leaves(params).reduce((sum, { leaf }) => sum + (leaf as NdArray).size, 0);

const namesOfMonotone = (stated: Training["task"]["stated"]): string[] =>
  stated.filter(({ spec, hard }) => spec.metric === "monotonicity" && hard).map(({ name }) => name);

/** To the certificate, or the last step and the best model on the way; the last is that where it was given up. */
async function solveInFolder(folder: Folder, work: Work, giveUp: boolean): Promise<Solved> {
  const { spec, training, options } = work;
  const { capacity } = folder.asked;
  const solver = await solverFor(capacity, work);
  const parameters = sizeOf(solver.initial.params);
  const watched = watch(folder, {
    cost: spec.cost,
    giveUp,
    partings: partings(training.task.stated, training.prepared, parameters),
  });
  let givenUp = false;
  const solving = train(solver, watched.folder, {
    steps: stepsFor(spec, training.facts.train),
    every: everyFor(spec),
    progress: options.progress,
    resumeWith: goOnWith(options.out),
  });
  const last = await goingOn(options.out, work.clock.training(solving))
    .catch((reason) => {
      if (!(reason instanceof Overfitted)) throw reason;
      givenUp = true;
      return solver.inspect(reason.state);
    })
    .finally(watched.flush);
  const ranAway = watched.ranAway();
  const without = lossWithout(spec, capacity);
  return {
    solver,
    givenUp,
    ...capacity,
    parameters,
    ...(without !== undefined && { without }),
    ...(ranAway.length > 0 && { ranAway }),
    ...(training.facts.monotone && { byConstruction: namesOfMonotone(training.task.stated) }),
    ...(await lastStep(solver, last, watched, {
      ...work,
      givenUp,
      insist: options.insist,
      show: options.progress.show,
    })),
  };
}

async function reportOf(
  { solver: _, givenUp: __, start: ___, solution: { report, params }, ...choices }: Solved,
  { spec, training: { task, prepared }, backend }: Work,
  decided?: Decided,
): Promise<TrainReport> {
  const decision = decided?.decision;
  const on = (part: Part) =>
    performance(task, params, { prepared, part, backend, ...(decision && { decision }) });
  return trainReport(
    report,
    task.stated,
    {
      train: await on("train"),
      ...(prepared.validation && { validation: await on("validation") }),
      test: await on("test"),
    },
    choices,
    decided && decidedParts(decided, task.stated, spec, prepared.target as never),
  );
}

/** With what it comes to beside asking nothing, and what insisting costs where that is asked. */
async function answered(
  report: TrainReport,
  { solver, solution, start }: Solved,
  { spec, training, seen, backend, options }: Work,
): Promise<TrainReport> {
  const { task, facts } = training;
  const asking = {
    solver,
    solution,
    steps: stepsFor(spec, facts.train),
    every: everyFor(spec),
    show: options.progress.show,
  };
  // A measurement that needs a second run counts like one about insisting; for a linear model it takes a few steps.
  const totals =
    report.certificate.holds && !report.totals && (options.insist || takesNewton(spec))
      ? await totalsOf(solver, solution, { ...asking, steps: budgetFor(solution), cost: spec.cost })
      : undefined;
  const found = totals ? { ...report, totals } : report;
  if (!options.insist)
    return found.certificate.holds
      ? withAnswers(found, unmeasuredYet(task.stated, found.requirements))
      : found;
  if (!found.certificate.holds) {
    const alone = await metAlone(asking);
    return alone ? { ...found, alone } : found;
  }
  const least = (stated: Stated) => leastOf(stated, solution.params, { spec, training, seen, backend });
  const answers = await measureCosts({ ...asking, start, stated: task.stated, least });
  return withAnswers(found, answers);
}

function startFolder(
  { spec, training, backend, options: { out, name, sweep } }: Work,
  capacity: Capacity,
): Folder {
  const folder = startRun<TrainAsked, SolverState>(out, {
    command: "train",
    name,
    ...asking(spec.seed, backend),
    spec: storedSpec(spec),
    data: training.facts,
    steps: stepsFor(spec, training.facts.train),
    capacity,
    ...(sweep && { sweep }),
  });
  rmSync(join(out, bestFile), { force: true });
  forgetDecisions(out);
  return folder;
}

/** A run without a state of its own starts from its neighbour's model and prices; steps count from 0, the optimiser forgets. */
function fromNeighbour(folder: Folder, warm: SolverState | undefined, spec: Spec): Folder {
  if (folder.state || !warm) return folder;
  const { init } = optimizerFor(spec, stepsFor(spec, folder.asked.data.train));
  const state = { ...warm, optimizer: init(warm.params), step: 0 };
  folder.save(state);
  return { ...folder, state };
}
