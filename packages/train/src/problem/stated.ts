// The requirements as they are solved: one for each group that a spec asks about, with names of their own.

import type { InputError } from "@pliant/core";
import { hint } from "@pliant/core";
import type { Examples, Prepared } from "../data/examples.js";
import { groupCells, together } from "../data/groups.js";
import type { WithOwn } from "../data/own-metrics.js";
import { type RelativeLevel, readLevel } from "../grammar/level.js";
import type { Complain } from "../metrics/kind.js";
import { kindOf } from "../metrics/kinds.js";
import { isShare, type Metric } from "../metrics/metric.js";
import { type MeasuredSpec, metricOf } from "../metrics/metric-of.js";
import type { RequirementSpec, Spec } from "../spec/spec.js";
import { checkUnder, underOf } from "./disturb.js";
import { namesMeant, specName } from "./names.js";
import { enough } from "./resolution.js";

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
  /** The groups of which the worst one counts. */
  readonly worst?: readonly Group[];
  readonly sense: "at most" | "at least" | "between";
  readonly level: number | readonly [number, number];
  /** The metric with which the group's is compared. */
  readonly base?: {
    readonly of: "rest" | "overall";
    readonly factor: number;
    /** For the rest: the groups of the training rows. A row of none of them is in no group, and not of the rest. */
    readonly among?: readonly string[];
  };
  readonly relative?: RelativeLevel;
  readonly hard: boolean;
  readonly perExample: boolean;
  /** For counts of which the validation rows have too few examples: their number. They are counted on the training rows. */
  readonly few?: number;
  /** For the worst of several groups: the group that has so few. */
  readonly fewIn?: string;
  /** It is a threshold's work first: the problem that scores are solved from only watches it. */
  readonly decided?: true;
}

type Mistake = (path: readonly string[], sentence: string) => InputError;

export function statedIn(
  { requirements, decision }: Spec,
  prepared: WithOwn<Prepared>,
  mistake: Mistake,
): Stated[] {
  const all = Object.entries(requirements).flatMap(([of, spec]) => {
    const complain: Complain = (key, sentence) =>
      mistake(["requirements", of, key], `requirements.${of}.${key}: ${sentence}`);
    return measuredAs(of, spec).flatMap((one) => stated(of, one, prepared, complain));
  });
  for (const { name, of } of all)
    if (all.filter((other) => other.name === name).length > 1)
      throw mistake(["requirements", of], `two requirements would be called "${name}"; rename one.`);
  for (const [of, { hard }] of Object.entries(requirements))
    if (typeof hard !== "boolean") {
      const sentence = unknownHard(
        hard,
        all.filter((s) => s.of === of),
      );
      if (sentence) throw mistake(["requirements", of, "hard"], `requirements.${of}.hard: ${sentence}`);
    }
  const known = all.map((s) => ({ ...s, ...fewOf(s, prepared) }));
  if (typeof decision.threshold === "number" || !isLearnable(known, prepared)) return known;
  return known.map((s) => (isOfDecisions(s) ? { ...s, few: undefined, fewIn: undefined, decided: true } : s));
}

/** Whether decisions alone decide it. */
const isOfDecisions = ({ metric, perExample }: Stated): boolean =>
  metric.decides !== undefined && !perExample;

/** A threshold is learnt from rows of a table as they are; rates of images or of disturbed rows are trained at 0.5. */
const isLearnable = (all: readonly Stated[], { images, target }: Prepared): boolean =>
  !images && target.kind === "class" && !all.some((s) => isOfDecisions(s) && underOf(s.spec));

function fewOf(stated: Stated, { validation }: Prepared): Pick<Stated, "few" | "fewIn"> {
  if (!validation || !isCounted(stated)) return {};
  const { own, base, worst = [own] } = membersOf(stated, validation);
  const counts = [...worst, ...(base ? [base] : [])].map(countOf);
  const few = Math.min(...counts);
  if (few >= enough) return {};
  const smallest = stated.worst?.[counts.indexOf(few)];
  return { few, ...(smallest && { fewIn: smallest.value }) };
}

