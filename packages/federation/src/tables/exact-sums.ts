// Numbers of any size in sums of fixed point. A number is cut into limbs of 40 bits, from 2⁻⁸⁰ to 2¹²⁰, and each limb is a
// number below 1 with 40 bits behind the point, which fixed point holds exactly: sums of limbs are exact, whatever the sizes.
import { InputError } from "@pliant/core";

const bits = 40;
export const limbs = 5;
const lowest = 2 * bits;
const largest = 2 ** (limbs * bits - lowest);

/** From the lowest limb to the highest, each with the sign of the number. */
export function toLimbs(value: number): number[] {
  if (!(Math.abs(value) < largest))
    throw new InputError(`${value} is too large to be summed; scale the column down.`);
  const sign = value < 0 ? -1 : 1;
  // Scaling by a power of 2 is exact; only what is below 2⁻⁸⁰ is rounded.
  let rest = BigInt(Math.round(Math.abs(value) * 2 ** lowest));
  return Array.from({ length: limbs }, () => {
    const limb = Number(BigInt.asUintN(bits, rest));
    rest >>= BigInt(bits);
    return (sign * limb) / 2 ** bits;
  });
}

/** The number that limbs, or sums of limbs, stand for. */
export const fromLimbs = (given: readonly number[]): number =>
  given.reduceRight((sum, limb, i) => sum + limb * 2 ** (bits * (i + 1) - lowest), 0);

/** Counts of rows, and sums over rows, ride in this unit: a site may have 10⁹ rows. */
export const rowUnit = 2 ** 20;
