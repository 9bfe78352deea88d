// The same spec several times: with seeds of its own each, as one stacked program, or with each fold of the rows kept for testing in
// turn. Every repeat is a run in a folder of its own, seed-3 or fold-3, and the folder around them has what they come to together.

import { InputError } from "@pliant/core";
import { lanes } from "@pliant/engine";
import { Interrupted, openIn, type Progress } from "@pliant/learn/runs";
import { existsSync, join, resolve } from "@pliant/platform";
import { foldsOf } from "../data/split.js";
import { prepare, trainingOn } from "../problem/prepare.js";
import { type Pooled, pooled } from "../report/pooled.js";
import type { TrainReport } from "../report/report.js";
import type { SpecFile } from "../spec/spec-file.js";
import { readJson, writeWhole } from "../store/files.js";
import { finishedRun, goOnWith, repeatsFile, specCopy } from "./asked.js";
import { type Run, type RunOptions, trainInFolder, trainOn } from "./run.js";
import { writeSpecCopy } from "./spec-copy.js";

/** The key in which several runs of a spec differ. */
export type RepeatedBy = "seed" | "fold";

/** repeats.json. */
export interface Repeats extends Pooled {
  readonly by: RepeatedBy;
  /** Folders beside the file. */
  readonly runs: readonly {
    readonly value: number;
    readonly run: string;
    readonly certified: boolean;
    /** What is not so yet, of one that is not certified. */
    readonly short?: readonly string[];
    readonly steps: number;
  }[];
}

interface Repeat {
  readonly value: number;
  readonly folder: string;
  readonly specFile: SpecFile;
}

interface Planned {
  readonly by: RepeatedBy;
  readonly repeats: readonly Repeat[];
}

/** The runs that a spec asks for, where it is more than one. */
export function repeatsOf(specFile: SpecFile): Planned | undefined {
  const { seeds, data } = specFile.spec;
  const folded = foldsOf(data.test);
  const folds = folded && folded.fold === undefined ? folded.folds : undefined;
  if (seeds && folds !== undefined)
    throw specFile.mistake(["seeds"], "seeds: the rows are parted into folds already; give seeds or folds.");
  if (seeds) {
    if (seeds.length < 2 || new Set(seeds).size < seeds.length)
      throw specFile.mistake(["seeds"], "seeds: give two different ones or more; for one there is seed.");
    const split = { key: "data.seed", value: String(data.seed ?? seeds[0]) };
    return repeated("seed", seeds, (seed) =>
      specFile.with([{ key: "seeds", value: undefined }, { key: "seed", value: String(seed) }, split]),
    );
  }
  if (folds === undefined) return undefined;
  const numbers = Array.from({ length: folds }, (_, i) => i + 1);
  return repeated("fold", numbers, (fold) => specFile.with([{ key: "data.test.fold", value: String(fold) }]));
}

const repeated = (by: RepeatedBy, values: readonly number[], of: (value: number) => SpecFile): Planned => ({
  by,
  repeats: values.map((value) => ({ value, folder: `${by}-${value}`, specFile: of(value) })),
});

/** Whether a folder has a run of these repeats, or one that has a file. */
export const repeatedBefore = (out: string, { repeats }: Planned, file = "run.json"): boolean =>
  repeats.some(({ folder }) => existsSync(join(out, folder, file)));

