// The roots of increasing functions, one for each element of a tensor, by a fixed number of halvings: the same graph for
// every input, exact at jumps, and never outside its bracket.
import { type Tensor, where } from "@pliant/engine";

export interface Bracket {
  readonly low: Tensor;
  readonly high: Tensor;
}

type Middle = (low: Tensor, high: Tensor) => Tensor;

export const arithmetic: Middle = (low, high) => low.add(high).mul(0.5);
/** Halves the number of octaves between two positive numbers. */
export const geometric: Middle = (low, high) => low.mul(high).sqrt();

/** Narrows a bracket of the root of an increasing function. By default as far as the dtype can tell numbers apart. */
export function bisect(
  increasing: (x: Tensor) => Tensor,
  { low, high }: Bracket,
  {
    rounds = low.dtype === "float64" ? 54 : 25,
    middle = arithmetic,
  }: { rounds?: number; middle?: Middle } = {},
): Bracket {
  for (let round = 0; round < rounds; round++) {
    const at = middle(low, high);
    const below = increasing(at).lt(0);
    low = where(below, at, low);
    high = where(below, high, at);
  }
  return { low, high };
}
