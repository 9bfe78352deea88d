// run.json of a training run: its settings, read again to resume the run or to use its model.

import { InputError, StateError } from "@pliant/core";
import type { Device } from "@pliant/engine/device";
import type { Precision } from "@pliant/learn/runs";
import { dirname, existsSync, join, readFileSync } from "@pliant/platform";
import type { Capacity } from "../fit/capacity.js";
import type { DataFacts } from "../problem/prepare.js";
import type { TrainReport } from "../report/report.js";
import type { Spec } from "../spec/spec.js";
import { word } from "../store/files.js";
import type { Start } from "./asking.js";

/** The spec as it was trained, in the run folder. */
export const specCopy = "spec.yaml";

/** Which rows are in which part, in the run folder. */
export const rowsFile = "rows.csv";

/** The settings shared by several runs of one spec, in the folder around them. */
export const repeatsFile = "repeats.json";

/** The command that resumes a run. */
export const goOnWith = (folder: string): string =>
  `npx pliant train ${word(join(folder, specCopy))} --resume --out ${word(folder)}`;

/** A point of a sweep. */
export interface SweepPoint {
  readonly parameter: string;
  readonly value: number | string;
  /** The settings that the points of a sweep share. */
  readonly group: string;
}

/** run.json. */
export interface TrainAsked extends Start {
  readonly command: "train";
  readonly name: string;
  readonly spec: Spec;
  readonly data: DataFacts;
  /** The most it may take, for those who watch it. */
  readonly steps?: number;
  readonly capacity: Capacity;
  readonly sweep?: SweepPoint;
}

/** The run as it was asked for: another spec, other data or another device would be another run. */
export function askedBefore(
  out: string,
  spec: Spec,
  facts: DataFacts,
  { device, precision }: { readonly device?: Device; readonly precision?: Precision },
) {
  return (value: unknown): TrainAsked => {
    const asked = trainAsked(value, out);
    const other = firstDifference(comparable(asked.spec), comparable(spec));
    if (other !== undefined)
      throw new InputError(
        `the run in ${out} was started with another ${other}; resume it with ${goOnWith(out)}, or start again without --resume.`,
      );
    if (Object.values(asked.data.files).join() !== Object.values(facts.files).join())
      throw new InputError(
        `${Object.keys(asked.data.files).join(", ")} changed since the run in ${out} was started; start again without --resume.`,
      );
    if (device !== undefined && device !== "auto" && device !== asked.device)
      throw new InputError(
        `the run was started with --device ${asked.device}, not ${device}; resume it without --device, or start another.`,
      );
    if (precision !== undefined && precision !== asked.precision)
      throw new InputError(
        `the run was started with --precision ${asked.precision}, not ${precision}; resume it without --precision, or start another.`,
      );
    return asked;
  };
}

/** What is solved on from the checkpoint of a run: its spec and its data are the same, so a state that does not fit is of another time. */
export const goingOn = <T>(folder: string, solved: Promise<T>): Promise<T> =>
  solved.catch((reason) => {
    if (!(reason instanceof StateError)) throw reason;
    throw new InputError(
      `the run in ${folder} was saved by another version of pliant, which is incompatible with this one; retrain without --resume.`,
    );
  });

/** Resumes a run in the precision in which it was started. */
export const startedOn = ({ device, precision }: TrainAsked): { device: Device; precision: Precision } => ({
  device,
  precision: precision as Precision,
});

export function trainAsked(value: unknown, folder: string): TrainAsked {
  const asked = value as Partial<TrainAsked> | null;
  if ((asked?.command as string | undefined)?.startsWith("federate"))
    throw new InputError(
      `${folder} is the folder of a federation. Write its model with pliant export ${word(folder)} model.onnx; any ONNX runtime can load it.`,
    );
  if (asked?.command !== "train" || typeof asked.spec !== "object" || typeof asked.data !== "object")
    throw new InputError(
      `${join(folder, "run.json")} is not from pliant train, so there is no spec to read it with. For the run of a program, npx pliant studio --runs ${word(dirname(folder))} shows it, ${join(folder, "report.json")} is its report, and begunRun of pliant/learn/runs resumes it.`,
    );
  if (typeof asked.capacity !== "object")
    throw new InputError(`the run in ${folder} is from an incompatible version of Pliant. Retrain it.`);
  return asked as TrainAsked;
}

/** Without the paths, which differ between the spec and its copy in the run folder. */
const comparable = ({ name: _, data: { file: __, test, validation, ...data }, ...rest }: Spec): object => {
  const kept = (how: typeof test) => (typeof how === "string" ? "file" : how);
  const requirements = Object.entries(rest.requirements).map(([name, requirement]) => [
    name,
    requirement.metric === "own" ? { ...requirement, use: "file" } : requirement,
  ]);
  return {
    ...rest,
    requirements: Object.fromEntries(requirements),
    data: { ...data, test: kept(test), validation: kept(validation) },
  };
};

/** The key at which two plain objects first differ. */
function firstDifference(a: unknown, b: unknown, key = ""): string | undefined {
  if (JSON.stringify(a) === JSON.stringify(b)) return undefined;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return key;
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [x, y] = [a, b].map((side) => (side as Record<string, unknown>)[name]);
    const found = firstDifference(x, y, key === "" ? name : `${key}.${name}`);
    if (found !== undefined) return found;
  }
  return key;
}

/** A finished or unfinished run from its folder. */
export function readRun(folder: string): { asked: TrainAsked; report?: TrainReport } {
  const read = (file: string): unknown => {
    try {
      return JSON.parse(readFileSync(join(folder, file), "utf8"));
    } catch (reason) {
      throw new InputError(`${join(folder, file)} cannot be read: ${(reason as Error).message}`);
    }
  };
  if (existsSync(join(folder, repeatsFile)))
    throw new InputError(
      `${folder} has several runs of one spec; name one of them, such as ${join(folder, (read(repeatsFile) as { runs: { run: string }[] }).runs[0].run)}.`,
    );
  if (!existsSync(join(folder, "run.json"))) throw new InputError(`there is no run in ${folder}.`);
  const asked = trainAsked(read("run.json"), folder);
  return existsSync(join(folder, "report.json"))
    ? { asked, report: read("report.json") as TrainReport }
    : { asked };
}

/** A run that has its report. */
export function finishedRun(folder: string): { asked: TrainAsked; report: TrainReport } {
  const { asked, report } = readRun(folder);
  if (report?.train === undefined)
    throw new InputError(`the run in ${folder} is not finished; resume it with ${goOnWith(folder)}`);
  return { asked, report };
}
