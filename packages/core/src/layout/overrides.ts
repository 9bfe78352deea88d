// The same problem at other levels, at other costs, or with something insisted on. Terms are inputs of the compiled step, so a
// sweep or a question afterwards compiles nothing.
import { full, type NdArray } from "@pliant/engine";
import { unknownName } from "../errors.js";
import type { Asked } from "../problem/problem.js";
import type { Arrangement, Terms } from "./constraint-layout.js";

/** Other terms for the same compiled problem: levels, costs and what is insisted on, for sweeps and questions. */
export interface Changes<Names extends string> {
  /** Other levels, by requirement: a number, one for each element, or of a two-sided requirement its two. */
  readonly levels?: Readonly<Partial<Record<Names, number | readonly number[]>>>;
  /** Levels relaxed by so much, element by element; of an equality upwards (`onItsSide`). */
  readonly relaxed?: Readonly<Partial<Record<Names, readonly number[]>>>;
  /** What every cost is multiplied by. */
  readonly factor?: number;
  /** Requirements that must hold at their levels, whatever their cost. */
  readonly insist?: readonly Names[];
}

/** An equality gives way to the side that its price pulls from: what is added to its levels, or gained by more of it, has that sign. */
export const onItsSide = (
  { sense }: Pick<Asked, "sense">,
  prices: readonly number[],
  amounts: readonly number[],
): number[] => amounts.map((x, i) => (sense === "equal to" && prices[i] < 0 ? -x : x));

export function termsOf<P, D, N extends string>(
  requirements: Readonly<Record<N, Asked>>,
  arranged: Pick<Arrangement<P, D, N>, "stated" | "vectors" | "byName" | "sizes" | "dtype">,
  { levels, relaxed, factor = 1, insist = [] }: Changes<N>,
): Terms<NdArray> {
  const known = Object.keys(requirements) as N[];
  for (const name of [...Object.keys(levels ?? {}), ...Object.keys(relaxed ?? {}), ...insist])
    if (!known.includes(name as N)) throw unknownName("a requirement", name, known);
  const [stated, firm] = [arranged.stated.levels, arranged.stated.insisted].map((all) =>
    arranged.byName(all),
  );
  const levelsOf = (name: N): number[] => {
    const size = arranged.sizes[name];
    const given: number | readonly number[] | undefined = levels?.[name];
    const two = requirements[name].sense === "between";
    const own =
      given === undefined
        ? stated[name]
        : typeof given === "number"
          ? new Array<number>(size).fill(given)
          : two
            ? given.flatMap((side) => new Array<number>(size / 2).fill(side))
            : [...given];
    const by: readonly number[] | undefined = relaxed?.[name];
    if (!by) return own;
    // Towards giving way: a level that is a floor goes down.
    const down = (i: number): boolean => requirements[name].sense === "at least" || (two && i < size / 2);
    return own.map((level, i) => level + (down(i) ? -by[i] : by[i]));
  };
  return {
    levels: arranged.vectors(levelsOf),
    insisted: arranged.vectors((name) => (insist.includes(name) ? 1 : firm[name])),
    factor: full([], factor, arranged.dtype),
  };
}
