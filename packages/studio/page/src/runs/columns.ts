// What the list of runs shows of them: columns that are always there to choose, and one for every number that a run has.
import type { RunSummary } from "../../../src/api.js";
import { inOrder, titleOf } from "../lib/names.js";
import { standingOf } from "../words/standing.js";

export type Value = string | number | null;

export interface Column {
  readonly key: string;
  readonly label: string;
  readonly numeric: boolean;
  value(run: RunSummary): Value;
  /** What runs are sorted by, where that is not the value. */
  rank?(run: RunSummary): Value;
}

const text = (key: string, label: string, value: Column["value"]): Column => ({
  key,
  label,
  value,
  numeric: false,
});

const own: readonly Column[] = [
  text("name", "Run", titleOf),
  text("status", "Status", (run) => standingOf(run).words),
  { key: "objective", label: "Objective", numeric: true, value: ({ objective }) => objective },
  text("worst", "Worst requirement", ({ worst }) => worst?.excess ?? null),
  { key: "steps", label: "Steps", numeric: true, value: ({ steps }) => steps },
  { key: "seed", label: "Seed", numeric: true, value: ({ seed }) => seed },
  text("device", "Device", ({ device }) => device),
  {
    ...text("started", "Started", ({ started, updated }) => started ?? new Date(updated).toISOString()),
    // A moment is one wherever its clock stood.
    rank: ({ started, updated }) => (started === null ? updated : Date.parse(started) || null),
  },
  text("certified", "Certified", ({ certified }) => (certified === null ? null : certified ? "yes" : "no")),
  text("command", "Command", ({ command }) => command),
  text("dataset", "Data", ({ dataset }) => dataset),
  text("tags", "Tags", ({ note }) => note.tags.join(", ") || null),
  text("notes", "Notes", ({ note }) => note.notes || null),
];

export const usual = ["name", "status", "objective", "worst", "steps", "seed", "device", "started"];

/** Every column that these runs can have. */
export function columnsOf(runs: readonly RunSummary[]): Column[] {
  const taken = new Set(own.map(({ key }) => key));
  const names = [...new Set(runs.flatMap(({ quantities }) => Object.keys(quantities)))].filter(
    (name) => !taken.has(name),
  );
  return [...own, ...names.map(quantity)];
}

const quantity = (name: string): Column => ({
  key: name,
  label: name,
  numeric: true,
  value: ({ quantities }) => (Object.hasOwn(quantities, name) ? quantities[name] : null),
});

/** In the order in which they can be chosen; the name is always there. */
export function chosenColumns(all: readonly Column[], keys: readonly string[]): Column[] {
  const wanted = new Set(keys.length > 0 ? ["name", ...keys] : usual);
  return all.filter(({ key }) => wanted.has(key));
}

/** What is not known comes last either way; seeds of one thing stay in their order. */
export function sorter(
  { value, rank = value }: Column,
  descending: boolean,
): (a: RunSummary, b: RunSummary) => number {
  const byName = (a: RunSummary, b: RunSummary): number => inOrder(a.name, b.name);
  return (a, b) => {
    const [x, y] = [rank(a), rank(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || byName(a, b);
    const order = typeof x === "number" && typeof y === "number" ? x - y : inOrder(String(x), String(y));
    return (descending ? -order : order) || byName(a, b);
  };
}

export const relations = ["<", "≤", ">", "≥", "=", "≠", "contains"] as const;
export type Relation = (typeof relations)[number];

export interface Filter {
  readonly key: string;
  readonly relation: Relation;
  readonly value: string;
}

export const filterText = ({ key, relation, value }: Filter): string => `${key} ${relation} ${value}`;

/** Undefined where the text is none. */
export function filterFrom(text: string): Filter | undefined {
  const [, key, relation, value] = /^(.+) ([<≤>≥=≠]|contains) (.+)$/.exec(text) ?? [];
  return key === undefined ? undefined : { key, relation: relation as Relation, value };
}

/** By the order of what a run has and what it is held against. */
const holds: Record<Exclude<Relation, "contains">, (order: number) => boolean> = {
  "<": (order) => order < 0,
  "≤": (order) => order <= 0,
  "≥": (order) => order >= 0,
  ">": (order) => order > 0,
  "=": (order) => order === 0,
  "≠": (order) => order !== 0,
};

/** Whether a run is of those asked for: what it does not know is none of it. */
export function passes(run: RunSummary, columns: readonly Column[], filters: readonly Filter[]): boolean {
  return filters.every(({ key, relation, value }) => {
    const found = columns.find((column) => column.key === key)?.value(run) ?? null;
    return isOf(found, relation, value);
  });
}

export function isOf(found: Value, relation: Relation, value: string): boolean {
  if (found === null) return relation === "≠";
  if (relation === "contains") return String(found).toLowerCase().includes(value.toLowerCase());
  const numbers = typeof found === "number" && value.trim() !== "" && Number.isFinite(Number(value));
  const order = numbers ? found - Number(value) : inOrder(String(found).toLowerCase(), value.toLowerCase());
  return holds[relation](order);
}

/** Every word of a search is somewhere in what is said of a run. */
export function mentions(run: RunSummary, search: string): boolean {
  const said = [
    ...[
      run.name,
      run.title,
      run.apart,
      run.command,
      run.dataset,
      standingOf(run).words,
      run.device,
      run.worst?.name,
    ],
    ...[run.note.notes, ...run.note.tags],
  ]
    .join(" ")
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => said.includes(word));
}
