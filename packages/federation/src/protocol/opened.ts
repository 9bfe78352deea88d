// The sum of a group, from uploads and shares: in one piece, or in parts where someone is suspected (traced.ts).
import { PliantError } from "@pliant/core";
import {
  addSummand,
  emptySummand,
  partsOf,
  type Revealed,
  type Settled,
  type Summand,
  WrongShares,
} from "../sums/index.js";
import type { Crypto } from "./crypto.js";
import { type Halves, partContext, within } from "./traced.js";
import { checkShape, checkSum, decodeSummand, meansIn, readSum, type SumOf } from "./uploads.js";

/** A group whose survivors are agreed on. */
export interface SettledGroup extends Settled {
  /** One for each part, if the sum is taken in parts. */
  readonly halves: readonly Halves[];
}

/** A sum that is noise, or that no honest sites have: each of these sets has a site that is at fault. */
export class FailedSum extends PliantError {
  constructor(
    message: string,
    readonly failed: readonly ReadonlySet<string>[],
  ) {
    super(message);
  }
}

/** A sum that uploads are added to, one after another. */
export interface GroupSum {
  add(site: string, upload: Buffer): void;
  /** Takes the masks away; a sum that is noise throws `FailedSum`. */
  open(reveals: ReadonlyMap<string, Revealed>): SumOf;
}

/** `check` throws where no honest sites have such means. */
export function groupSum(
  { halves, ...group }: SettledGroup,
  {
    crypto,
    bound,
    clients,
    shape,
  }: {
    readonly crypto: Crypto;
    readonly bound: number;
    readonly clients: number;
    /** Coordinates and numbers that every upload has; those of the first one unless given. */
    readonly shape?: { readonly values: number; readonly numbers: number };
  },
  check: (means: readonly number[]) => void = () => {},
): GroupSum {
  const parts: readonly (readonly ReadonlySet<string>[])[] = halves.length > 0 ? halves : [[group.survivors]];
  /** One for each side of the parts. */
  let sums: Summand[] | undefined;
  const viewsOf = (sum: Summand) => partsOf(sum, parts.length);

  const openPart = (k: number, side: number, reveals: ReadonlyMap<string, Revealed>): void => {
    const half = parts[k][side];
    const survivors = within(group.survivors, half);
    const [all, context] = [halves.length === 0, partContext(group.context, k)];
    const settled = all ? group : { ...group, half, survivors, context };
    const sum = viewsOf(sums![side])[k];
    try {
      crypto.unmask(sum, settled, reveals);
      checkSum(sum, survivors.size, bound, clients);
      if (k === 0) check(meansIn(sum, survivors.size));
    } catch (error) {
      if (!(error instanceof PliantError)) throw error;
      const atFault = error instanceof WrongShares ? new Set([error.dealer]) : survivors;
      throw new FailedSum(error.message, [atFault]);
    }
  };

  const summandOf = (site: string, upload: Buffer) => named(site, () => decodeSummand(upload));

  return {
    add: (site, upload) => {
      const summand = summandOf(site, upload);
      const { words, numbers } = summand;
      const empty = () =>
        shape
          ? emptySummand(shape.values, shape.numbers + 1 + parts.length)
          : emptySummand(words.length, numbers.length);
      sums ??= parts[0].map(empty);
      // As long as it should be in all, and yet of other parts: whoever sent it is known.
      named(site, () => checkShape(sums![0], summand, site));
      for (const [k, part] of viewsOf(summand).entries())
        addSummand(viewsOf(sums[parts[k].findIndex((half) => half.has(site))])[k], part);
    },
    open: (reveals) => {
      const failures = parts.flatMap((sides, k) =>
        sides.flatMap((_, side) => {
          try {
            openPart(k, side, reveals);
            return [];
          } catch (error) {
            if (!(error instanceof FailedSum)) throw error;
            return [error];
          }
        }),
      );
      if (failures.length > 0)
        throw new FailedSum(
          failures[0].message,
          failures.flatMap(({ failed }) => failed),
        );
      const [sum, ...more] = sums!;
      for (const one of more) addSummand(sum, one);
      return readSum(withoutChecks(sum, parts.length), group.survivors.size, bound, clients);
    },
  };
}

/** What is wrong with one upload is the fault of one site. */
function named<T>(site: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof PliantError)) throw error;
    throw new FailedSum(error.message, [new Set([site])]);
  }
}

/** Without the numbers that show of later parts that their masks are gone. */
const withoutChecks = ({ words, numbers }: Summand, parts: number): Summand => ({
  words,
  numbers: numbers.subarray(0, numbers.length - parts + 1),
});
