// What became of a requirement, in one word, and of a run, in a sentence. Strictly, where a strict metric is known: that is what was asked.
import type { RequirementResult } from "../../../src/api.js";
import { excessOf, slackOf } from "../../../src/requirement.js";
import { level, number } from "./format.js";
import type { ToldResult } from "./said.js";

export type Verdict = "gave" | "held" | "met" | "missed" | "unknown";

/** The words of reports. */
const verdicts: Readonly<Record<string, Verdict>> = {
  met: "met",
  "at its level": "held",
  "gave way": "gave",
  violated: "missed",
  unknown: "unknown",
};

export function verdictOf(r: RequirementResult, tolerance = 1e-3): Verdict {
  if (r.status !== undefined && Object.hasOwn(verdicts, r.status)) return verdicts[r.status];
  if (r.examples) return r.relaxation > tolerance ? "gave" : r.price > tolerance ? "held" : "met";
  const allowance = Math.max(tolerance, r.allowance ?? 0);
  const excess = excessOf(r);
  if (excess > allowance) {
    // A price still rising: not even what it gave way is enough.
    const rising = slackOf(r) > r.relaxation + 10 * tolerance;
    return r.hard || rising ? "missed" : "gave";
  }
  return r.price > tolerance && excess > -Math.max(allowance, 10 * tolerance) ? "held" : "met";
}

/** How far it gave way: beyond its level, strictly where that is known; of examples, the sum. */
export const gaveBy = (r: RequirementResult): number =>
  r.examples ? r.relaxation : r.surrogate || r.hard ? Math.max(0, excessOf(r)) : r.relaxation;

/** Digits for a reader: three of a rate, two of a price. */
const short = (x: number): string => number(x, 3);

export function verdictWords(r: RequirementResult, tolerance = 1e-3): string {
  switch (verdictOf(r, tolerance)) {
    case "gave":
      return `gave way by ${short(gaveBy(r))}`;
    case "missed":
      return r.hard ? `violated by ${short(gaveBy(r))}` : "not met";
    case "unknown":
      return "not settled";
    case "held":
      return "at its level";
    case "met":
      return "met with room";
  }
}

export const askedOf = ({ sense, level: at, asked }: RequirementResult): string =>
  `${sense} ${asked ? `${asked} (${level(at, 3)})` : level(at)}`;

/** Of the worst group, which one it is. */
export const groupWords = (group: string | undefined): string => (group === undefined ? "" : ` [${group}]`);

/** What it is on data that was not trained on, and whether it holds there as far as so many examples can tell. */
export function testWords({ test }: RequirementResult): string {
  if (!test) return "";
  const { value, interval, group, verdict } = test;
  const range = interval ? ` (${interval.map((end) => number(end, 3)).join("–")})` : "";
  return `${short(value)}${range}${groupWords(group)}, ${verdict}`;
}

/** Dearest first; among equals what gave most. */
export function byPrice<R extends RequirementResult>(
  requirements: Readonly<Record<string, R>>,
): [string, R][] {
  return Object.entries(requirements).sort(
    ([, a], [, b]) => b.price - a.price || b.relaxation - a.relaxation,
  );
}

/** The whole run in a sentence or two: whom it is about, and the rest. */
export function headline(
  requirements: Readonly<Record<string, ToldResult>>,
  tolerance = 1e-3,
): [subject: string, rest: string] {
  const all = byPrice(requirements);
  const of = (verdict: Verdict) => all.filter(([, r]) => verdictOf(r, tolerance) === verdict);
  const missed = [...of("missed"), ...of("unknown")];
  if (missed.length > 0)
    return [
      missed.map(([name]) => name).join(", "),
      `${missed.length === 1 ? " is" : " are"} not met yet, or cannot be: how far ${missed.length === 1 ? "it has" : "they have"} to give way is not settled.`,
    ];
  const gave = of("gave").sort(([, a], [, b]) => gaveBy(b) - gaveBy(a));
  if (gave.length === 0) {
    const [dearest] = of("held");
    if (dearest?.[1].said.built) return ["Every requirement held", `; ${dearest[0]} by construction.`];
    return dearest
      ? [
          "Every requirement held",
          `; ${dearest[0]} was the dearest${dearest[1].said.known === undefined ? "" : `, at a price of ${dearest[1].said.price}`}.`,
        ]
      : ["Every requirement is met", " with room to spare."];
  }
  const [name, most] = gave[0];
  const others =
    gave.length === 2
      ? `, and so did ${gave[1][0]}, by ${short(gaveBy(gave[1][1]))}`
      : gave.length > 2
        ? `, and so did ${gave.length - 1} others, by ${short(gaveBy(gave[1][1]))} at most`
        : "";
  if (most.examples)
    return [name, ` gave way on ${most.examples.gave} of ${most.examples.all} examples${others}.`];
  return [
    name,
    ` gave way by ${short(gaveBy(most))}: asked ${askedOf(most)}, it reached ${short(most.reached)}${most.said.group}${others}.${most.said.insisting && ` ${most.said.insisting}`}`,
  ];
}
