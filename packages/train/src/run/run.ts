// A training run in its folder: started or gone on with, trained, evaluated, reported.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { createSolver, InputError, type Solution, type Solver, type SolverState } from "@pliant/core";
import { type Backend, full, type NdArray } from "@pliant/engine";
import type { Device } from "@pliant/engine/device";
import type { Params } from "@pliant/learn";
import {
  lineOf,
  openIn,
  type Precision,
  type Progress,
  type RunFolder,
  resumeRun,
  startRun,
  train,
} from "@pliant/learn/runs";
import type { Part } from "../data/examples.js";
import { besideSpec } from "../data/files.js";
import { keptParts } from "../data/split.js";
import type { Summary } from "../data/summary.js";
import { prepare, type Training } from "../problem/prepare.js";
import { judgedOn, type Seen } from "../problem/problem.js";
import { type Choices, type TrainReport, trainReport, withAnswers } from "../report/report.js";
import type { Spec } from "../spec/spec.js";
import type { SpecFile } from "../spec/spec-file.js";
import {
  askedBefore,
  goOnWith,
  rowsFile,
  type SweepPoint,
  specCopy,
  startedOn,
  type TrainAsked,
} from "./asked.js";
import { asking } from "./asking.js";
import { everyFor, optimizerFor, stepsFor, takesNewton } from "./budget.js";
import { type Capacity, capacityFor, lossWithout, withMore } from "./capacity.js";
import { chances } from "./chance.js";
import { metAlone } from "./conflict.js";
import { performance } from "./evaluate.js";
import { writeWhole } from "./files.js";
import { measureCosts, unmeasuredYet } from "./measured.js";
import { whereItHolds } from "./side.js";
import { solverOptions } from "./solving.js";
import { movedThreshold, singleRate } from "./threshold.js";
import { bestTry, meritOnValidation, type Try } from "./tries.js";
import { bestFile, LearntByHeart, type Watched, watch } from "./watch.js";

type Folder = RunFolder<TrainAsked, SolverState>;

/** Where a run goes, on which device it trains, and who is told. */
export interface RunOptions {
  readonly name: string;
  /** The run folder. */
  readonly out: string;
  readonly device?: Device;
  /** Of products; float32 unless given, as residuals want it. */
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
  refuseSpecFolder(specFile, options.out);
  const training = await prepare(specFile, progress.show);
  progress.end();
  if (training.prepared.summary) options.onData?.(training.prepared.summary);
  return trainOn(training, specFile, options);
}

/** With the data at hand; on a back end that is opened for it unless one is given. */
export async function trainOn(
  training: Training,
  specFile: SpecFile,
  options: RunOptions & { readonly backend?: Backend },
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
    const work: Work = { spec, training, seen, backend, options };
    const capacity = before?.asked.capacity ?? (await capacityFor(spec, training, { backend, progress }));
    const folder = fromNeighbour(before ?? startFolder(work, capacity), options.warm, spec);
    if (!existsSync(join(out, specCopy)) || !before) writeSpecCopy(specFile, options);
    if (training.prepared.rows && !before) writeWhole(join(out, rowsFile), training.prepared.rows());
    onStart?.(folder.asked, folder);
    return await withEnoughDecay(folder, work);
  } finally {
    if (!options.backend) await backend.close();
  }
}

interface Work {
  readonly spec: Spec;
  readonly training: Training;
  readonly seen: Seen<NdArray>;
  readonly backend: Backend;
  readonly options: RunOptions;
}

type OwnSolver = Solver<Params, string>;
type OwnSolution = Solution<Params, string>;

interface Solved extends Choices {
  readonly solver: OwnSolver;
  /** Whether it was learning its rows by heart, and more decay is to be had. */
  readonly givenUp: boolean;
  readonly solution: OwnSolution;
}

/** A run with one decay, and what its folder held. */
interface Attempt extends Try {
  readonly solved: Solved;
  readonly report: TrainReport;
  putBack(): Folder;
}

/** Where rows are learnt by heart and the decay is ours to choose, the run begins again with more of it, and the best is kept. */
async function withEnoughDecay(folder: Folder, work: Work): Promise<Run> {
  const { progress } = work.options;
  const first = folder.asked.capacity;
  let current = folder;
  const attempt = async (capacity: Capacity): Promise<Attempt> => {
    if (capacity !== first) current = startFolder(work, capacity);
    const own = current;
    const solved = await solveInFolder(own, work, withMore(capacity) !== undefined);
    const report = await reportOf(solved, work);
    const byHeart = solved.givenUp || report.byHeart !== undefined;
    const held = byHeart && withMore(capacity) ? heldIn(own.path) : undefined;
    return {
      capacity,
      solved,
      report,
      byHeart,
      // Without validation rows no other decay is tried.
      merit: report.validation
        ? meritOnValidation(report, work.spec.cost)
        : { step: report.steps, missed: 0, value: 0 },
      putBack: () => {
        if (own === current || !held) return own;
        const again = startFolder(work, capacity);
        for (const [file, bytes] of held) writeWhole(file, bytes);
        return again;
      },
    };
  };
  const { solved, report: found, putBack } = await bestTry(first, attempt, progress.show);
  const kept = putBack();
  const report = await answered(found, solved, work);
  progress.end();
  kept.finish(report);
  return { folder: kept.path, report, state: solved.solution.state };
}

/** The model, prices and evaluations of a run. */
const heldIn = (path: string): [string, Buffer][] =>
  ["checkpoint.safetensors", "metrics.jsonl", bestFile]
    .map((file) => join(path, file))
    .filter((file) => existsSync(file))
    .map((file) => [file, readFileSync(file)]);

