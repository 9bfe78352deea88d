// What a level of decisions costs, in words: a threshold that was solved again at the same scores is paid for in wrong decisions and in
// other rates, and the loss stays as it is.
import { amount, figure, listed } from "../format/figure.js";
import type { Insisting, Neighbours, Pays } from "../questions/answers.js";

/** Smaller moves of a rate say nothing to a reader. */
const seenMove = 5e-4;

/** What else moves with a threshold, the largest first. */
function paysWords(pays: Pays | undefined): string {
  const moves = Object.entries(pays ?? {})
    .filter(([, by]) => Math.abs(by) >= seenMove)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .slice(0, 3)
    .map(([name, by]) => `${name} ${by > 0 ? "+" : "−"}${amount(Math.abs(by))}`);
  return moves.length > 0 ? ` (${moves.join(", ")})` : "";
}

/** Of a threshold that was solved again: what is paid is wrong decisions, and the loss stays as it is. */
export function paidWords({ looser, tighter, unit, in: currency, pays }: Neighbours): string {
  const paid = (x: number, verb: string): string =>
    Math.abs(x) < 5e-6
      ? `${verb} nothing`
      : `${x < 0 ? `${verb} −` : `${verb} `}${amount(Math.abs(x))} of ${currency}`;
  return [
    ...(looser === undefined
      ? []
      : [`${unit.name} looser ${paid(looser, "saves")}${paysWords(pays?.looser)}`]),
    ...(tighter === undefined
      ? [`no threshold meets it ${unit.name} tighter`]
      : [`${unit.name} tighter costs ${paid(tighter, "").trim()}${paysWords(pays?.tighter)}`]),
  ].join("; ");
}

/** Of a threshold that was solved again at the same scores. */
export function insistedByThreshold(
  { missed, reached, costs, in: currency, pays, others, broken = [] }: Insisting,
  relative: boolean,
): string {
  const give = Object.entries(others).map(([name, more]) =>
    broken.includes(name)
      ? `breaks ${name}, which must hold, by ${figure(more, 0)}`
      : `makes ${name} give way by ${figure(more, 0)} more`,
  );
  if (missed > 0) {
    const nearest = relative ? `misses by ${figure(missed, 0)}` : `comes to ${figure(reached, 0)}`;
    return `No threshold meets it with these scores: the closest ${nearest}${give.length > 0 ? `, and ${listed(give)}` : ""}.`;
  }
  const more =
    Math.abs(costs) < 5e-6
      ? "costs nothing"
      : costs > 0
        ? `costs ${amount(costs)} of ${currency}`
        : give.length > 0
          ? `has ${amount(-costs)} fewer ${currency}, which is no gain: other requirements give way for it`
          : `saves ${amount(-costs)} of ${currency}`;
  const rest = Object.fromEntries(
    Object.entries(pays ?? {}).filter(([name]) => !Object.hasOwn(others, name)),
  );
  return `Insisting ${more}${paysWords(rest)}${give.length > 0 ? `, and ${listed(give)}` : ""} (threshold re-solved at the same scores; the loss does not change).`;
}