interface Measured {
  readonly name: string;
  readonly spec: MeasuredSpec;
  /** Whether its level bounds a distance: no group may be above the rest by more, nor below. */
  readonly either: boolean;
}

/** A name for gaps in other metrics comes to a requirement on each. */
function measuredAs(of: string, spec: RequirementSpec): Measured[] {
  const { gaps } = kindOf(spec.metric);
  if (!gaps) return [{ name: of, spec: spec as MeasuredSpec, either: false }];
  return gaps.map(({ metric, called }) => ({
    name: called === undefined ? of : `${of}, ${called}`,
    spec: { ...spec, metric, gap: true } as MeasuredSpec,
    either: spec.sense === undefined,
  }));
}

function stated(
  of: string,
  { name: label, spec, either }: Measured,
  prepared: WithOwn<Prepared>,
  complain: Complain,
): Stated[] {
  const metric = metricOf(spec, prepared, complain);
  checkUnder(spec, prepared, complain);
  const grouped = spec as Grouped;
  const { by, only, gap = false, worst = false, per } = grouped;
  const members = by === undefined ? undefined : groupsOf(grouped, prepared, complain);
  const groups = worst ? [undefined] : (members ?? [undefined]);
  if (only && by === undefined) throw complain("only", "it names groups; say of which column with by.");
  if (gap && by === undefined) throw complain("gap", "a gap is between groups; say which with by.");
  if (worst && by === undefined)
    throw complain("worst", "the worst is one of some groups; say which with by.");
  if (worst && gap)
    throw complain(
      "worst",
      "worst bounds one group, and gap each group beside the others; leave out one of them.",
    );
  if (per !== undefined && by !== undefined)
    throw complain("by", "a requirement on every example has no groups; leave out by or per.");
  if (per !== undefined && underOf(spec))
    throw complain("under", "a requirement on every example is on it undisturbed; leave out under or per.");
  const asked = levelsOf(spec, groups, complain);
  // With two groups that both have requirements, each bounds the other from below.
  const mirrored = members?.length === 2 && only === undefined;
  const levels = either && !mirrored ? asked.map(onEitherSide) : asked;
  const [{ relative }] = levels;
  if (relative && gap) throw complain("level", "a gap is relative already; give it a number.");
  if ((worst && typeof levels[0].level !== "number") || (relative && worst))
    throw complain("level", "of the worst group it is one number.");
  if (relative && per !== undefined)
    throw complain("level", "a requirement on every example needs a number for a level.");
  if (relative && by === undefined && !underOf(spec))
    throw complain(
      "level",
      "a level relative to the overall metric needs by or under; otherwise write a number.",
    );
  if (gap) checkGap(asked, either, only === undefined, complain);
  for (const { level } of levels) checkRange(metric, [level].flat(), gap || relative !== undefined, complain);
  if (spec.hard === true && spec.cost !== undefined && spec.cost !== "hard")
    throw complain(
      "hard",
      `it must not give way, so the cost ${spec.cost} has no effect; leave out one of them.`,
    );
  return groups.flatMap((group, at) => {
    const { sense, level } = levels[at];
    const name = group ? `${label} [${group.column}=${group.value}]` : label;
    const among = worst && members;
    const common = {
      of,
      spec,
      metric,
      group,
      ...(among && { worst: among }),
      relative,
      base: gap
        ? { of: "rest" as const, factor: 1, among: groupValues(prepared, group!.column) }
        : relative
          ? { of: "overall" as const, factor: relative.factor }
          : undefined,
      perExample: per !== undefined,
    };
    const hard = (own: string): boolean => spec.cost === "hard" || isHard(spec, own, group);
    const trainedFor = (own: typeof level): Metric =>
      metric.kind === "statistic" && metric.at && typeof own === "number" && !common.base
        ? metric.at(own)
        : metric;
    if (typeof level === "number" || per !== undefined || metric.level === "trained")
      return [{ ...common, metric: trainedFor(level), name, sense, level, hard: hard(name) }];
    // A count has a surrogate per side, and so one requirement per side.
    return (["at least", "at most"] as const).map((side, i) => {
      const own = `${name}, ${side} ${level[i]}`;
      return {
        ...common,
        metric: trainedFor(level[i]),
        name: own,
        sense: side,
        level: level[i],
        hard: hard(own),
      };
    });
  });
}

