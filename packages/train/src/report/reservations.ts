// Reservations that a reader must know before relying on a report's numbers. Nothing here needs Node.
import type { TrainReport } from "./report.js";
import type { Tellable } from "./requirement-view.js";

type Weighed = Pick<TrainReport, "totals" | "share"> & { readonly certificate: { readonly holds: boolean } };

/** Prices and counts may agree where asking nothing comes to less: what stands for a count moves, and the count hardly does. */
export const dearerThanNothing = ({ totals, certificate }: Weighed): TrainReport["totals"] =>
  certificate.holds && totals && totals.own > totals.without + totals.within ? totals : undefined;

/** Where counts gave way further than at the equilibrium of their prices: by which part of the costs they were weighed. */
export const weighedLess = ({ totals, share, certificate }: Weighed) =>
  certificate.holds && totals && share !== undefined && share !== 1 ? { ...totals, share } : undefined;

/** A count is reached by what stands for it, and what that costs is not what the count must cost. */
export function pathWords(requirements: Readonly<Record<string, Tellable>>): string[] {
  const costs = Object.values(requirements).some(
    ({ pricedBy, insisting, neighbours, decidedOn }) =>
      pricedBy === "strict" && !decidedOn && (insisting?.had || neighbours),
  );
  const decided = Object.values(requirements).some(
    ({ decidedOn, insisting, neighbours }) => decidedOn && (insisting || neighbours),
  );
  return [
    ...(costs
      ? [
          "The costs of counted requirements were measured by training on their surrogates; another model may meet them at a lower cost.",
        ]
      : []),
    ...(decided
      ? [
          "The costs of rates were measured by choosing the threshold again with the same scores, so the loss does not change. Retraining the scores may lower these costs.",
        ]
      : []),
  ];
}

/** Requirements counted on training rows, because the validation rows have too few examples of them. */
export function fewWords(requirements: Readonly<Record<string, Tellable>>): string[] {
  const names = Object.entries(requirements).flatMap(([name, { few, fewIn }]) =>
    few === undefined ? [] : `${name} (${few}${fewIn === undefined ? "" : ` of the group ${fewIn}`})`,
  );
  return names.length === 0
    ? []
    : [
        `The validation rows have too few examples of these requirements, so they are counted on the training rows: ${names.join(", ")}.`,
      ];
}
