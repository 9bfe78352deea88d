// A sweep: the same spec at several values of one setting, or on the grid of several, each point a run of its own, which starts
// from the solution before where that is near. Over the cost it is the price curve.

import { InputError, type SolverState } from "@pliant/core";
import { basename, existsSync, join } from "@pliant/platform";
import { costOf } from "../grammar/cost.js";
import type { TrainReport } from "../report/report.js";
import type { Setting, SpecFile } from "../spec/spec-file.js";
import type { SweepPoint } from "./asked.js";
import { type Chosen, chosenOf } from "./choose.js";
import { type RunOptions, trainInFolder } from "./run.js";

/** A setting, and the values it is to have. */
export interface SweepAsked {
  /** `cost`, which multiplies every cost, or a key as --set takes it. */
  readonly parameter: string;
  readonly values: readonly string[];
}

/** A point of a sweep; of one that was not chosen nothing is said of the test rows. */
export type SweptPoint = {
  readonly value: number | string;
  /** One per setting. */
  readonly at: Readonly<Record<string, number | string>>;
  readonly run: string;
} & Omit<TrainReport, "test"> &
  Partial<Pick<TrainReport, "test">>;

/** The points of a sweep, and which is best on validation rows. */
export interface Sweep {
  /** The first of the settings. */
  readonly parameter: string;
  readonly parameters: readonly string[];
  readonly group: string;
  readonly points: readonly SweptPoint[];
  /** With validation rows: the point that is best on them. */
  readonly chosen?: Chosen;
  /** With validation rows: the settings that say what is asked, between whose values rows cannot choose. */
  readonly asks?: readonly string[];
}

/** At commas, but for those between brackets of any kind. */
function apart(list: string): string[] {
  const values = [""];
  let depth = 0;
  for (const letter of list) {
    depth += "([{".includes(letter) ? 1 : ")]}".includes(letter) ? -1 : 0;
    if (letter === "," && depth <= 0) values.push("");
    else values[values.length - 1] += letter;
  }
  return values.map((value) => value.trim()).filter((value) => value !== "");
}

/** `cost=0.1,1,10`, `requirements.misses.level=0.1,0.2`, `model.hidden=[8],[16,16]` or `requirements.misses.cost=power(3, 1),linear(1)`. */
function readSweep(text: string): SweepAsked {
  const [, parameter, list = ""] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  const values = apart(list);
  if (parameter === undefined || values.length === 0)
    throw new InputError(`--sweep takes KEY=VALUE,VALUE,…, such as --sweep cost=0.1,1,10, not ${text}.`);
  if (parameter === "cost" && values.some((value) => !(Number(value) > 0)))
    throw new InputError(`--sweep cost takes positive factors of the costs, not ${list}.`);
  if (new Set(values).size < values.length) throw new InputError(`--sweep names a value twice: ${list}.`);
  return { parameter, values };
}

/** Those of one grid. */
export function readSweeps(texts: readonly string[]): SweepAsked[] {
  const asked = texts.map(readSweep);
  const twice = asked.find(({ parameter }, i) => asked.findIndex((one) => one.parameter === parameter) < i);
  if (twice) throw new InputError(`--sweep ${twice.parameter} is given twice; list its values after one.`);
  return asked;
}

const inPath = (text: string): string => text.replace(/[^\p{L}\p{N}_.+-]+/gu, "_");

/** A value of each setting. */
type Place = readonly { readonly parameter: string; readonly text: string }[];

/** Every combination, the last setting changing fastest. */
const placesOf = (asked: readonly SweepAsked[]): Place[] =>
  asked.reduce<Place[]>(
    (places, { parameter, values }) =>
      places.flatMap((place) => values.map((text) => [...place, { parameter, text }])),
    [[]],
  );

const shortly = (parameter: string): string => inPath(parameter.replace(/^requirements\./, ""));
const at = (place: Place): string =>
  place.map(({ parameter, text }) => `-${shortly(parameter)}-${inPath(text)}`).join("");

/** Points lie beside each other, where every list of runs finds them. */
const pointFolder = (out: string, place: Place): string => join(out, "..", `${basename(out)}${at(place)}`);

/** What the points along the first setting share. */
const groupOf = (out: string, [first, ...others]: Place): string =>
  `${basename(out)}-${shortly(first.parameter)}${at(others)}`;

/** Whether a sweep there would have a point in a folder for which this is true. */
export const sweptBefore = (
  out: string,
  asked: readonly SweepAsked[],
  isThere: (folder: string) => boolean,
): boolean => placesOf(asked).some((place) => isThere(pointFolder(out, place)));

/** Settings under which the solution before is a start: the same examples, model and requirements, and none tested on. */
const near = /^(cost|objective\.decay|requirements\..+\.(level|step|rate))$/;

