// A sweep: the same spec at several values of one setting, each a run of its own, which starts from the solution before
// where that is near. Over the cost it is the price curve.
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { InputError, type SolverState } from "pliant";
import { type TrainReport, told } from "../report/report.js";
import { gaveOf, priceOf } from "../report/report-text.js";
import { columns, short } from "../report/table.js";
import { scaledCost } from "../spec/cost.js";
import type { Setting, SpecFile } from "../spec/spec-file.js";
import type { SweepPoint } from "./asked.js";
import { type RunOptions, trainInFolder } from "./run.js";

export interface SweepAsked {
  /** `cost`, which multiplies every cost, or a key as --set takes it. */
  readonly parameter: string;
  readonly values: readonly string[];
}

export interface Sweep {
  readonly parameter: string;
  readonly group: string;
  readonly points: readonly ({ readonly value: number | string; readonly run: string } & TrainReport)[];
}

/** `cost=0.1,1,10` or `requirements.misses.level=0.1,0.2`. */
export function readSweep(text: string): SweepAsked {
  const [, parameter, list = ""] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  const values = list
    .split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "");
  if (parameter === undefined || values.length === 0)
    throw new InputError(`--sweep takes KEY=VALUE,VALUE,…, such as --sweep cost=0.1,1,10, not ${text}.`);
  if (parameter === "cost" && values.some((value) => !(Number(value) > 0)))
    throw new InputError(`--sweep cost takes positive factors of the costs, not ${list}.`);
  if (new Set(values).size < values.length) throw new InputError(`--sweep names a value twice: ${list}.`);
  return { parameter, values };
}

const inPath = (text: string): string => text.replace(/[^\p{L}\p{N}_.+-]+/gu, "_");

const groupOf = (out: string, parameter: string): string =>
  `${basename(out)}-${inPath(parameter.replace(/^requirements\./, ""))}`;

/** Points lie beside each other, where every list of runs finds them. */
const pointFolder = (out: string, parameter: string, value: string): string =>
  join(out, "..", `${groupOf(out, parameter)}-${inPath(value)}`);

/** Whether a sweep there would meet a run, or one that has a file. */
export const sweptBefore = (out: string, { parameter, values }: SweepAsked, file = "run.json"): boolean =>
  values.some((value) => existsSync(join(pointFolder(out, parameter, value), file)));

/** Settings under which the solution before is a start: the same examples, model and requirements, and none tested on. */
const near = /^(cost|objective\.decay|requirements\..+\.(level|step|rate))$/;

/** A value of a sweep: the spec at it, and the run it is to be. */
export interface PlannedPoint {
  readonly value: number | string;
  readonly specFile: SpecFile;
  readonly options: RunOptions & { readonly sweep: SweepPoint };
}

export function pointsOf(specFile: SpecFile, asked: SweepAsked, options: RunOptions): PlannedPoint[] {
  const { parameter, values } = asked;
  const group = groupOf(options.out, parameter);
  return values.map((text) => {
    const value = Number.isFinite(Number(text)) ? Number(text) : text;
    const out = pointFolder(options.out, parameter, text);
    return {
      value,
      specFile: specFile.with(settingsFor(specFile, parameter, text)),
      options: {
        ...options,
        name: `${options.name}, ${parameter} ${text}`,
        out,
        sweep: { parameter, value, group },
        resume: options.resume && existsSync(join(out, "run.json")),
      },
    };
  });
}

export async function sweep(specFile: SpecFile, asked: SweepAsked, options: RunOptions): Promise<Sweep> {
  const { parameter } = asked;
  const points: Sweep["points"][number][] = [];
  let warm: SolverState | undefined;
  for (const point of pointsOf(specFile, asked, options)) {
    const { folder, report, state } = await trainInFolder(point.specFile, {
      ...point.options,
      warm: near.test(parameter) ? warm : undefined,
    });
    points.push({ value: point.value, run: folder, ...report });
    warm = state;
  }
  return { parameter, group: groupOf(options.out, parameter), points };
}

function settingsFor(
  { spec: { cost, requirements } }: SpecFile,
  parameter: string,
  value: string,
): Setting[] {
  const said = `--sweep ${parameter}=${value}`;
  if (parameter !== "cost") return [{ key: parameter, value, said }];
  const scaled = (text: string): string => JSON.stringify(scaledCost(text, Number(value)));
  return [
    { key: "cost", value: scaled(cost), said },
    ...Object.entries(requirements).flatMap(([name, r]) =>
      r.cost === undefined ? [] : [{ key: `requirements.${name}.cost`, value: scaled(r.cost), said }],
    ),
  ];
}

/** A row a point: objective, then of every requirement what it gave and its price. */
export function sweepText({ parameter, points }: Sweep): string {
  const names = Object.keys(points[0].requirements);
  const parts = names.map((name) => {
    const rows = points.map((point) => {
      const { [name]: r } = point.requirements;
      return [
        String(point.value),
        short(told(r, point.judgedOn).reached),
        gaveOf(point, r),
        priceOf(point, r),
        r.train ? r.train.strict.value.toFixed(3) : "–",
        r.test ? r.test.strict.value.toFixed(3) : "–",
      ];
    });
    return `${name}\n${columns([[parameter, "reached", "gave", "price", "strict train", "strict test"], ...rows])}`;
  });
  const overall = points.map(({ value, objective, steps, certificate, run }) => [
    String(value),
    short(objective),
    String(steps),
    certificate.holds ? "yes" : "no",
    run,
  ]);
  return [...parts, columns([[parameter, "objective", "steps", "certified", "run"], ...overall])].join(
    "\n\n",
  );
}