/** The groups of a column, in the training rows. */
export const groupValues = ({ train, groupValues: known }: Prepared, by: string): readonly string[] =>
  known?.[by] ?? [...new Set(groupCells(train, by))].filter((value) => value !== null).sort();

function groupsOf({ by, only }: Grouped, prepared: Prepared, complain: Complain): Group[] {
  const columns = [by!].flat();
  for (const column of columns) checkGroups(column, prepared, complain);
  const values = groupValues(prepared, together(columns));
  if (values.length < 2)
    throw complain(
      "by",
      `the column "${columns.join('" and "')}" has one group alone, ${values[0] ?? "missing"}.`,
    );
  const unknown = only?.find((value) => !values.includes(value));
  if (unknown !== undefined) throw complain("only", `"${unknown}" is not a group${hint(unknown, values)}`);
  return (only ?? values).map((value) => ({ column: together(columns), value }));
}

function checkGroups(by: string, { train, numeric }: Prepared, complain: Complain): void {
  const known = Object.keys(train.groups);
  if (numeric.has(by))
    throw complain(
      "by",
      `"${by}" is a column of numbers; say that they are groups with data.columns.${by}: group.`,
    );
  if (!known.includes(by)) throw complain("by", `"${by}" is not a column with groups${hint(by, known)}`);
}

/** What requirements say of groups, where they do. */
interface Grouped {
  readonly by?: string | readonly string[];
  readonly only?: readonly string[];
  readonly gap?: boolean;
  readonly worst?: boolean;
  readonly per?: string;
}

/** One for each group, or for all the same. */
function levelsOf(spec: RequirementSpec, groups: readonly (Group | undefined)[], complain: Complain) {
  const { level } = spec;
  if (typeof level !== "object" || Array.isArray(level)) {
    const same = levelOf(spec, level as number | string | [number, number], complain);
    return groups.map(() => same);
  }
  const byGroup = level as Readonly<Record<string, number>>;
  const known = groups.flatMap((group) => group?.value ?? []);
  if (known.length === 0) throw complain("level", "levels by group need groups; say which with by.");
  const unknown = Object.keys(byGroup).find((value) => !known.includes(value));
  if (unknown !== undefined) throw complain("level", `"${unknown}" is not a group${hint(unknown, known)}`);
  const without = known.find((value) => !Object.hasOwn(byGroup, value));
  if (without !== undefined)
    throw complain("level", `the group ${without} has none; give it one, or leave it out with only.`);
  return known.map((value) => levelOf(spec, byGroup[value], complain));
}

/** The level of a distance, as levels of the difference. */
const onEitherSide = <L extends ReturnType<typeof levelOf>>(asked: L) =>
  typeof asked.level === "number" && !asked.relative
    ? { ...asked, sense: "between" as const, level: [-asked.level, asked.level] as const }
    : asked;

