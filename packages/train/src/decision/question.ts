// From a spec to the question that cuts are chosen by: the rules that decisions are held to, and what wrong decisions cost.
import type { Examples, Prepared, Target } from "../data/examples.js";
import { costOf } from "../grammar/cost.js";
import type { Stated } from "../problem/stated.js";
import type { Spec } from "../spec/spec.js";
import type { Question } from "./cut.js";
import { ruleOf } from "./rule.js";
import { errorCosts, tallyOf } from "./tally.js";

type Classes = Extract<Target, { kind: "class" }>;

/** Its cost of giving way, as in the spec. */
export const costTextOf = ({ spec, hard }: Stated, { cost }: Pick<Spec, "cost">): string =>
  hard ? "hard" : (spec.cost ?? cost);

/** The enforced requirements that depend on decisions. */
export const askedIn = (stated: readonly Stated[], spec: Pick<Spec, "cost">): Stated[] =>
  stated.filter((s) => s.decided && costTextOf(s, spec) !== "free");

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
    shared: costOf(spec.cost).plain,
  };
}
