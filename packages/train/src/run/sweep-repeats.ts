// A sweep whose every point is several runs: with seeds of their own, or with each fold of the rows kept for testing in turn.
import { InputError } from "@pliant/core";
import type { TrainReport } from "../report/report.js";
import type { SpecFile } from "../spec/spec-file.js";
import { type Repeats, repeatsOf, trainRepeats } from "./repeats.js";
import type { RunOptions } from "./run.js";
import { choiceOf, pointsOf, type Sweep, type SweepAsked, type SweptPoint } from "./sweep.js";

/** The summary of the runs of a point; for points that were not chosen, without test rows. */
export type RepeatedPoint = Pick<SweptPoint, "value" | "at"> & {
  /** The folder around its runs. */
  readonly run: string;
} & Omit<Repeats, "test" | "held"> &
  Partial<Pick<Repeats, "test" | "held">>;

/** Several points, each of several runs. */
export type RepeatedSweep = Omit<Sweep, "points"> & { readonly points: readonly RepeatedPoint[] };

/** Trains a spec at every value with every seed, or on every fold. */
export async function sweepRepeats(
  specFile: SpecFile,
  asked: readonly SweepAsked[],
  options: RunOptions,
): Promise<{ sweep: RepeatedSweep; reports: readonly TrainReport[] }> {
  const points = pointsOf(specFile, asked, options);
  const planned = points.map(({ specFile: own, at }) => {
    const repeats = repeatsOf(own);
    if (repeats) return repeats;
    const where = Object.entries(at).map(([parameter, value]) => `${parameter}=${value}`);
    throw new InputError(
      `--sweep ${where.join(", ")}: there is one run at this value, and several at others; leave seeds and folds out of the sweep.`,
    );
  });
  const found: Awaited<ReturnType<typeof trainRepeats>>[] = [];
  for (const [i, { specFile: own, options: how }] of points.entries()) {
    const { onData, ...rest } = how;
    const once = i === 0 && onData ? { onData } : {};
    found.push(await trainRepeats(own, planned[i], { ...rest, ...once, resume: options.resume }));
  }
  const reports = found.map((one) => one.reports);
  const choice = choiceOf(asked, reports);
  return {
    sweep: {
      parameter: asked[0].parameter,
      parameters: asked.map(({ parameter }) => parameter),
      group: points[0].options.sweep.group,
      points: points.map(({ value, at, options: { out } }, i) => {
        const { repeats } = found[i];
        const isLeft = choice.chosen && choice.chosen.place !== i;
        return { value, at, run: out, ...(isLeft ? withoutTest(repeats) : repeats) };
      }),
      ...choice,
    },
    reports: reports.flat(),
  };
}

/** Showing test results of points that were not chosen would let them decide. */
function withoutTest({ test: _, held: __, requirements, ...rest }: Repeats): Omit<Repeats, "test" | "held"> {
  return {
    ...rest,
    requirements: Object.fromEntries(
      Object.entries(requirements).map(([name, { test: ___, held: ____, ...r }]) => [name, r]),
    ),
  };
}
