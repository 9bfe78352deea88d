// What became of a requirement, in one word and in one sentence.
import type { RequirementResult } from "../../../src/api.js";
import { excessOf } from "../../../src/requirement.js";
import { level, number } from "./format.js";

export type Verdict = "gave" | "held" | "met" | "missed";

export function verdictOf(r: RequirementResult, tolerance = 1e-3): Verdict {
  // A price still rising: not even what it gave way is enough.
  if (!r.examples && excessOf(r) > r.relaxation + 10 * tolerance) return "missed";
  if (r.relaxation > tolerance) return "gave";
  return r.price > tolerance ? "held" : "met";
}

export const verdictWords: Record<Verdict, string> = {
  gave: "gave way",
  held: "held at a price",
  met: "met with room",
  missed: "not met",
};

/** Digits for a reader: three of a rate, two of a price. */
const short = (x: number): string => number(x, 3);

export const askedOf = ({ sense, level: at, asked }: RequirementResult): string =>
  `${sense} ${asked ? `${asked} (${level(at, 3)})` : level(at)}`;

export function sentenceOf(r: RequirementResult, tolerance = 1e-3): string {
  const price = number(r.price, 2);
  const asked = `Asked ${askedOf(r)}`;
  switch (verdictOf(r, tolerance)) {
    case "missed":
      return `${asked}, it stands at ${short(r.reached)}${r.cost === "hard" ? ", and must not bend" : ", beyond what it gave way"}: it is not met yet, or it cannot be.`;
    case "gave":
      return r.examples
        ? `${asked} of every example, it gave way on ${r.examples.gave} of ${r.examples.all}, by ${short(r.relaxation)} in all; at worst it reached ${short(r.reached)}.`
        : `${asked}, it reached ${short(r.reached)}: it gave way by ${short(r.relaxation)}. Insisting would cost about ${price} of loss per unit.`;
    case "held":
      return r.cost === "hard"
        ? `It must not bend, and held at ${short(r.reached)}. A looser level would save about ${price} of loss per unit.`
        : `${asked}, it held at ${short(r.reached)}. A looser level would save about ${price} of loss per unit.`;
    case "met":
      return `${asked}, it reached ${short(r.reached)} with room to spare: it costs nothing.`;
  }
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
  const missed = of("missed");
  if (missed.length > 0)
    return [
      missed.map(([name]) => name).join(", "),
      `${missed.length === 1 ? " is" : " are"} not met yet, or cannot be: the price is still rising.`,
    ];
  const gave = of("gave").sort(([, a], [, b]) => b.relaxation - a.relaxation);
  if (gave.length === 0) {
    const [dearest] = of("held");
    return dearest
      ? [
          "Every requirement held",
          `; ${dearest[0]} was the dearest, at a price of ${number(dearest[1].price, 2)}.`,
        ]
      : ["Every requirement is met", ", and none of them costs anything."];
  }
  const [name, most] = gave[0];
  const others =
    gave.length === 2
      ? `, and so did ${gave[1][0]}`
      : gave.length > 2
        ? `, and so did ${gave.length - 1} others`
        : "";
  if (most.examples)
    return [name, ` gave way on ${most.examples.gave} of ${most.examples.all} examples${others}.`];
  return [
    name,
    ` gave way by ${number(most.relaxation, 3)}${others}. Insisting would cost about ${number(most.price, 2)} of loss per unit.`,
  ];
}