function levelOf(
  { metric, sense }: RequirementSpec,
  level: number | string | readonly [number, number],
  complain: Complain,
) {
  const side = sense ?? (kindOf(metric).moreIsBetter ? "at least" : "at most");
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

/** Not all groups are below the rest, nor all above: of all together the gaps come to nothing. */
function checkGap(
  asked: readonly ReturnType<typeof levelOf>[],
  either: boolean,
  ofAll: boolean,
  complain: Complain,
): void {
  const numbers = asked.flatMap(({ level }) => (typeof level === "number" ? [level] : []));
  const negative = numbers.find((level) => level < 0);
  if (either && negative !== undefined)
    throw complain(
      "level",
      `it bounds a distance between groups, and ${negative} is below 0, where none is.`,
    );
  const beyond = asked.every(
    ({ sense, level }) => typeof level === "number" && (sense === "at least" ? level > 0 : level < 0),
  );
  if (ofAll && beyond)
    throw complain(
      "level",
      `not every group can be ${asked[0].sense} ${numbers[0]} beside the rest, as the gaps of all together come to nothing; say of which groups it is asked with only.`,
    );
}

/** A share is asked for as one: 10 is no level of a rate, and 0.1 was meant. */
function checkRange(
  metric: Metric,
  levels: readonly number[],
  difference: boolean,
  complain: Complain,
): void {
  if (!isShare(metric) || metric.level !== "strict") return;
  const lowest = difference ? -1 : 0;
  const wrong = levels.find((level) => level < lowest || level > 1);
  if (wrong === undefined) return;
  const hint =
    wrong > 1 && wrong <= 100 ? `; for ${wrong}% write ${Number((wrong / 100).toPrecision(6))}` : "";
  throw complain("level", `a share is between ${lowest} and 1, and ${wrong} is not${hint}.`);
}

/** All of it, or the groups and the names, as reports print them, that a list has. */
const isHard = ({ hard }: RequirementSpec, name: string, group?: Group): boolean =>
  typeof hard === "boolean"
    ? hard
    : hard.some((one) => one === group?.value || namesMeant(one, [name]).length > 0);

/** The mistake in a list of hard requirements, if any. */
function unknownHard(hard: readonly string[], all: readonly Stated[]): string | undefined {
  const groups = [...new Set(all.flatMap(({ group }) => group?.value ?? []))];
  const names = all.map(({ name }) => name);
  const unknown = hard.find((one) => !groups.includes(one) && namesMeant(one, names).length === 0);
  if (unknown === undefined) return undefined;
  if (specName(unknown, [all[0].of]))
    return `"${unknown}" is not the name of a requirement${hint(unknown, names)}`;
  return groups.length === 0
    ? "it has no groups; write true or false."
    : `"${unknown}" is not a group${hint(unknown, groups)}`;
}

/** Whether the level is about what is counted, and prices follow it; else they follow what is trained. */
export const isCounted = ({ metric, worst, perExample }: Stated): boolean =>
  (metric.level === "strict" || worst !== undefined) && !perExample;

/** 1 for the examples in question. */
export interface Members<T> {
  readonly own: T;
  readonly base?: T;
  readonly worst?: readonly T[];
}

export const countOf = (marks: Uint8Array): number => marks.reduce((a, b) => a + b, 0);

/** The examples a requirement is about, those it is compared with, and those of each group of which the worst counts. */
export function membersOf({ metric, group, worst, base }: Stated, examples: Examples): Members<Uint8Array> {
  const counts = (i: number): boolean => metric.members?.(examples, i) ?? true;
  const of = (one: Group | undefined) => {
    const cells = one && groupCells(examples, one.column);
    return (i: number): boolean => cells === undefined || cells[i] === one!.value;
  };
  const inGroup = of(group);
  const cells = group && groupCells(examples, group.column);
  const inAny = (i: number): boolean => {
    const cell = cells?.[i];
    return cell !== null && cell !== undefined && (base?.among?.includes(cell) ?? true);
  };
  const marks = (of: (i: number) => boolean): Uint8Array =>
    Uint8Array.from({ length: examples.count }, (_, i) => Number(counts(i) && of(i)));
  return {
    own: marks(inGroup),
    ...(worst && { worst: worst.map((one) => marks(of(one))) }),
    ...(base && { base: marks((i) => base.of === "overall" || (inAny(i) && !inGroup(i))) }),
  };
}
