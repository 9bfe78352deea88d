// One requirement's numbers read as a person does: is it met, by how much is it missed.
import type { Measure, RequirementResult } from "./api.js";

/** By how much a requirement misses the level asked for: negative where it holds. (Here, so that pages need not load the core.) */
export function excessOf({ sense, level, reached }: RequirementResult): number {
  const [low, high] = typeof level === "number" ? [level, level] : level;
  const [below, above] = [low - reached, reached - high];
  return sense === "between" ? Math.max(below, above) : sense === "at least" ? below : above;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

const isLevel = (value: unknown): value is number | [number, number] =>
  isNumber(value) || (Array.isArray(value) && value.length === 2 && value.every(isNumber));

type Fields = Readonly<Record<string, unknown>>;
const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export function measureOf(value: unknown): Measure | undefined {
  const { value: number, interval } = fields(value);
  if (!isNumber(number)) return undefined;
  return Array.isArray(interval) && isLevel(interval) ? { value: number, interval } : { value: number };
}

/** The requirements of a report or a line of metrics; whatever has no level and no price is left out. */
export function requirementsOf(report: unknown): Record<string, RequirementResult> {
  const found: Record<string, RequirementResult> = {};
  for (const [name, value] of Object.entries(fields(fields(report).requirements))) {
    const r = fields(value);
    if (!isLevel(r.level) || !isNumber(r.price)) continue;
    found[name] = {
      sense: text(r.sense) ?? "at most",
      level: r.level,
      reached: isNumber(r.reached) ? r.reached : Number.NaN,
      relaxation: isNumber(r.relaxation) ? r.relaxation : 0,
      price: r.price,
      cost: text(r.cost) ?? "",
      ...(isNumber(r.strict) && { strict: r.strict }),
      ...(text(r.strictly) && { strictly: text(r.strictly) }),
      ...inItsUnits(r),
      ...onExamples(r),
      ...(measureOf(fields(r.test).strict) && { test: measureOf(fields(r.test).strict) }),
    };
  }
  return found;
}

/** A relative level is solved for as a difference; a reader knows the quantity itself. */
function inItsUnits({ relative, train }: Fields): Partial<RequirementResult> {
  const { surrogate, asked } = fields(train);
  const level = fields(asked).surrogate;
  if (!text(relative) || !isNumber(surrogate) || !isNumber(level)) return {};
  const strict = measureOf(fields(train).strict)?.value;
  return { asked: text(relative), level, reached: surrogate, ...(strict !== undefined && { strict }) };
}

function onExamples({ perExample, train }: Fields): Partial<RequirementResult> {
  const { value, examples } = fields(fields(train).strict);
  if (perExample !== true || !isNumber(value) || !isNumber(examples)) return {};
  return { examples: { all: examples, gave: Math.round(value * examples) } };
}
