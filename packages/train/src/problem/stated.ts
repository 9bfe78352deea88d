// The requirements as they are solved: one for each group that a spec asks about, with names of their own.
import type { InputError } from "pliant";
import { checkUnder, underOf } from "../data/disturb.js";
import type { Examples, Prepared } from "../data/examples.js";
import { type Complain, type Metric, metricOf } from "../metrics/index.js";
import { type RelativeLevel, readLevel } from "../spec/level.js";
import { hint } from "../spec/near.js";
import type { RequirementSpec, Spec } from "../spec/spec.js";

export interface Group {
  readonly column: string;
  readonly value: string;
}

/** m(own) − factor · m(base), asked to be at most, at least or between. */
export interface Stated {
  /** As reports call it: `misses [group=B]`. */
  readonly name: string;
  /** As the spec calls it. */
  readonly of: string;
  readonly spec: RequirementSpec;
  readonly metric: Metric;
  readonly group?: Group;
  readonly sense: "at most" | "at least" | "between";
  readonly level: number | readonly [number, number];
  /** What the metric of the group is compared with. */
  readonly base?: { readonly of: "rest" | "overall"; readonly factor: number };
  readonly relative?: RelativeLevel;
  readonly hard: boolean;
  readonly perExample: boolean;
}

type Mistake = (path: readonly string[], sentence: string) => InputError;

export function statedIn({ requirements }: Spec, prepared: Prepared, mistake: Mistake): Stated[] {
  const all = Object.entries(requirements).flatMap(([of, spec]) => {
    const complain: Complain = (key, sentence) =>
      mistake(["requirements", of, key], `requirements.${of}.${key}: ${sentence}`);
    return stated(of, spec, prepared, complain);
  });
  for (const { name, of } of all)
    if (all.filter((other) => other.name === name).length > 1)
      throw mistake(["requirements", of], `two requirements would be called "${name}"; rename one.`);
  return all;
}

function stated(of: string, spec: RequirementSpec, prepared: Prepared, complain: Complain): Stated[] {
  const metric = metricOf(spec, prepared, complain);
  checkUnder(spec, prepared, complain);
  const { by, gap = false, per } = spec as { by?: string; gap?: boolean; per?: string };
  const groups = by === undefined ? [undefined] : groupsOf(by, prepared, complain);
  if (gap && by === undefined) throw complain("gap", "a gap is between groups; say which with by.");
  if (per !== undefined && by !== undefined)
    throw complain("by", "a requirement on every example has no groups; leave out by or per.");
  if (per !== undefined && underOf(spec))
    throw complain("under", "a requirement on every example is on it undisturbed; leave out under or per.");
  const { sense, level, relative } = levelOf(spec, complain);
  if (relative && gap) throw complain("level", "a gap is relative already; give it a number.");
  if (relative && per !== undefined)
    throw complain("level", "a requirement on every example needs a number for a level.");
  if (relative && by === undefined && !underOf(spec))
    throw complain("level", "without by or under the metric is the overall one itself; give it a number.");
  checkRange(metric, [level].flat(), gap || relative !== undefined, complain);
  const hard = hardGroups(spec, groups, complain);
  if (spec.hard === true && spec.cost !== undefined && spec.cost !== "hard")
    throw complain(
      "hard",
      `it must not give way, so the cost ${spec.cost} says nothing; leave out one of them.`,
    );
  return groups.flatMap((group) => {
    const name = group ? `${of} [${group.column}=${group.value}]` : of;
    const common = {
      of,
      spec,
      metric,
      group,
      relative,
      base: gap
        ? { of: "rest" as const, factor: 1 }
        : relative
          ? { of: "overall" as const, factor: relative.factor }
          : undefined,
      hard: hard(group) || spec.cost === "hard",
      perExample: per !== undefined,
    };
    if (typeof level === "number" || per !== undefined || metric.level === "trained")
      return [{ ...common, name, sense, level }];
    // What is counted is trained by a bound on each side, and so has a requirement for each.
    return (["at least", "at most"] as const).map((side, i) => ({
      ...common,
      name: `${name}, ${side} ${level[i]}`,
      sense: side,
      level: level[i],
    }));
  });
}

