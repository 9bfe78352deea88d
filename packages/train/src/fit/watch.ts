// Watches a run while it is solved: the best model so far, and whether rows are being overfitted.

import { excessOf, type Report, type RequirementReport, type SolverState } from "@pliant/core";
import { decodeState, encodeState, type RunFolder } from "@pliant/learn/runs";
import { existsSync, join, readFileSync, rmSync } from "@pliant/platform";
import { costOf } from "../grammar/cost.js";
import { writeWhole } from "../store/files.js";
import type { Parting } from "./generalisation-gap.js";

/** The model that a report is of, where it is not the checkpoint's. */
export const bestFile = "best.safetensors";

/** One line of metrics.jsonl. */
type Line = Pick<Report<string>, "objective" | "requirements"> & { readonly step: number };

/** A model is better that misses less of what must hold; else by its objective and what giving way to where it is would cost. */
export interface Merit {
  readonly step: number;
  readonly missed: number;
  readonly value: number;
}

export function meritOf({ step, objective, requirements }: Line, cost: string): Merit {
  const shared = costOf(cost).cost.name;
  const all = Object.values(requirements);
  const inUnits = (x: number, { unit = 1 }: RequirementReport): number => x / unit;
  const over = (r: RequirementReport): number => inUnits(Math.max(0, excessOf(r)), r);
  const hard = all.filter((r) => r.hard);
  const paid = (text: string, list: readonly RequirementReport[]): number =>
    list.length === 0 ? 0 : costOf(text).plain.value(list.map(over));
  const bending = all.filter((r) => !r.hard);
  const own = bending.filter((r) => r.cost !== shared).map((r) => paid(r.cost, [r]));
  const together = paid(
    cost,
    bending.filter((r) => r.cost === shared),
  );
  return {
    step,
    missed: hard.reduce((sum, r) => sum + Math.max(0, over(r) - inUnits(r.allowance, r)), 0),
    value: own.reduce((a, b) => a + b, objective + together),
  };
}

export const isBetter = (a: Merit, b: Merit | undefined): boolean =>
  b === undefined || a.missed < b.missed || (a.missed === b.missed && a.value < b.value);

/** Thrown out of a run whose model overfits before its requirements are met on others. */
export class Overfitted extends Error {
  constructor(readonly state: SolverState) {
    super();
  }
}

/** By requirement, how far a count on validation rows is from the training rows where they are; none where that says nothing. */
type Partings = Readonly<Record<string, Parting>>;

/**
 * The surrogate of a rate is never below it on the training rows. If it is below the rate on the validation rows, beyond chance, while
 * the price still rises, a higher price only moves rows that are already correct.
 */
export const overfittedWhileTraining = ({ requirements }: Line, partings: Partings): string[] =>
  Object.entries(requirements).flatMap(([name, r]) => (isInVain(r, partings[name]) ? [name] : []));

function isInVain(r: RequirementReport, parting: Parting | undefined): boolean {
  if (parting === undefined || r.pricedBy !== "strict" || r.price <= 0) return false;
  if (excessOf(r) - r.relaxation <= r.allowance) return false;
  const { least, most } = parting(r.reached);
  const by = r.sense === "at least" ? r.loss - r.reached : r.reached - r.loss;
  return by > Math.max(0.02 + 2 * r.allowance, least) && by <= most;
}

export interface Watched<Spec> {
  /** Its states are written once a second at most, its evaluations at once. */
  readonly folder: RunFolder<Spec, SolverState>;
  /** Writes what was not. */
  flush(): void;
  /** The best state that was seen, and its step; undefined where it is the last. */
  best(last: number): SolverState | undefined;
  /** Requirements whose prices rose without effect at the last check. */
  ranAway(): string[];
  /** The model that is reported. */
  keep(state: SolverState): void;
  /** Nothing but the checkpoint is worth keeping. */
  forget(): void;
}

/** Looks in a row after which it is no passing state. */
const patience = 4;

/** Milliseconds, all that a run which is ended without warning does again: looks may come a hundred times as often. */
const betweenCheckpoints = 1000;

export function watch<Spec>(
  folder: RunFolder<Spec, SolverState>,
  { cost, giveUp, partings = {} }: { cost: string; giveUp: boolean; partings?: Partings },
): Watched<Spec> {
  const file = join(folder.path, bestFile);
  const before = folder.state ? linesOf(folder.path) : [];
  let best: Merit | undefined;
  for (const line of before) if (isBetter(meritOf(line, cost), best)) best = meritOf(line, cost);
  let ranAway = before.length > 0 ? overfittedWhileTraining(before[before.length - 1], partings) : [];
  let inVain = 0;
  /** What is yet to be written, the best model before the state: a run that goes on from there knows no better one. */
  let state: SolverState | undefined;
  let better: SolverState | undefined;
  let written = Number.NEGATIVE_INFINITY;
  const flush = (): void => {
    if (better) writeWhole(file, encodeState(better));
    if (state) folder.save(state);
    [state, better] = [undefined, undefined];
    written = Date.now();
  };
  return {
    folder: {
      ...folder,
      save: (next, metrics) => {
        const line = metrics as Line | undefined;
        state = next;
        if (line) {
          const merit = meritOf(line, cost);
          if (isBetter(merit, best)) [best, better] = [merit, next];
          ranAway = overfittedWhileTraining(line, partings);
          inVain = ranAway.length > 0 ? inVain + 1 : 0;
          folder.log(line);
        }
        if (!line || Date.now() - written >= betweenCheckpoints) flush();
        if (giveUp && inVain >= patience) throw new Overfitted(next);
      },
    },
    flush,
    best: (last) => {
      flush();
      return best && best.step !== last && existsSync(file)
        ? decodeState<SolverState>(readFileSync(file), file)
        : undefined;
    },
    ranAway: () => ranAway,
    keep: (model) => {
      flush();
      writeWhole(file, encodeState(model));
    },
    forget: () => {
      better = undefined;
      flush();
      rmSync(file, { force: true });
    },
  };
}

function linesOf(path: string): Line[] {
  const file = join(path, "metrics.jsonl");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => parsedLine(line) ?? []);
}

/** A line that a crash left half written says nothing. */
function parsedLine(line: string): Line | undefined {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return undefined;
  }
}
