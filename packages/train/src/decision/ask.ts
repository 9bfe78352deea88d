// From a spec to the question that cuts are chosen by: the rules that decisions are held to, and what wrong decisions cost.
import { hint, type InputError } from "@pliant/core";
import type { Examples, Prepared, Target } from "../data/examples.js";
import { together } from "../data/groups.js";
import type { Stated } from "../problem/stated.js";
import { plainCost } from "../spec/cost.js";
import type { Spec } from "../spec/spec.js";
import type { Question } from "./cut.js";
import { isPair } from "./decision.js";
import { ruleOf } from "./rule.js";
import { errorCosts, tallyOf } from "./tally.js";

type Classes = Extract<Target, { kind: "class" }>;
type Mistake = (path: readonly string[], sentence: string) => InputError;

/** What giving way costs it, in the spec's words. */
export const costOf = ({ spec, hard }: Stated, { cost }: Pick<Spec, "cost">): string =>
  hard ? "hard" : (spec.cost ?? cost);

/** Of those that decisions decide, the ones that something is asked of. */
export const askedIn = (stated: readonly Stated[], spec: Pick<Spec, "cost">): Stated[] =>
  stated.filter((s) => s.decided && costOf(s, spec) !== "free");

/** Whether a threshold is learnt: something is asked that it decides, or what wrong decisions cost is stated. */
export const isAsked = (stated: readonly Stated[], spec: Spec, { target, images }: Prepared): boolean =>
  askedIn(stated, spec).length > 0 ||
  (spec.decision.cost !== undefined &&
    typeof spec.decision.threshold !== "number" &&
    target.kind === "class" &&
    !images);

/** In which units wrong decisions cost something. */
export type Currency = "errors" | "balanced errors" | "cost";

export function currencyOf(stated: readonly Stated[], spec: Spec): Currency {
  const { cost } = spec.decision;
  if (typeof cost === "object") return "cost";
  const gaps = askedIn(stated, spec).some(({ base }) => base?.of === "rest");
  return (cost ?? (gaps ? "balanced" : "errors")) === "balanced" ? "balanced errors" : "errors";
}

/** By the right class, what each answer costs. */
function costsIn(currency: Currency, spec: Spec, { classes }: Classes, y: ArrayLike<number>): number[][] {
  if (currency === "errors") return errorCosts(classes.length);
  if (currency === "cost") {
    const stated = spec.decision.cost as Readonly<Record<string, Readonly<Record<string, number>>>>;
    return classes.map((right) => classes.map((given) => stated[right]?.[given] ?? 0));
  }
  const counts = new Array<number>(classes.length).fill(0);
  for (let i = 0; i < y.length; i++) counts[y[i]]++;
  return errorCosts(classes.length).map((row, right) =>
    row.map((cost) => (cost * y.length) / (classes.length * Math.max(1, counts[right]))),
  );
}

/** On some examples; all decided requirements where they are only to be counted. */
export function questionOf(
  spec: Spec,
  stated: readonly Stated[],
  { target, examples }: { target: Classes; examples: Examples },
): Question {
  const classes = target.classes.length;
  const costs = costsIn(currencyOf(stated, spec), spec, target, examples.y.data);
  const everything = new Uint8Array(examples.count).fill(1);
  return {
    rules: stated.map((s) =>
      ruleOf(s, examples, {
        cost: spec.cost,
        classes,
        unit: s.metric.unit?.(target) ?? 1,
        confidence: spec.decision.confidence,
      }),
    ),
    cost: tallyOf({ costs }, everything, examples.y.data, classes),
    shared: plainCost(spec.cost),
  };
}

/** The column by whose groups thresholds differ. */
export function groupedBy({ decision, requirements, data }: Spec): string | undefined {
  if (decision.threshold !== "by group") return undefined;
  if (decision.by !== undefined) return decision.by;
  const named = Object.values(requirements).flatMap((r) =>
    "by" in r && r.by ? [together([r.by].flat())] : [],
  );
  const groups = Object.keys(data.columns).filter((column) => data.columns[column] === "group");
  return named[0] ?? groups[0];
}

/** What is wrong with what a spec says of decisions. */
export function checkDecision(spec: Spec, { target, train, images }: Prepared, mistake: Mistake): void {
  const { threshold, by, cost } = spec.decision;
  const wrong = (key: string, sentence: string): InputError =>
    mistake(["decision", key], `decision.${key}: ${sentence}`);
  const moved = threshold === "by group" || (typeof threshold === "number" && threshold !== 0.5);
  if (moved && !isPair(target)) throw wrong("threshold", `${threshold} is for two classes.`);
  if (by !== undefined && threshold !== "by group")
    throw wrong("by", "it names the groups of threshold: by group; leave it out.");
  if (cost !== undefined && target.kind !== "class")
    throw wrong("cost", "the target is a number, of which no decision is made.");
  if (typeof cost === "object" && target.kind === "class") {
    const names = [...Object.keys(cost), ...Object.values(cost).flatMap(Object.keys)];
    const unknown = names.find((name) => !target.classes.includes(name));
    if (unknown !== undefined)
      throw wrong("cost", `"${unknown}" is not a class${hint(unknown, target.classes)}`);
  }
  if (threshold !== "by group") return;
  if (images) throw wrong("threshold", "by group is for rows of a table, and the data are images.");
  const column = groupedBy(spec);
  const known = Object.keys(train.groups);
  if (column === undefined)
    throw wrong("threshold", "by group needs groups; say of which column with decision.by.");
  if (!column.split(" × ").every((name) => known.includes(name)))
    throw wrong("by", `"${column}" is not a column with groups${hint(column, known)}`);
}
