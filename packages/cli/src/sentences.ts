// What requirements came to, in words for a reader who has not seen the table.
import { excessOf, type Report, type RequirementReport } from "pliant";

/** A requirement as a sentence tells it; levels that are not plain numbers bring their own words. */
export interface Told extends RequirementReport {
  /** Instead of the level. */
  readonly asked?: string;
  /** Of a requirement on every example: how many there are, and how many gave way. */
  readonly examples?: { readonly all: number; readonly gave: number };
}

/** Three decimals, and no −0. */
const fixed = (x: number): string => (Math.abs(x) < 5e-4 ? 0 : x).toFixed(3);

function sentence(name: string, r: Told, tolerance: number): string {
  const asked = r.asked ?? (typeof r.level === "number" ? fixed(r.level) : r.level.join(" and "));
  const price = r.price.toPrecision(2);
  const everywhere = r.examples ? " of every example" : "";
  const start = `${name}: asked ${r.sense} ${asked}${everywhere}, ${r.examples ? "at worst" : "reached"} ${fixed(r.reached)},`;
  const insisting = `insisting would cost about ${price} of loss per unit.`;
  const missed = excessOf(r) - r.relaxation;
  // A price still rising: the steps ended before the requirement was met.
  if (missed > 10 * tolerance && !r.examples)
    return `${start} still missed by ${fixed(missed)}${r.cost === "hard" ? " though it must hold" : " beyond what it gave"}, its price risen to ${price}: the steps ended before it was met, or it cannot be.`;
  if (r.examples && r.relaxation > tolerance)
    return `${start} gave way on ${r.examples.gave} of ${r.examples.all} examples, by ${fixed(r.relaxation)} in all, at prices of ${price} in all.`;
  if (r.relaxation > tolerance)
    return `${start} gave way by ${fixed(r.relaxation)} at price ${price}: ${insisting}`;
  if (r.price > tolerance)
    return `${start} ${r.cost === "hard" ? "held as it must" : "held"} at price ${price}: a looser level would save about ${price} of loss per unit.`;
  if (excessOf(r) > tolerance && !r.examples)
    return `${start} missed by ${fixed(excessOf(r))}: the steps ended before it was met.`;
  return `${start} met with room to spare: it costs nothing.`;
}

/** A sentence a requirement, what gave way first. */
export const sentences = ({
  requirements,
  certificate,
}: Pick<Report<string>, "certificate"> & { requirements: Readonly<Record<string, Told>> }): string[] =>
  Object.entries(requirements)
    .sort(([, a], [, b]) => b.relaxation - a.relaxation || b.price - a.price)
    .map(([name, r]) => sentence(name, r, certificate.tolerance));