/** A point of a sweep: the spec at its values, and the run it is to be. */
export interface PlannedPoint {
  readonly value: number | string;
  /** One per setting. */
  readonly at: Readonly<Record<string, number | string>>;
  readonly specFile: SpecFile;
  readonly options: RunOptions & { readonly sweep: SweepPoint };
}

/** A sweep of the costs multiplies those of the spec. */
const sweptWords = (parameter: string): string => (parameter === "cost" ? "cost ×" : parameter);

const plain = (text: string): number | string => (Number.isFinite(Number(text)) ? Number(text) : text);

/** The runs of a sweep, as they are planned: the grid of all settings' values. */
export function pointsOf(
  specFile: SpecFile,
  asked: readonly SweepAsked[],
  options: RunOptions,
): PlannedPoint[] {
  return placesOf(asked).map((place) => {
    const [{ parameter, text }] = place;
    const out = pointFolder(options.out, place);
    return {
      value: plain(text),
      at: Object.fromEntries(place.map((one) => [one.parameter, plain(one.text)])),
      specFile: place.reduce((file, one) => file.with(settingsFor(file, one.parameter, one.text)), specFile),
      options: {
        ...options,
        name: [options.name, ...place.map((one) => `${sweptWords(one.parameter)} ${one.text}`)].join(", "),
        out,
        sweep: { parameter, value: plain(text), group: groupOf(options.out, place) },
        resume: options.resume && existsSync(join(out, "run.json")),
      },
    };
  });
}

/** Trains a spec at every value of a setting, or on the grid of several, each point from the solution before it. */
export async function sweep(
  specFile: SpecFile,
  asked: readonly SweepAsked[],
  options: RunOptions,
): Promise<Sweep> {
  const runs: { folder: string; report: TrainReport }[] = [];
  const points = pointsOf(specFile, asked, options);
  let warm: SolverState | undefined;
  for (const [i, { specFile: own, options: how, at: here }] of points.entries()) {
    const { onData, ...rest } = how;
    const changed = Object.keys(here).filter((key) => here[key] !== points[i - 1]?.at[key]);
    const run = await trainInFolder(own, {
      ...rest,
      // The rows are described once.
      ...(i === 0 && onData && { onData }),
      warm: changed.every((key) => near.test(key)) ? warm : undefined,
    });
    runs.push(run);
    warm = run.state;
  }
  return sweepOf(asked, points, runs);
}

/** What is asked for: the loosest level is the easiest to meet and leaves the least loss, whatever the rows. */
const asks = /^(cost|requirements\..+\.(level|cost|hard))$/;

/** With validation rows one is chosen, and what test rows say of the others is left out: it would choose by them. */
export function sweepOf(
  asked: readonly SweepAsked[],
  planned: readonly PlannedPoint[],
  runs: readonly { readonly folder: string; readonly report: TrainReport }[],
): Sweep {
  const choice = choiceOf(
    asked,
    runs.map(({ report }) => [report]),
  );
  const { chosen } = choice;
  const points = planned.map(({ value, at: here }, i): Sweep["points"][number] => {
    const { folder, report } = runs[i];
    const shown = chosen && chosen.place !== i ? withoutTest(report) : report;
    return { value, at: here, run: folder, ...shown };
  });
  return {
    parameter: asked[0].parameter,
    parameters: asked.map(({ parameter }) => parameter),
    group: planned[0].options.sweep.group,
    points,
    ...choice,
  };
}

/** The best on validation rows, of points of one run or several; between levels and costs none. */
export function choiceOf(
  asked: readonly SweepAsked[],
  points: readonly (readonly TrainReport[])[],
): Pick<Sweep, "chosen" | "asks"> {
  const best = chosenOf(points);
  if (!best) return {};
  const asking = asked.flatMap(({ parameter }) => (asks.test(parameter) ? [parameter] : []));
  return asking.length > 0 ? { asks: asking } : { chosen: best };
}

function withoutTest({ test: _, requirements, ...report }: TrainReport): Omit<TrainReport, "test"> {
  return {
    ...report,
    requirements: Object.fromEntries(
      Object.entries(requirements).map(([name, { test: __, ...r }]) => [name, r]),
    ),
  };
}

function settingsFor(
  { spec: { cost, requirements } }: SpecFile,
  parameter: string,
  value: string,
): Setting[] {
  const said = `--sweep ${parameter}=${value}`;
  if (parameter !== "cost") return [{ key: parameter, value, said }];
  const scaled = (text: string): string => JSON.stringify(costOf(text).times(Number(value)));
  return [
    { key: "cost", value: scaled(cost), said },
    ...Object.entries(requirements).flatMap(([name, r]) =>
      r.cost === undefined ? [] : [{ key: `requirements.${name}.cost`, value: scaled(r.cost), said }],
    ),
  ];
}
