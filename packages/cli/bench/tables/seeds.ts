// Five seeds of the loans example trained as one beside each of them alone on the same rows: the example's own seed, which settles
// soonest, and what one of the five takes on average.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loansCsv, loansSpec } from "@pliant/train";
import { processorOfChildren } from "../peer.js";
import { pliant, saidLast } from "../pliant.js";

interface Took {
  readonly seconds: number;
  /** Processor time of all threads. */
  readonly processor: number;
}

const seeds = [1, 2, 3, 4, 5];
const rounds = 3;

/** The whole command, all in turn: medians, which one that others held up does not move. */
export async function fiveSeedsBesideOne(root: string, say: (line: string) => void) {
  const folder = mkdtempSync(join(root, "loans-"));
  const spec = join(folder, "spec.yaml");
  writeFileSync(spec, loansSpec);
  writeFileSync(join(folder, "loans.csv"), loansCsv());
  const timed = async (name: string, ...more: string[]): Promise<Took> => {
    const [start, before] = [performance.now(), processorOfChildren() ?? Number.NaN];
    const { exit, err } = await pliant(["train", spec, "--out", join(folder, name), "--force", ...more]);
    if (exit !== 0) throw new Error(saidLast(err));
    return {
      seconds: (performance.now() - start) / 1000,
      processor: (processorOfChildren() ?? Number.NaN) - before,
    };
  };
  const all: { five: Took; alone: Took[] }[] = [];
  for (let i = 0; i < rounds; i++) {
    const alone: Took[] = [];
    // Seeds that are trained together share the split of the first.
    for (const seed of seeds)
      alone.push(await timed(`alone-${seed}`, "--seed", `${seed}`, "--set", `data.seed=${seeds[0]}`));
    all.push({ alone, five: await timed("five", "--seeds", `${seeds[0]}-${seeds[seeds.length - 1]}`) });
  }
  const median = (of: (round: (typeof all)[number]) => number): number =>
    all.map(of).sort((a, b) => a - b)[Math.floor(rounds / 2)];
  const took = (of: (round: (typeof all)[number]) => readonly Took[]): Took => {
    const mean = (what: keyof Took) => median((round) => average(of(round).map((took) => took[what])));
    return { seconds: mean("seconds"), processor: mean("processor") };
  };
  const times = (of: (alone: readonly Took[]) => readonly Took[], what: keyof Took): number =>
    median(({ five, alone }) => five[what] / average(of(alone).map((took) => took[what])));
  const first = (alone: readonly Took[]): readonly Took[] => alone.slice(0, 1);
  const every = (alone: readonly Took[]): readonly Took[] => alone;
  const five = took((round) => [round.five]);
  const one = took(({ alone }) => first(alone));
  const oneOnAverage = took(({ alone }) => alone);
  const found = {
    one,
    five,
    times: times(first, "seconds"),
    timesTheWork: times(first, "processor"),
    oneOnAverage,
    timesTheAverage: times(every, "seconds"),
    timesTheAverageWork: times(every, "processor"),
    each: seeds.map((seed, i) => ({
      seed,
      steps: stepsIn(join(folder, `alone-${seed}`)),
      ...took(({ alone }) => [alone[i]]),
    })),
  };
  const shown = ({ seconds, processor }: Took): string =>
    `${seconds.toFixed(2)} s (${processor.toFixed(2)} s of processors)`;
  say(
    `five seeds of the loans example: ${shown(five)}\n` +
      `  the example's own seed alone ${shown(one)}: ${found.times.toFixed(2)} times as long, ${found.timesTheWork.toFixed(2)} times the work\n` +
      `  one of the five on average ${shown(oneOnAverage)}: ${found.timesTheAverage.toFixed(2)} times as long, ${found.timesTheAverageWork.toFixed(2)} times the work\n` +
      `  steps of each: ${found.each.map(({ steps }) => steps).join(", ")}`,
  );
  return found;
}

const average = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

const stepsIn = (run: string): number =>
  (JSON.parse(readFileSync(join(run, "report.json"), "utf8")) as { steps: number }).steps;
