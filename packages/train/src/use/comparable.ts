// Whether two runs can be ranked at all, and whether they were tested on the same rows, so that they can be paired one by one.
import { existsSync, join, readFileSync } from "@pliant/platform";
import { numberLosses } from "../data/target.js";
import type { TrainReport } from "../report/report.js";
import { rowsFile, type TrainAsked } from "../run/asked.js";

interface Run {
  readonly folder: string;
  readonly asked: TrainAsked;
}

interface Reported {
  readonly asked: TrainAsked;
  readonly report: TrainReport;
}

/**
 * The identity of a requirement, apart from levels, costs and price rates; leaving out groups does not change the others, except for the
 * worst group.
 */
function aboutOf({ asked, report }: Reported, name: string): Readonly<Record<string, string>> {
  const spec = asked.spec.requirements[report.requirements[name].of] as Readonly<Record<string, unknown>>;
  const beside = ["level", "sense", "cost", "hard", "rate", ...(spec.worst ? [] : ["only"])];
  return Object.fromEntries(
    Object.entries(spec).flatMap(([key, value]) =>
      beside.includes(key) ? [] : [[key, typeof value === "string" ? value : JSON.stringify(value)]],
    ),
  );
}

/** By name, what requirements are in each of two runs, where both have them and they are about different things. */
export function otherwiseAsked(
  a: Reported,
  b: Reported,
): Record<string, readonly [first: string, second: string]> {
  return Object.fromEntries(
    Object.keys(a.report.requirements).flatMap((name) => {
      if (!(name in b.report.requirements)) return [];
      const [x, y] = [a, b].map((run) => aboutOf(run, name));
      const keys = [...new Set([...Object.keys(x), ...Object.keys(y)])].filter((key) => x[key] !== y[key]);
      const words = (about: typeof x): string =>
        keys.map((key) => `${key} ${about[key] ?? "none"}`).join(", ");
      return keys.length === 0 ? [] : [[name, [words(x), words(y)] as const]];
    }),
  );
}

/** The file whose rows it is tested on, or the set of images. */
function testedOn({ spec: { data } }: TrainAsked): string {
  return typeof data.test === "string" ? data.test : (data.file ?? data.dataset!);
}

/** Other contents are other data, whatever their name. */
const contents = (asked: TrainAsked): string => asked.data.files[testedOn(asked)] ?? testedOn(asked);

const lossOf = ({ spec: { objective } }: TrainAsked): string => {
  const loss = numberLosses.find((name) => name === objective.loss) ?? numberLosses[0];
  return loss === "quantile" ? `quantile ${objective.quantile ?? 0.5}` : loss;
};

/** Why neither can be called the better, where numbers of the one say nothing beside those of the other. */
export function unlikeIn(a: TrainAsked, b: TrainAsked): string | undefined {
  const [x, y] = [a.data.target, b.data.target];
  const [first, second] = [a.spec.data.target, b.spec.data.target];
  if (first !== second) return `they predict different columns, "${first}" and "${second}"`;
  if (x.kind !== y.kind) return "one of them predicts classes and the other a number";
  if (x.kind === "class" && y.kind === "class" && x.classes.join("\n") !== y.classes.join("\n"))
    return "they tell different classes apart";
  if (contents(a) !== contents(b)) {
    const [own, other] = [testedOn(a), testedOn(b)];
    return `they were tested on different data, ${own === other ? `as ${own} changed between them` : `${own} and ${other}`}`;
  }
  if (x.kind === "number" && lossOf(a) !== lossOf(b))
    return `they have different losses, ${lossOf(a)} and ${lossOf(b)}`;
  return undefined;
}

/**
 * What one of the second's loss is in the first's: losses of a number are in deviations of the training rows, which may be others.
 * None where there is no such factor.
 */
export function lossFactor(a: TrainAsked, b: TrainAsked): number | undefined {
  const [x, y] = [a.data.target, b.data.target];
  if (x.kind !== "number" || y.kind !== "number" || x.deviation === y.deviation) return 1;
  const loss = lossOf(a);
  if (loss === "poisson") return 1;
  if (loss === "huber") return undefined;
  return (y.deviation / x.deviation) ** (loss === "squared-error" ? 2 : 1);
}

/** Where in the second's test rows each of the first's is; none where they are not the same rows. */
export function sameTestRows(a: Run, b: Run): readonly number[] | undefined {
  const [first, second] = [testLines(a.folder), testLines(b.folder)];
  if (!first || !second) {
    const parted = ({ data, spec: { data: own, seed } }: TrainAsked): string =>
      JSON.stringify([own.test, own.validation, own.limit, own.seed ?? seed, data.test]);
    if (parted(a.asked) !== parted(b.asked)) return undefined;
    return Array.from({ length: a.asked.data.test }, (_, i) => i);
  }
  const places = new Map(second.map((line, i) => [line, i]));
  if (first.length !== second.length || !first.every((line) => places.has(line))) return undefined;
  return first.map((line) => places.get(line)!);
}

/** For a run of columns: the lines of its file that it was tested on, in its order. */
function testLines(folder: string): string[] | undefined {
  const file = join(folder, rowsFile);
  if (!existsSync(file)) return undefined;
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("test,"));
}
