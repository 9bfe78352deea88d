// Earlier attempts with less decay, kept in the run folder: a resumed run finds them, and the best can be restored.

import type { SolverState } from "@pliant/core";
import { decodeState } from "@pliant/learn/runs";
import { existsSync, join, mkdirSync, readdirSync, readFileSync, rmSync } from "@pliant/platform";
import type { Capacity } from "../fit/capacity.js";
import { bestFile } from "../fit/watch.js";
import type { TrainReport } from "../report/report.js";
import { readJson, writeWhole } from "../store/files.js";

/** What a try came to. */
export interface StoredAttempt {
  readonly capacity: Capacity;
  readonly report: TrainReport;
}

const triesIn = (path: string): string => join(path, "tries");
const placeOf = (path: string, { decay }: Capacity): string => join(triesIn(path), String(decay));
const cameTo = "try.json";
const checkpoint = "checkpoint.safetensors";

/** The model, prices and evaluations of a run. */
const kept = [checkpoint, "metrics.jsonl", bestFile];

const copyKept = (from: string, to: string): void => {
  for (const file of kept)
    if (existsSync(join(from, file))) writeWhole(join(to, file), readFileSync(join(from, file)));
};

/** Stores an attempt; its result is written last, and without it the attempt does not count. */
export function storeAttempt(path: string, found: StoredAttempt): void {
  const place = placeOf(path, found.capacity);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  copyKept(path, place);
  writeWhole(join(place, cameTo), JSON.stringify(found));
}

/** Those of a run folder, from little decay to much. */
export function attemptsIn(path: string): StoredAttempt[] {
  if (!existsSync(triesIn(path))) return [];
  return readdirSync(triesIn(path))
    .map((name) => join(triesIn(path), name, cameTo))
    .filter((file) => existsSync(file))
    .map((file) => readJson(file) as StoredAttempt)
    .sort((a, b) => a.capacity.decay - b.capacity.decay);
}

/** The model that a try is reported with. */
export function modelOf(path: string, { capacity }: StoredAttempt): SolverState {
  const [best, last] = [bestFile, checkpoint].map((file) => join(placeOf(path, capacity), file));
  const file = existsSync(best) ? best : last;
  return decodeState<SolverState>(readFileSync(file), file);
}

/** Its files as those of the run. */
export const restoreAttempt = (path: string, { capacity }: StoredAttempt): void =>
  copyKept(placeOf(path, capacity), path);

/** Once one of them is the run's, or the run begins anew. */
export const forgetAttempts = (path: string): void => rmSync(triesIn(path), { recursive: true, force: true });
