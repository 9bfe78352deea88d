// A problem as the algorithms see it: the requirements that share a cost side by side in one vector.
import {
  type Argument,
  type Backend,
  compile,
  concat,
  type DType,
  leaves,
  NdArray,
  type Replace,
  type Tensor,
} from "@pliant/engine";
import type { Values } from "./algorithms.js";
import type { Cost } from "./costs/cost.js";
import { type Group, groupsOf, measure, type Problem, type Traced } from "./problem.js";

export interface Layout<P, D, Names extends string> {
  readonly groups: readonly Group<Names>[];
  readonly costs: readonly Cost[];
  /** How many elements a requirement has: one, two if two-sided, or one for each example. */
  readonly sizes: Readonly<Record<Names, number>>;
  readonly dtype: DType;
  evaluate(params: Traced<P>, data: D): Values;
  /** A vector a group, from a number for each of its requirements. */
  vectors(of: (name: Names) => number): NdArray[];
}

/** Evaluates the problem once, which also shows whether it can be. */
export async function layoutOf<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  data: Replace<D, Argument>,
  backend: Backend,
): Promise<Layout<P, D, N>> {
  const groups = groupsOf(task);
  const first = compile((params: Traced<P>, d: D) => measure(task, params, d).slacks, { backend });
  const slacks = (await first(task.params as never, data as never)) as Record<
    N,
    { shape: readonly number[] }
  >;
  const sizes = Object.fromEntries(
    Object.entries<{ shape: readonly number[] }>(slacks).map(([name, g]) => [name, g.shape[0]]),
  ) as Record<N, number>;
  const { dtype } = leaves(task.params)[0].leaf as NdArray;
  return {
    groups,
    costs: groups.map(({ cost }) => cost),
    sizes,
    dtype,
    evaluate: (params, d) => {
      const measured = measure(task, params, d);
      const sideBySide = ({ names }: Group<N>): Tensor => concat(names.map((name) => measured.slacks[name]));
      return { objective: measured.objective, slacks: groups.map(sideBySide) };
    },
    vectors: (of) =>
      groups.map(({ names }) => {
        const each = names.flatMap((name) => new Array<number>(sizes[name]).fill(of(name)));
        return new NdArray(dtype === "float64" ? Float64Array.from(each) : Float32Array.from(each), [
          each.length,
        ]);
      }),
  };
}
