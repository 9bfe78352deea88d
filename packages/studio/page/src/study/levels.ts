// What a level of a requirement costs a run, as far as it is known: the answers that were asked for, and what lies between them.
import type { Insisted } from "../../../src/insisted.js";
import type { Level, StudyRun } from "../../../src/study.js";

export interface LevelPoint {
  readonly level: number;
  /** What it costs more than the run; undefined where the level was not reached. */
  readonly costs: number | undefined;
  readonly reached: number;
  /** The run as it is: nothing is insisted on. */
  readonly own: boolean;
  readonly others: Readonly<Record<string, number>>;
}

/** By level; what the run reached without insisting costs nothing more. */
export function knownLevels(run: StudyRun, requirement: string): LevelPoint[] {
  const at = levelOf(run, requirement);
  if (!at) return [];
  const own: LevelPoint = { level: at.reached, costs: 0, reached: at.reached, own: true, others: {} };
  const asked = run.insisted
    .filter((one) => one.requirement === requirement && one.in === at.in)
    .map((one: Insisted) => ({
      ...{ level: one.level, costs: one.had ? one.costs : undefined, reached: one.reached },
      ...{ own: false, others: one.others },
    }));
  return [own, ...asked].sort((a, b) => a.level - b.level);
}

export const levelOf = ({ levels }: StudyRun, requirement: string): Level | undefined =>
  Object.hasOwn(levels, requirement) ? levels[requirement] : undefined;

/** A level that the run holds as it is: nothing has to be insisted on. */
export const isLooser = ({ sense, reached }: Level, level: number): boolean =>
  sense === "at least" ? level <= reached : sense === "at most" && level >= reached;

/** Which levels a hand may choose: around what was asked and reached, in steps that a reader says aloud. */
export function levelRange(
  { level, reached }: Level,
  known: readonly LevelPoint[],
): { from: number; to: number; step: number } {
  const all = [level, reached, ...known.map((one) => one.level)];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const air = (high - low || Math.abs(high) || 1) * 0.5;
  const step = 10 ** (Math.floor(Math.log10(2 * air)) - 2);
  const snap = (x: number, round: (x: number) => number): number =>
    Number((round(x / step) * step).toPrecision(6));
  // A rate or a loss is not negative where everything known of it is not.
  const from = low >= 0 ? Math.max(0, low - air) : low - air;
  return { from: snap(from, Math.floor), to: snap(high + air, Math.ceil), step };
}

/** The answer at a level, to within half a step. */
export const answerAt = (known: readonly LevelPoint[], level: number, step: number): LevelPoint | undefined =>
  known.find((one) => Math.abs(one.level - level) <= step / 2);

/** The nearest answers on both sides: what lies between costs no more than the dearer of them. */
export function around(
  known: readonly LevelPoint[],
  level: number,
): { below: LevelPoint | undefined; above: LevelPoint | undefined } {
  return {
    below: known.findLast((one) => one.level < level),
    above: known.find((one) => one.level > level),
  };
}
