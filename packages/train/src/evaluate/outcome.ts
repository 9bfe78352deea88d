// What decisions come to on the held-out rows, with intervals: exact ones of shares, Student's of costs.
import { exactInterval } from "@pliant/learn";
import type { Comparison, Rule } from "../decision/rule.js";
import { sumsOf, type Tally } from "../decision/tally.js";
import { difference, type Measure, meanOver, type Outcome, worstIn } from "./evaluate.js";

function measureOf(tally: Tally, rule: Rule, given: Int32Array): Measure {
  const sums = sumsOf(tally, given);
  const value = tally.value(...sums);
  if (!tally.share) {
    const data = Float64Array.from(given, (g, i) => tally.first(i, g));
    return { ...meanOver({ data: data as never }, tally.marks), examples: tally.size };
  }
  const [part, whole] = tally.share(...sums);
  const { decides } = rule.stated.metric;
  const back = (decides && "of" in decides && decides.back) || ((share: number): number => share);
  const counted = tally.fixedWhole ? whole : tally.size;
  if (whole === 0) return { value, examples: counted };
  const { low, high } = exactInterval(Math.round(part), Math.round(whole));
  return { value, interval: [back(low), back(high)], examples: counted };
}

/** For a rule; undefined if it applies to no row. */
export function outcomeIn(rule: Rule, given: Int32Array): Outcome | undefined {
  const { stated, comparisons } = rule;
  const of = ({ own }: Comparison): Measure => measureOf(own, rule, given);
  const there = comparisons.filter(({ own, base }) => own.size > 0 && (base === undefined || base.size > 0));
  if (there.length === 0) return undefined;
  if (stated.worst) {
    const sides = Object.fromEntries(there.map((one) => [one.group!, of(one)]));
    const { strict, group } = worstIn(sides, stated.sense);
    return { strict, group, surrogate: strict.value, sides };
  }
  const [one] = there;
  const own = of(one);
  if (!one.base) return { strict: own, surrogate: own.value };
  const rest = measureOf(one.base, rule, given);
  if (stated.base!.of === "rest") {
    const gap = difference(own, rest);
    return { strict: gap, surrogate: gap.value, sides: { own, rest } };
  }
  const { factor, offset } = stated.relative!;
  const asked = factor * rest.value + offset;
  return { strict: own, surrogate: own.value, asked: { strict: asked, surrogate: asked } };
}
