// The series of a run for the page: downsampled curves, what is new since a place, and the rounds of a federation.
import type { ClientValues, Federation, NewPoints, Place, Series } from "./api.js";
import { downsample, evenly, thinPath } from "./downsample.js";
import type { Metrics } from "./metrics.js";
import { few } from "./requirement.js";
import { spreadOf, worstIn } from "./spread.js";
import type { Table } from "./table.js";

export interface SeriesOptions {
  readonly whole?: boolean;
  /** Where requirements are many: those to tell of; the worst unless given. */
  readonly only?: readonly string[];
}

export function seriesOf(
  { table, place }: Pick<Metrics, "table" | "place">,
  { whole = true, only = [] }: SeriesOptions = {},
): Series {
  const { step, objective, residual, requirements, other } = table;
  const curve = (values: Float64Array) => downsample(step.values, values);
  const many = requirements.size > few;
  const wanted = new Set(only.length > 0 ? only.slice(0, few) : many ? worstIn(table, few) : []);
  const told = [...requirements].filter(([name]) => !many || wanted.has(name));
  return {
    ...place,
    whole,
    objective: curve(objective.values),
    time: curve(elapsed(table)),
    spread: many ? spreadOf(table) : null,
    residual: curve(residual.values),
    requirements: Object.fromEntries(
      told.map(([name, { slack, relaxation, price }]) => [
        name,
        {
          slack: curve(slack.values),
          relaxation: curve(relaxation.values),
          price: curve(price.values),
          path: thinPath(relaxation.values, price.values),
        },
      ]),
    ),
    other: Object.fromEntries([...other].map(([name, { values }]) => [name, curve(values)])),
  };
}

const told = new WeakMap<Table, { readonly of: string; readonly bytes: Uint8Array<ArrayBuffer> }>();

/** The whole series as JSON, made once for all who look at the same: many may. */
export function seriesBytes(metrics: Metrics, only: readonly string[] = []): Uint8Array<ArrayBuffer> {
  const { table, place } = metrics;
  const of = JSON.stringify([place, only]);
  const before = told.get(table);
  if (before?.of === of) return before.bytes;
  const bytes = new TextEncoder().encode(JSON.stringify(seriesOf(metrics, { only })));
  told.set(table, { of, bytes });
  return bytes;
}

/** When the first line was logged. */
const beginning = ({ time }: Table): number => time.values.find(Number.isFinite) ?? 0;

/** Seconds since the first line. */
function elapsed(table: Table): Float64Array {
  const first = beginning(table);
  return table.time.values.map((at) => at - first);
}

/** The rows after a place, as they are. */
export async function pointsSince(metrics: Metrics, from: number): Promise<NewPoints> {
  const { table, place } = metrics;
  const rows = Array.from({ length: place.rows - from }, (_, i) => from + i);
  const at = (values: Float64Array) => rows.map((row) => finite(values[row]));
  const first = beginning(table);
  return {
    ...place,
    step: rows.map((row) => table.step.values[row]),
    time: rows.map((row) => finite(table.time.values[row] - first)),
    objective: at(table.objective.values),
    residual: at(table.residual.values),
    requirements: Object.fromEntries(
      (table.requirements.size > few ? [] : [...table.requirements]).map(
        ([name, { slack, relaxation, price }]) => [
          name,
          { slack: at(slack.values), relaxation: at(relaxation.values), price: at(price.values) },
        ],
      ),
    ),
    other: Object.fromEntries([...table.other].map(([name, { values }]) => [name, at(values)])),
    clients: await metrics.clientsAt(place.rows - 1),
  };
}

const finite = (x: number | undefined): number | null => (x !== undefined && Number.isFinite(x) ? x : null);

/** Numbers sent at most: with more clients, fewer rounds. */
const most = 400_000;

export async function federationOf(
  metrics: Metrics,
  report: Readonly<Record<string, unknown>> | null,
): Promise<Federation> {
  const { table, place } = metrics;
  const rows = [...table.clientLines.keys()];
  const last = rows.length > 0 ? await metrics.clientsAt(rows[rows.length - 1]) : null;
  const perRound = Object.values(last ?? {}).reduce((sum, values) => sum + values.length, 0);
  const kept = evenly(rows, Math.max(2, Math.min(300, Math.floor(most / Math.max(1, perRound)))));
  const read = await Promise.all(kept.map((row) => metrics.clientsAt(row)));
  const whole = kept.map((row, i) => ({ row, clients: read[i] })).filter(({ clients }) => clients !== null);
  const attributes = attributesOf(report?.clients);
  // Where no round was kept, the report still knows how the last one left the clients.
  const ended = whole.length === 0 && Object.keys(attributes).length > 0;
  return {
    ...(place satisfies Place),
    rounds: ended ? [finite(Number(report?.rounds)) ?? 0] : whole.map(({ row }) => table.step.values[row]),
    clients: ended ? [attributes] : whole.map(({ clients }) => clients as ClientValues),
    objective: downsample(table.step.values, table.objective.values),
    attributes,
  };
}

/** A list of clients turned into a list a quantity, for every quantity that is a number. */
export function attributesOf(clients: unknown): ClientValues {
  if (!Array.isArray(clients)) return {};
  const names = new Set<string>();
  for (const client of clients)
    for (const [name, value] of Object.entries(client ?? {})) if (typeof value === "number") names.add(name);
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      clients.map((client) => finite((client as Record<string, number> | null)?.[name])),
    ]),
  );
}
