// A training run in its folder: started or gone on with, trained, evaluated, reported.
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type Backend, mapTree, type NdArray } from "@pliant/engine";
import { type Device, open } from "@pliant/engine/device";
import { type Progress, type RunFolder, resumeRun, startRun, train } from "@pliant/learn/runs";
import { createSolver, InputError, type SolverState } from "pliant";
import { asking } from "../asked.js";
import { askedBefore, goOnWith, type SweepPoint, specCopy, type TrainAsked } from "./asked.js";
import { everyFor, optimizerFor, stepsFor } from "./budget.js";
import { besideSpec } from "./columns.js";
import { performance } from "./evaluate.js";
import type { Part } from "./examples.js";
import { writeWhole } from "./files.js";
import { prepare, type Training } from "./prepare.js";
import { type TrainReport, trainReport } from "./report.js";
import type { Spec } from "./spec.js";
import type { SpecFile } from "./spec-file.js";
import { keptParts } from "./split.js";

type Folder = RunFolder<TrainAsked, SolverState>;

export interface RunOptions {
  readonly name: string;
  /** The run folder. */
  readonly out: string;
  readonly device?: Device;
  readonly resume?: boolean;
  readonly sweep?: SweepPoint;
  /** Where to start from instead of a new model: the solution of a neighbour. */
  readonly warm?: SolverState;
  readonly progress: Progress;
  /** Told what is about to be trained. */
  onStart?(asked: TrainAsked, folder: Folder): void;
}

export interface Run {
  readonly folder: string;
  readonly report: TrainReport;
  readonly state: SolverState;
}

export async function trainInFolder(specFile: SpecFile, options: RunOptions): Promise<Run> {
  const { out, resume, progress, onStart } = options;
  const { spec } = specFile;
  refuseSpecFolder(specFile, out);
  const training = await prepare(specFile);
  const { prepared, task, facts } = training;
  // Before the folder, where a run may be that a mistake must not cost.
  const seen = await task.see(prepared.train, "train");
  const before = resume
    ? resumeRun<TrainAsked, SolverState>(out, askedBefore(out, spec, training.facts, options.device))
    : undefined;
  // Residuals want products exact to float32.
  const backend = await open(before?.asked.device ?? options.device, { precision: "float32" });
  try {
    const folder = fromNeighbour(before ?? startFolder(spec, training, backend, options), options.warm, spec);
    if (!existsSync(join(out, specCopy)) || !before)
      writeWhole(join(out, specCopy), specFile.text({ name: options.name, ...dataFrom(specFile, out) }));
    onStart?.(folder.asked, folder);
    const steps = stepsFor(spec, facts.train);
    const solver = await createSolver(task.problem, {
      data: mapTree(seen, (a: NdArray) => backend.put(a)) as never,
      ...(spec.budget.batch !== undefined && { batch: { size: spec.budget.batch, seed: spec.seed } }),
      optimizer: optimizerFor(spec, steps),
      dualRate: spec.budget.priceRate,
      tolerance: spec.budget.tolerance,
      backend,
    });
    const { report, state, params } = await train(solver, folder, {
      steps,
      every: everyFor(spec, steps),
      progress,
      resumeWith: goOnWith(out),
    });
    const on = (part: Part) => performance(task, params, { prepared, part, backend });
    const whole = trainReport(report, task.stated, {
      train: await on("train"),
      ...(prepared.validation && { validation: await on("validation") }),
      test: await on("test"),
    });
    folder.finish(whole);
    return { folder: out, report: whole, state };
  } finally {
    await backend.close();
  }
}

function startFolder(
  spec: Spec,
  { facts }: Training,
  backend: Backend,
  { out, name, sweep }: RunOptions,
): Folder {
  return startRun(out, {
    command: "train",
    name,
    ...asking(spec.seed, backend),
    spec,
    data: facts,
    ...(sweep && { sweep }),
  });
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

/** The paths of the spec's files as they are from the run folder. */
function dataFrom(specFile: SpecFile, out: string): Record<string, string> {
  const { file, ...data } = specFile.spec.data;
  const there = (path: string): string => relative(out, besideSpec(specFile, path)).replaceAll("\\", "/");
  return {
    ...(file !== undefined && { "data.file": there(file) }),
    ...Object.fromEntries(
      keptParts.flatMap((part) => {
        const how = data[part];
        return typeof how === "string" ? [[`data.${part}`, there(how)]] : [];
      }),
    ),
  };
}
