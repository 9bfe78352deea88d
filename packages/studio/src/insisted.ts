// What levels cost, as far as it is known of a run: the answers of `pliant insist` that the page asked for, in insisted.json, and those
// that the report has.
import { fields, isNumber, text } from "./fields.js";
import { requirementsOf } from "./requirement.js";

/** What it costs to insist on a requirement at a level. */
export interface Insisted {
  readonly requirement: string;
  readonly level: number;
  readonly reached: number;
  /** Whether the level was reached, at an equilibrium. */
  readonly had: boolean;
  /** Of the objective, or of wrong decisions where the threshold was moved. */
  readonly costs: number;
  readonly in: string;
  /** How much more others give way, by name. */
  readonly others: Readonly<Record<string, number>>;
}

export const insistedFile = "insisted.json";

/** Undefined where it is no answer. The level is as it was asked, not as single precision keeps it. */
export function insistedFrom(
  value: unknown,
  { requirement, level }: Pick<Insisted, "requirement" | "level">,
): Insisted | undefined {
  const { reached, had, costs, others, in: currency } = fields(value);
  if (!isNumber(reached) || typeof had !== "boolean" || !isNumber(costs)) return undefined;
  const moved = Object.entries(fields(others)).filter((entry): entry is [string, number] =>
    isNumber(entry[1]),
  );
  return {
    ...{ requirement, level, reached, had, costs },
    in: text(currency) ?? "loss",
    others: Object.fromEntries(moved),
  };
}

/** All that is known: an answer that was asked for stands before the report's. */
export function insistedIn(report: unknown, file: unknown): Insisted[] {
  const { answers } = fields(file);
  const asked = (Array.isArray(answers) ? answers : []).flatMap((one) => {
    const { requirement, level } = fields(one);
    return typeof requirement === "string" && isNumber(level)
      ? (insistedFrom(one, { requirement, level }) ?? [])
      : [];
  });
  const stated = Object.entries(requirementsOf(report)).flatMap(([requirement, { insisting, level }]) =>
    insisting && typeof level === "number" ? (insistedFrom(insisting, { requirement, level }) ?? []) : [],
  );
  return withoutTwins([...asked, ...stated]);
}

/** The first of those of one level. */
export function withoutTwins(all: readonly Insisted[]): Insisted[] {
  const found = new Map<string, Insisted>();
  for (const one of all) {
    const key = JSON.stringify([one.requirement, one.level]);
    if (!found.has(key)) found.set(key, one);
  }
  return [...found.values()];
}
