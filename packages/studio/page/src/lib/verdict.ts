// What became of a requirement, in one word and in one sentence. Strictly, where a strict metric is known: that is what was asked.
import type { RequirementResult } from "../../../src/api.js";
import { excessOf, slackOf } from "../../../src/requirement.js";
import { level, number } from "./format.js";

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

/** What insisting came to; unmeasured, on a convex curve, at least the price times what was given. What is counted has no slope. */
function insisting({ insisting: told, strictlyPriced, price, relaxation }: RequirementResult): string {
  if (!told) {
    if (strictlyPriced) return " What insisting costs has not been measured.";
    return price * relaxation > 0
      ? ` Insisting would cost at least ${number(price * relaxation, 2)} of loss, if the problem is convex.`
      : "";
  }
  if (told.missed > 0)
    return ` Insisting did not reach it: it came to ${short(told.reached)}; whether it can be had is not known.`;
  const [broken] = told.broken ?? [];
  if (broken !== undefined)
    return ` Insisting breaks ${broken}, which must hold, by ${short(told.others[broken])}: both were not had together.`;
  if (!told.had) return " Insisting, it was reached but did not settle, so that its cost is not known.";
  const others = Object.entries(told.others).map(
    ([name, more]) => `makes ${name} give way by ${short(more)} more`,
  );
  // Giving way was an option before too, so a lower loss is paid for by what gives way in its place.
  if (told.costs < 0 && others.length > 0)
    return ` Insisting ${others.join(", ")} in its place (measured); the loss alone is then ${number(-told.costs, 2)} lower, which is no gain: what gives way counts too.`;
  const moves = `costs ${number(Math.max(0, told.costs), 2)} of loss`;
  return ` Insisting ${[moves, ...others].join(", and ")} (measured).`;
}

/** What insisting came to, as a sentence of its own; "" where nothing is known. */
export const insistingWords = (r: RequirementResult): string => insisting(r).trim();

export function sentenceOf(r: RequirementResult, tolerance = 1e-3): string {
  const price = number(r.price, 2);
  const asked = `Asked ${askedOf(r)}`;
  const reached = `${short(r.reached)}${r.surrogate && r.strictly ? ` (${r.strictly})` : ""}`;
  switch (verdictOf(r, tolerance)) {
    case "missed":
      return `${asked}, it stands at ${reached}${r.hard ? ", and must not bend" : ", beyond what it gave way"}: it is not met yet, or it cannot be.`;
    case "unknown":
      return `${asked}, it stands at ${reached}; how far it has to give way is not certified.`;
    case "gave":
      return r.examples
        ? `${asked} of every example, it gave way on ${r.examples.gave} of ${r.examples.all}, by ${short(r.relaxation)} in all; at worst it reached ${short(r.reached)}.`
        : `${asked}, it reached ${reached}: it gave way by ${short(gaveBy(r))}.${insisting(r)}`;
    case "held":
      return `${r.hard ? "It must not bend, and" : `${asked}, it`} held at ${reached}.${r.strictlyPriced ? "" : ` A looser level would save about ${price} of loss per unit.`}`;
    case "met":
      return r.price > tolerance
        ? `${asked}, it reached ${reached} with room to spare; the loss that stands in for it is at its level, at a price of ${price}.`
        : `${asked}, it reached ${reached} with room to spare: it costs nothing.`;
  }
}

/** Whether what was asked holds on data that was not trained on, as far as so many examples can tell. */
export function onTest(r: RequirementResult): { holds: boolean; words: string } | undefined {
  if (!r.test) return undefined;
  const { value, interval, level: at } = r.test;
  const missed = (reached: number): boolean => excessOf({ sense: r.sense, level: at, reached }) > 0;
  const holds = !missed(value);
  const open = interval?.some((end) => missed(end) === holds) ?? false;
  const range = interval ? ` (${interval.map((end) => number(end, 2)).join("–")})` : "";
  return {
    holds,
    words: `${short(value)}${range}, ${holds ? "holds" : "misses its level"}${open ? ", within what the examples can tell" : ""}`,
  };
}

/** Dearest first; among equals what gave most. */
export function byPrice(
  requirements: Readonly<Record<string, RequirementResult>>,
): [string, RequirementResult][] {
  return Object.entries(requirements).sort(
    ([, a], [, b]) => b.price - a.price || b.relaxation - a.relaxation,
  );
}

/** The whole run in a sentence or two: whom it is about, and the rest. */
export function headline(
  requirements: Readonly<Record<string, RequirementResult>>,
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
    return dearest
      ? [
          "Every requirement held",
          `; ${dearest[0]} was the dearest, at a price of ${number(dearest[1].price, 2)}.`,
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
    ` gave way by ${short(gaveBy(most))}: asked ${askedOf(most)}, it reached ${short(most.reached)}${others}.${insisting(most)}`,
  ];
}