/** The groups of a column, in the training rows. */
export const groupValues = ({ train, groupValues: known }: Prepared, by: string): readonly string[] =>
  known?.[by] ?? [...new Set(train.groups[by])].filter((value) => value !== null).sort();

function groupsOf(by: string, prepared: Prepared, complain: Complain): Group[] {
  const { train, numeric } = prepared;
  const known = Object.keys(train.groups);
  if (numeric.has(by))
    throw complain(
      "by",
      `"${by}" is a column of numbers; say that they are groups with data.columns.${by}: group.`,
    );
  if (!known.includes(by)) throw complain("by", `"${by}" is not a column with groups${hint(by, known)}`);
  const values = groupValues(prepared, by);
  if (values.length < 2)
    throw complain("by", `the column "${by}" has one group alone, ${values[0] ?? "missing"}.`);
  return values.map((value) => ({ column: by, value }));
}

function levelOf({ metric, level, sense }: RequirementSpec, complain: Complain) {
  const side = sense ?? (metric === "margin" ? "at least" : "at most");
  if (typeof level === "string") {
    const relative = readLevel(level);
    return { sense: side, level: relative.offset, relative };
  }
  if (typeof level === "number") return { sense: side, level, relative: undefined };
  if (sense !== undefined) throw complain("sense", "a pair of levels has both senses; leave it out.");
  if (level[0] > level[1])
    throw complain("level", `the lower level ${level[0]} is above the upper one, ${level[1]}.`);
  return { sense: "between" as const, level, relative: undefined };
}

/** A share is asked for as one: 10 is no level of a rate, and 0.1 was meant. */
function checkRange(
  metric: Metric,
  levels: readonly number[],
  difference: boolean,
  complain: Complain,
): void {
  if (metric.kind !== "rate" || metric.level !== "strict") return;
  const lowest = difference ? -1 : 0;
  const wrong = levels.find((level) => level < lowest || level > 1);
  if (wrong === undefined) return;
  const hint =
    wrong > 1 && wrong <= 100 ? `; for ${wrong}% write ${Number((wrong / 100).toPrecision(6))}` : "";
  throw complain("level", `a share is between ${lowest} and 1, and ${wrong} is not${hint}.`);
}

function hardGroups({ hard }: RequirementSpec, groups: readonly (Group | undefined)[], complain: Complain) {
  if (typeof hard === "boolean") return () => hard;
  const known = groups.flatMap((group) => group?.value ?? []);
  const unknown = hard.find((value) => !known.includes(value));
  if (known.length === 0) throw complain("hard", "it has no groups; write true or false.");
  if (unknown !== undefined) throw complain("hard", `"${unknown}" is not a group${hint(unknown, known)}`);
  return (group?: Group) => hard.includes(group!.value);
}

/** Whether the level is about what is counted, and prices follow it; else they follow what is trained. */
export const isCounted = ({ metric, perExample }: Stated): boolean =>
  metric.level === "strict" && !perExample;

export const countOf = (marks: Uint8Array): number => marks.reduce((a, b) => a + b, 0);

/** The examples a requirement is about, and those it is compared with. */
export function membersOf(
  { metric, group, base }: Stated,
  examples: Examples,
): { own: Uint8Array; base?: Uint8Array } {
  const counts = (i: number): boolean => metric.members?.(examples, i) ?? true;
  const inGroup = (i: number): boolean =>
    group === undefined || examples.groups[group.column][i] === group.value;
  const marks = (of: (i: number) => boolean): Uint8Array =>
    Uint8Array.from({ length: examples.count }, (_, i) => Number(counts(i) && of(i)));
  return {
    own: marks(inGroup),
    ...(base && { base: marks((i) => base.of === "overall" || !inGroup(i)) }),
  };
}
