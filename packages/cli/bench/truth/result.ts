// One case: the report of its model beside the known facts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ran, type Report, train } from "../pliant.js";
import { type Table, writeCsv } from "../table.js";
import type { Case } from "./case.js";
import { insisting, prices } from "./exact.js";
import { type Rate, ratesOf, resolution } from "./judge.js";
import { type Exact, exactly, hasExact } from "./smooth.js";

export interface Result {
  readonly name: string;
  readonly certified: boolean;
  /** The rate that is furthest from its level: */
  readonly asked: number | null;
  readonly strictTrain: number | null;
  readonly strictTest: number | null;
  /** The price that is furthest from the measured one, or else that of the same rate. */
  readonly price: number | null;
  readonly priceMeasured: number | null;
  readonly impossible: boolean;
  readonly feasible: boolean;
  readonly validation: boolean;
  readonly exit: number;
  readonly steps: number | null;
  readonly seconds: number;
  readonly residuals?: Readonly<Record<string, unknown>>;
  readonly strictWithin: boolean;
  readonly priceWithin: boolean | null;
  readonly rates: readonly (Rate & { readonly priceMeasured: number | null })[];
  /** The cost of insisting on the requirement that gave way furthest; measured is null if the requirement is infeasible. */
  readonly insisting?: {
    readonly name: string;
    readonly said: number | null;
    readonly measured: number | null;
  };
  readonly mistake?: string;
}

/** A case with its rows, so that it can travel to a process of its own. */
export interface Drawn {
  readonly of: Omit<Case, "rows">;
  readonly rows: Table;
  readonly test: Table;
  /** KEY=VALUE of the spec, other than the defaults. */
  readonly settings: readonly string[];
}

export async function judged({ of, rows, test, settings }: Drawn, folder: string): Promise<Result> {
  mkdirSync(folder, { recursive: true });
  writeCsv(join(folder, "train.csv"), rows);
  writeCsv(join(folder, "test.csv"), test);
  writeFileSync(join(folder, "spec.json"), JSON.stringify(specOf(of, rows)));
  const sets = settings.flatMap((text) => ["--set", text]);
  const ran = await train(folder, "run", sets);
  if (!ran.report) return failed(of, ran.mistake!, ran);
  const about = { ...known(of), exit: ran.exit, seconds: ran.seconds };
  const { report } = ran;
  const exact = of.impossible ? undefined : exactly(of, rows, report, ran.folder);
  const measured = exact ? pricesOf(exact) : {};
  const rates = ratesOf(of, rows, report).map((rate) => ({
    ...rate,
    priceMeasured: measured[rate.name] ?? null,
  }));
  const furthest = rates.reduce((a, b) => (distance(b) > distance(a) ? b : a));
  const priced = rates.filter((rate) => rate.priceMeasured !== null);
  const dearest = priced.length > 0 ? priced.reduce((a, b) => (amiss(b) > amiss(a) ? b : a)) : furthest;
  const insisted = of.insist ? await insistingOf(folder, ran, report, rates, exact, sets) : undefined;
  return {
    ...about,
    certified: report.certificate.holds,
    asked: furthest.asked,
    strictTrain: furthest.strictTrain,
    strictTest: furthest.strictTest,
    price: dearest.price,
    priceMeasured: dearest.priceMeasured,
    steps: report.steps,
    residuals: report.certificate,
    strictWithin: rates.every(({ within }) => within),
    priceWithin: priced.length > 0 ? priced.every((rate) => amiss(rate) <= 1) : null,
    rates,
    ...(insisted && { insisting: insisted }),
  };
}

/** From the level, in units of what is allowed; a rate that holds at no price is at none, and comes after those that bind. */
const distance = ({ within, over, counted, price }: Rate): number =>
  within && over <= 0 && Math.abs(over) > resolution(counted)
    ? price - 1
    : Math.abs(over) / resolution(counted);

const known = (of: Drawn["of"]) => ({
  name: of.name,
  impossible: of.impossible,
  feasible: of.feasible,
  validation: of.validation !== undefined,
});

/** A case that came to no report counts in every share it would have been part of, as wrong. */
export const failed = (
  of: Drawn["of"],
  mistake: string,
  { exit = -1, seconds = 0 }: { exit?: number; seconds?: number } = {},
): Result => ({
  ...known(of),
  exit,
  seconds,
  ...nothing,
  priceWithin: hasExact(of) && !of.impossible ? false : null,
  mistake,
});

const nothing = {
  certified: false,
  asked: null,
  strictTrain: null,
  strictTest: null,
  price: null,
  priceMeasured: null,
  steps: null,
  strictWithin: false,
  rates: [],
} as const;

function specOf(of: Drawn["of"], rows: Table): object {
  return {
    name: of.name,
    data: {
      file: "train.csv",
      test: "test.csv",
      target: of.target,
      ...(rows.group && { columns: { group: "group" } }),
      ...(of.validation !== undefined && { validation: of.validation }),
    },
    model: of.model,
    ...(of.decay > 0 && { objective: { decay: of.decay } }),
    requirements: of.requirements,
    // This benchmark checks prices of scores that are trained at a fixed threshold; decisions have a benchmark of their own.
    decision: { threshold: 0.5 },
  };
}

function pricesOf(exact: Exact): Record<string, number | null> {
  const found = prices(exact);
  return Object.fromEntries(exact.names.map((name, k) => [name, found[k]]));
}

/** How far a price is from the one measured, in units of what is allowed: 5%, or what counts as nothing. */
const amiss = ({ price, priceMeasured }: { price: number; priceMeasured: number | null }): number =>
  Math.abs(price - priceMeasured!) / Math.max(0.05 * Math.abs(priceMeasured!), 1e-3);

async function insistingOf(
  folder: string,
  { folder: run }: Ran,
  report: Report,
  rates: readonly Rate[],
  exact: Exact | undefined,
  sets: readonly string[],
): Promise<Result["insisting"]> {
  const { name, relaxation, price } = rates.reduce((a, b) => (b.relaxation > a.relaxation ? b : a));
  if (relaxation < 1e-3) return undefined;
  const own = report.requirements[name].insisting;
  // A report that measures nothing says: the price, for each unit that it gave.
  const said = own ? (own.had ? own.costs : null) : price * relaxation;
  if (exact) return { name, said, measured: insisting(exact, exact.names.indexOf(name)) };
  const hard = await train(folder, `${run}-hard`.split("/").at(-1)!, [...sets, "--hard", name]);
  const after = hard.report;
  const had = after?.certificate.holds ? after.objective - report.objective : null;
  return { name, said, measured: had };
}