const namesOfMonotone = (stated: Training["task"]["stated"]): string[] =>
  stated.filter(({ spec, hard }) => spec.metric === "monotonicity" && hard).map(({ name }) => name);

/** To the certificate, or the last step and the best model on the way; the last is that where it was given up. */
async function solveInFolder(folder: Folder, work: Work, giveUp: boolean): Promise<Solved> {
  const { spec, training, seen, backend, options } = work;
  const { capacity } = folder.asked;
  const watched = watch(folder, {
    cost: spec.cost,
    giveUp,
    chances: chances(training.task.stated, training.prepared),
  });
  const solver = await createSolver(
    training.task.problem,
    solverOptions(spec, { ...seen, decay: full([], capacity.decay) }, backend),
  );
  let givenUp = false;
  const last = await train(solver, watched.folder, {
    steps: stepsFor(spec, training.facts.train),
    every: everyFor(spec),
    progress: options.progress,
    resumeWith: goOnWith(options.out),
  })
    .catch((reason) => {
      if (!(reason instanceof LearntByHeart)) throw reason;
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
    ...(without !== undefined && { without }),
    ...(ranAway.length > 0 && { ranAway }),
    ...(training.facts.monotone && { byConstruction: namesOfMonotone(training.task.stated) }),
    ...(await lastStep(solver, last, watched, work)),
  };
}

/** The model that is reported: the equilibrium's, else the best one's; its threshold where a single rate wants it. */
async function lastStep(
  solver: OwnSolver,
  last: OwnSolution,
  watched: Watched<TrainAsked>,
  { spec, training: { task, prepared }, backend }: Work,
): Promise<{ solution: OwnSolution; keptStep?: number; moved?: number }> {
  const { inspect } = solver;
  const best = last.certificate.holds ? undefined : watched.best(last.steps);
  const only = singleRate(task, prepared, last.report);
  const solution = best
    ? await inspect(best)
    : only
      ? last
      : await whereItHolds(solver, last, takesNewton(spec) ? { every: 1, settle: 5 } : {});
  if (solution.steps > last.steps) watched.folder.save(solution.state, lineOf(solution));
  if (!best) watched.forget();
  const kept = best && { keptStep: best.step };
  const { params, certificate } = solution;
  const moved =
    only && (await movedThreshold(task, only, { params, examples: judgedOn(only, prepared), backend }));
  if (!moved) return { solution, ...kept };
  const state = { ...solution.state, params: moved.params };
  watched.keep(state);
  const { report, ...rest } = await inspect(state);
  return {
    ...kept,
    moved: moved.by,
    // The equilibrium is that before; an example more or less is what it leaves open.
    solution: { ...rest, certificate, report: { ...report, certificate } },
  };
}

async function reportOf(
  { solver: _, givenUp: __, solution: { report, params }, ...choices }: Solved,
  { training: { task, prepared }, backend }: Work,
): Promise<TrainReport> {
  const on = (part: Part) => performance(task, params, { prepared, part, backend });
  return trainReport(
    report,
    task.stated,
    {
      train: await on("train"),
      ...(prepared.validation && { validation: await on("validation") }),
      test: await on("test"),
    },
    choices,
  );
}

/** With what insisting costs, where that is asked. */
async function answered(
  found: TrainReport,
  { solver, solution }: Solved,
  { spec, training: { task, facts }, options }: Work,
): Promise<TrainReport> {
  if (!options.insist)
    return found.certificate.holds
      ? withAnswers(found, unmeasuredYet(task.stated, found.requirements))
      : found;
  const asking = {
    solver,
    solution,
    steps: stepsFor(spec, facts.train),
    every: everyFor(spec),
    show: options.progress.show,
  };
  if (!found.certificate.holds) {
    const alone = await metAlone(asking);
    return alone ? { ...found, alone } : found;
  }
  const answers = await measureCosts({ ...asking, stated: task.stated });
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
    spec,
    data: training.facts,
    steps: stepsFor(spec, training.facts.train),
    capacity,
    ...(sweep && { sweep }),
  });
  rmSync(join(out, bestFile), { force: true });
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

/** Where the copy of the spec would fall on the spec itself, what was set would go into a person's file. */
function refuseSpecFolder({ path }: SpecFile, out: string): void {
  if (resolve(path) === resolve(out, specCopy) && !existsSync(join(out, "run.json")))
    throw new InputError(`--out ${out} is the folder of the spec itself; choose another for the run.`);
}

/** The files that a spec names, by the keys that name them. */
export function dataFiles(specFile: SpecFile): Record<string, string> {
  const { file, ...data } = specFile.spec.data;
  return {
    ...(file !== undefined && { "data.file": besideSpec(specFile, file) }),
    ...Object.fromEntries(
      keptParts.flatMap((part) => {
        const how = data[part];
        return typeof how === "string" ? [[`data.${part}`, besideSpec(specFile, how)]] : [];
      }),
    ),
  };
}

/** The files of metrics of one's own, by the keys that name them. */
const ownFiles = (specFile: SpecFile): [string, string][] =>
  Object.entries(specFile.spec.requirements).flatMap(([name, requirement]) =>
    requirement.metric === "own"
      ? [[`requirements.${name}.use`, besideSpec(specFile, requirement.use)] as [string, string]]
      : [],
  );

/** The spec as a run folder keeps it, with the paths of its files as they are from there. */
export function writeSpecCopy(specFile: SpecFile, { name, out }: Pick<RunOptions, "name" | "out">): void {
  const there = ([key, path]: [string, string]): [string, string] => [
    key,
    relative(out, path).replaceAll("\\", "/"),
  ];
  const files = Object.fromEntries(
    [...Object.entries(dataFiles(specFile)), ...ownFiles(specFile)].map(there),
  );
  writeWhole(join(out, specCopy), specFile.text({ name, ...files }));
}
