// The parts of the benchmark: one training each, or one peer on one table. Each is a process of its own and leaves one file, so that parts
// run side by side and those that a folder has already are not run again.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TrainReport } from "@pliant/train";
import { startPeer } from "../peer.js";
import { kindsOf } from "./cases.js";
import { asked, costsFor, free, type Model, moved, written } from "./ours.js";
import { boosted, fair } from "./peers.js";
import { type Answers, type Scored, scored } from "./score.js";
import { type Made, tables } from "./tables.js";

/** What is run on a table: a model under a kind of requirement, the free model, LightGBM, or Fairlearn for a kind of gap. */
export interface Part {
  readonly table: string;
  readonly by: Model | "lightgbm" | "fairlearn";
  /** A kind of requirement or `free`; of Fairlearn the gap. */
  readonly kind?: string;
}

export interface Asked {
  readonly pressed: boolean;
  /** What retrained scores gained on held-out rows, with standard errors, taken or not. */
  readonly gain?: NonNullable<TrainReport["decision"]>["gain"];
  readonly pliant: Scored;
}

/** By kind of requirement: the free model with its threshold moved on held-out rows, and at 0.5. */
export type Free = Readonly<Record<string, { readonly free: Scored; readonly plain: Scored }>>;

export interface Peers {
  readonly lightgbm?: Scored;
  readonly fairlearn?: Readonly<Record<string, Scored>>;
}

export const nameOf = ({ table, by, kind }: Part): string =>
  [table, by, ...(kind === undefined ? [] : [kind])].join(" | ");

export const partNamed = (name: string): Part => {
  const [table, by, kind] = name.split(" | ");
  return { table, by: by as Part["by"], ...(kind !== undefined && { kind }) };
};

const fileOf = (folder: string, part: Part): string =>
  join(folder, `${nameOf(part).replaceAll(/\W+/g, "-")}.json`);

export const isDone = (folder: string, part: Part): boolean => existsSync(fileOf(folder, part));

export const resultOf = <T>(folder: string, part: Part): T | undefined =>
  isDone(folder, part) ? (JSON.parse(readFileSync(fileOf(folder, part), "utf8")) as T) : undefined;

/** Rows times columns; several times that for a network, and for scores that are retrained. */
function effortOf({ learnt, table }: Made, by: Model, sort: string): number {
  const network = by === "mlp" ? 5 : 1;
  const retrained = sort === "gap" || sort === "groups" ? 3 : 1;
  return learnt * Object.keys(table).length * network * retrained;
}

export interface Picked {
  readonly table: (name: string) => boolean;
  readonly kind: (name: string) => boolean;
  readonly models: readonly Model[];
}

/** Trainings, the longest first. */
export function trainingsOf({ table, kind, models }: Picked): Part[] {
  const parts = tables()
    .filter(({ name }) => table(name))
    .flatMap((made) =>
      models.flatMap((by) => [
        { part: { table: made.name, by, kind: "free" }, effort: effortOf(made, by, "free") },
        ...kindsOf(made)
          .filter(({ name }) => kind(name))
          .map(({ name, sort }) => ({
            part: { table: made.name, by, kind: name },
            effort: effortOf(made, by, sort),
          })),
      ]),
    );
  return parts.sort((a, b) => b.effort - a.effort).map(({ part }) => part);
}

export function peersOf({ table, kind }: Picked, has: { lightgbm: boolean; fairlearn: boolean }): Part[] {
  return tables()
    .filter(({ name, classes }) => table(name) && classes === 2)
    .flatMap((made) => {
      const gaps = new Set(kindsOf(made).flatMap(({ gap, name }) => (gap && kind(name) ? [gap] : [])));
      return [
        ...(has.lightgbm ? [{ table: made.name, by: "lightgbm" as const }] : []),
        ...(has.fairlearn
          ? [...gaps].map((gap) => ({ table: made.name, by: "fairlearn" as const, kind: gap }))
          : []),
      ];
    });
}

/** Runs one part and leaves its file in the folder. */
export async function runPart(part: Part, folder: string): Promise<void> {
  const made = tables().find(({ name }) => name === part.table);
  if (!made) throw new Error(`There is no table "${part.table}".`);
  const root = join(tmpdir(), `pliant-decisions-${process.pid}`);
  try {
    const found = await resultFor(part, made, root);
    const file = fileOf(folder, part);
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${file}.part`, JSON.stringify(found));
    renameSync(`${file}.part`, file);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function resultFor({ by, kind: name }: Part, made: Made, root: string): Promise<object> {
  const ready = written(root, made);
  const kinds = kindsOf(made);
  const of = (kind: (typeof kinds)[number], answers: Answers): Scored =>
    scored(kind, answers, ready.test, costsFor(kind, ready.test.y, made.classes), made.learnt);
  const byKind = <T>(list: typeof kinds, value: (kind: (typeof kinds)[number]) => T): Record<string, T> =>
    Object.fromEntries(list.map((kind) => [kind.name, value(kind)]));
  if (by === "lightgbm" || by === "fairlearn") {
    const peer = startPeer("decisions/decisions_peer.py");
    try {
      if (by === "lightgbm") {
        const trees = await boosted(peer, ready);
        return byKind(kinds, (kind) => of(kind, moved(kind, trees)));
      }
      const answers = Object.entries(await fair(peer, ready, name!));
      return byKind(
        kinds.filter(({ gap }) => gap === name),
        (kind) => Object.fromEntries(answers.map(([method, one]) => [method, of(kind, one)])),
      );
    } finally {
      await peer.close();
    }
  }
  if (name === "free") {
    const rival = await free(ready, by);
    return byKind(kinds, (kind) => ({ free: of(kind, moved(kind, rival)), plain: of(kind, rival.answers) }));
  }
  const kind = kinds.find((one) => one.name === name);
  if (!kind) throw new Error(`There is no kind of requirement "${name}".`);
  const own = await asked(ready, by, kind);
  const { pressed = false, gain } = own.report.decision ?? {};
  return { pressed, ...(gain && { gain }), pliant: of(kind, own.answers) } satisfies Asked;
}