/** Trains a spec with every seed, or on every fold, and reports on all together. */
export async function trainRepeats(
  specFile: SpecFile,
  planned: Planned,
  options: RunOptions,
): Promise<{ repeats: Repeats; reports: readonly TrainReport[] }> {
  const { out, name } = options;
  const { by, repeats } = planned;
  if (resolve(specFile.path) === resolve(out, specCopy) && !repeatedBefore(out, planned))
    throw new InputError(`--out ${out} is the folder of the spec itself; choose another for the runs.`);
  const optionsOf = ({ value, folder }: Repeat): RunOptions => ({
    ...options,
    // No sooner: a mistake must not cost what is in the folder.
    onStart: (...run) => {
      writeSpecCopy(specFile, { name, out });
      options.onStart?.(...run);
    },
    name: `${name}, ${by} ${value}`,
    out: join(out, folder),
    // A curve for each of them.
    ...(options.sweep && { sweep: { ...options.sweep, group: `${options.sweep.group}-${folder}` } }),
    resume: options.resume && existsSync(join(out, folder, "run.json")),
    progress: named(options.progress, `${by} ${value}`),
  });
  try {
    const runs = await (by === "seed" ? together : inTurn)(repeats, optionsOf);
    const reports = runs.map(({ report }) => report);
    const found = repeatsFrom(planned, reports);
    writeWhole(join(out, repeatsFile), `${JSON.stringify(found, null, 2)}\n`);
    return { repeats: found, reports };
  } catch (reason) {
    if (!(reason instanceof Interrupted)) throw reason;
    throw new Interrupted(
      `stopped; the runs are saved in ${out}. Go on with: ${goOnWith(out)}`,
      reason.reason,
    );
  } finally {
    options.progress.end();
  }
}

const repeatsFrom = ({ by, repeats }: Planned, reports: readonly TrainReport[]): Repeats => ({
  by,
  runs: repeats.map(({ value, folder }, i) => ({
    value,
    run: folder,
    certified: reports[i].certificate.holds,
    ...(!reports[i].certificate.holds && { short: reports[i].certificate.short }),
    steps: reports[i].steps,
  })),
  ...pooled(reports, by === "fold"),
});

const named = ({ show, end }: Progress, who: string): Progress => ({
  show: (line, done, stands) => show(`${who}  ${line}`, done, stands, who),
  end: () => end(who),
});

/** One after another: folds differ in their rows. */
async function inTurn(repeats: readonly Repeat[], optionsOf: (repeat: Repeat) => RunOptions): Promise<Run[]> {
  const runs: Run[] = [];
  for (const [i, repeat] of repeats.entries()) {
    const { onData, ...options } = optionsOf(repeat);
    runs.push(await trainInFolder(repeat.specFile, i === 0 ? { ...options, onData } : options));
  }
  return runs;
}

/** Several runs on the same rows: simultaneous requests to the back end become one stacked program. */
async function together(
  repeats: readonly Repeat[],
  optionsOf: (repeat: Repeat) => RunOptions,
): Promise<Run[]> {
  const [first] = repeats;
  const options = optionsOf(first);
  const { prepared } = await prepare(first.specFile, options.progress.show);
  if (prepared.summary) options.onData?.(prepared.summary);
  const base = await openIn(options.device, options.precision ?? "float32");
  try {
    const seats = lanes(base, repeats.length);
    const ends = await Promise.allSettled(
      repeats.map(async (repeat, i) => {
        const backend = seats[i];
        try {
          const { onStart, ...own } = optionsOf(repeat);
          const training = trainingOn(repeat.specFile, prepared);
          return await trainOn(training, repeat.specFile, { ...own, backend, ...(i === 0 && { onStart }) });
        } finally {
          await backend.close();
        }
      }),
    );
    const failed = ends.find((end) => end.status === "rejected");
    if (failed) throw failed.reason;
    return ends.map((end) => (end as PromiseFulfilledResult<Run>).value);
  } finally {
    await base.close();
  }
}

/** What repeats came to, where a folder has them, with the reports of each. */
export function readRepeats(
  folder: string,
): { repeats: Repeats; reports: readonly (TrainReport & { run: string })[] } | undefined {
  const file = join(folder, repeatsFile);
  if (!existsSync(file)) return undefined;
  const repeats = readJson(file) as Repeats;
  const reports = repeats.runs.map(({ run }) => {
    const path = join(folder, run);
    return { run: path, ...finishedRun(path).report };
  });
  return { repeats, reports };
}
