// A problem as the algorithms see it: the requirements that share a cost side by side in one vector, each element with the level,
// the side and the scale of its requirement.
import {
  type Argument,
  type Backend,
  compile,
  concat,
  constant,
  type DType,
  full,
  leaves,
  mapTree,
  NdArray,
  type Replace,
  type Tensor,
} from "@pliant/engine";
import type { Values } from "../algorithms/algorithms.js";
import type { Cost } from "../costs/cost.js";
import { hard } from "../costs/linear.js";
import { PliantError } from "../errors.js";
import type { Observed } from "../problem/group-means.js";
import { type Group, groupsOf, measure, type Problem, type Traced } from "../problem/problem.js";

/** What may change without compiling anew: one vector a group each, and a factor on each group's cost. */
export interface Terms<T = NdArray> {
  readonly levels: readonly T[];
  /** 1 where a requirement must hold at its level: what is hard, and what is insisted on, whatever its cost; 0 elsewhere. */
  readonly insisted: readonly T[];
  /** What the costs are multiplied by. */
  readonly factor: T;
}

export interface On {
  /** Takes from a group's vector the elements that a batch is about, all unless given. */
  part?(vector: Tensor, group: number): Tensor;
  /** For what is drawn anew in every step; the same one outside training. */
  key?: Tensor;
}

export interface Arrangement<P, D, Names extends string> {
  readonly groups: readonly Group<Names>[];
  readonly costs: readonly Cost[];
  /** How many elements a requirement has: one, two if two-sided, or one for each example. */
  readonly sizes: Readonly<Record<Names, number>>;
  readonly dtype: DType;
  /** Objective and losses at the start. */
  readonly start: Seen<Names>;
  /** The size of the objective, for tolerances. */
  readonly size: number;
  /** The terms as stated. */
  readonly stated: Terms;
  /** 1 where the price of an element may have either sign. */
  readonly signed: readonly NdArray[];
  /** 1 where prices follow the loss, 0 where they follow what is counted in its place. */
  readonly followed: readonly NdArray[];
  /** 1 over the unit of each element's requirement. */
  readonly perUnit: readonly NdArray[];
  /** What counts as one for an element, 0 where neither its level nor its start says it, and the smallest change it can show. */
  readonly scales: readonly NdArray[];
  readonly resolutions: readonly NdArray[];
  evaluate(params: Traced<P>, data: D, terms: Pick<Terms<Tensor>, "levels">, on?: On): Values;
  /** A vector a group, from the numbers of each of its requirements. */
  vectors(of: (name: Names) => number | readonly number[]): NdArray[];
  /** The numbers of each requirement, from a vector a group. */
  byName(vectors: Vectors): Record<Names, number[]>;
  /** The same as reports have them: slacks, relaxations and scales times the unit of each requirement, prices for one of it. */
  owned(vectors: Vectors, what?: "amounts" | "prices"): Record<Names, number[]>;
}

interface Seen<Names extends string> {
  readonly objective: number;
  readonly losses: Readonly<Record<Names, readonly number[]>>;
}

type Vectors = readonly { readonly data: ArrayLike<number> }[];

/** Evaluates the problem once, which also shows whether it can be. */
export async function arrange<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  data: Replace<D, Argument>,
  backend: Backend,
): Promise<Arrangement<P, D, N>> {
  const { requirements } = task;
  const names = Object.keys(requirements) as N[];
  const first = compile(
    (params: Traced<P>, d: D) => {
      const { objective, losses, priced } = measure(task, params, d);
      return {
        objective,
        losses: names.map((name) => losses[name].value),
        observed: names.map((name) => observedIn(losses[name]).mul(observedIn(priced[name]))),
      };
    },
    { backend },
  );
  const at = async (params: P): Promise<Seen<N>> => {
    const seen = await first(params as never, data as never);
    const [values, observed] = await Promise.all(
      [seen.losses, seen.observed].map((list) => Promise.all((list as NdArray[]).map((x) => x.read()))),
    );
    for (const [i, name] of names.entries()) checkObserved(name, Array.from(observed[i].data));
    return {
      objective: (await seen.objective.read()).item(),
      losses: Object.fromEntries(names.map((name, i) => [name, Array.from(values[i].data)])) as never,
    };
  };
  const start = await at(task.params);
  const origin = await at(mapTree(task.params, (p: NdArray) => full(p.shape, 0, p.dtype)) as P);
  first.release();
  const { losses } = start;
  const groups = groupsOf(task, (name) => losses[name].length === 1);
  const usual = sizesOf(start, origin);
  const sidesOf = (name: N): number => (requirements[name].sense === "between" ? 2 : 1);
  const sizes = mapNames(names, (name) => losses[name].length * sidesOf(name));
  const { dtype } = leaves(task.params)[0].leaf as NdArray;

  const vectors = (of: (name: N) => number | readonly number[]): NdArray[] =>
    groups.map((group) => {
      const each = group.names.flatMap((name) => {
        const given = of(name);
        return typeof given === "number" ? new Array<number>(sizes[name]).fill(given) : given;
      });
      return new NdArray(dtype === "float64" ? Float64Array.from(each) : Float32Array.from(each), [
        each.length,
      ]);
    });
  const levelOf = (name: N): number | number[] => levelsOf(name, requirements[name], losses[name].length);
  const scaleOf = (name: N): number =>
    requirements[name].scale ?? largestOf([levelOf(name), usual.loss(name)]);
  const unitOf = (name: N): number => requirements[name].unit ?? 1;
  /** Of one of its units, on the side where it is exceeded. */
  const sign = vectors((name) => {
    const n = losses[name].length;
    const { sense } = requirements[name];
    const each = 1 / unitOf(name);
    if (sense === "between") return [...new Array(n).fill(-each), ...new Array(n).fill(each)];
    return sense === "at least" ? -each : each;
  });
  const firm = new Set(groups.flatMap(({ names, cost }) => (cost === hard ? names : [])));
  const byName = (all: Vectors): Record<N, number[]> => {
    const parts = {} as Record<N, number[]>;
    for (const [i, group] of groups.entries()) {
      let from = 0;
      for (const name of group.names) {
        parts[name] = Array.from(all[i].data).slice(from, from + sizes[name]);
        from += sizes[name];
      }
    }
    return parts;
  };
  return {
    groups,
    costs: groups.map(({ cost }) => cost),
    sizes,
    dtype,
    start,
    size: usual.objective,
    stated: {
      levels: vectors(levelOf),
      insisted: vectors((name) => Number(firm.has(name))),
      factor: new NdArray(dtype === "float64" ? Float64Array.of(1) : Float32Array.of(1), []),
    },
    signed: vectors((name) => Number(requirements[name].sense === "equal to")),
    followed: vectors((name) => Number(requirements[name].pricedBy !== "strict")),
    perUnit: vectors((name) => 1 / unitOf(name)),
    scales: vectors((name) => scaleOf(name) / unitOf(name)),
    resolutions: vectors((name) => (requirements[name].resolution ?? 0) / unitOf(name)),
    evaluate: (params, d, { levels }, { part = (vector: Tensor) => vector, key }: On = {}) => {
      const measured = measure(task, params, d, key);
      const sideBySide = (of: Record<N, Observed>, what: keyof Observed): (Tensor | undefined)[] =>
        groups.map((group) => {
          const parts = group.names.map((name) => {
            const unsaid = what === "observed" ? 1 : 0;
            const part = of[name][what] ?? of[name].value.mul(0).add(unsaid);
            return sidesOf(name) === 2 ? concat([part, part]) : part;
          });
          if (what !== "value" && group.names.every((name) => !of[name][what])) return undefined;
          return parts.length === 1 ? parts[0] : concat(parts);
        });
      /** sign·(loss − level), in units: above 0 where a requirement is exceeded. */
      const slacks = (of: Record<N, Observed>): Tensor[] =>
        sideBySide(of, "value").map((loss, i) =>
          loss!.sub(part(levels[i], i)).mul(part(constant(sign[i]), i)),
        );
      return {
        objective: measured.objective,
        slacks: slacks(measured.losses),
        priced: slacks(measured.priced),
        observed: sideBySide(measured.priced, "observed"),
        resolutions: sideBySide(measured.priced, "resolution").map((shown, i) =>
          shown?.mul(part(constant(sign[i]), i).abs()),
        ),
      };
    },
    vectors,
    byName,
    owned: (all, what = "amounts") => {
      const seen = byName(all);
      return mapNames(names, (name) =>
        seen[name].map((x) => (what === "prices" ? x / unitOf(name) : x * unitOf(name))),
      );
    },
  };
}

const observedIn = ({ value, observed }: Observed): Tensor => observed ?? value.mul(0).add(1);

/** What all data has nothing of has no value, and 0 in its place would be certified. */
function checkObserved(name: string, observed: readonly number[]): void {
  const at = observed.indexOf(0);
  if (at >= 0)
    throw new PliantError(
      `${name}: no row of the data is in its ${observed.length === 1 ? "group" : `group ${at + 1} of ${observed.length}`}, so it cannot be measured; leave it out.`,
    );
}

/**
 * What objective and losses are usually like: at the start or, where the objective is smaller there, at the origin. Weights that are
 * large at random begin at losses which say nothing of what counts as much of them, and a certificate by those would pass anything.
 */
function sizesOf<N extends string>(start: Seen<N>, origin: Seen<N>) {
  // An objective that is 0 there, the size of the parameters, has no size to tell.
  const nearer = origin.objective !== 0 && Math.abs(origin.objective) < Math.abs(start.objective);
  return {
    objective: Math.abs((nearer ? origin : start).objective),
    loss: (name: N): number =>
      Math.min(...[start, ...(nearer ? [origin] : [])].map(({ losses }) => largestOf(losses[name]))),
  };
}

const largestOf = (values: number | readonly (number | readonly number[])[]): number =>
  [values]
    .flat(2)
    .map(Math.abs)
    .filter(Number.isFinite)
    .reduce((a, b) => Math.max(a, b), 0);

export const mapNames = <N extends string, T>(names: readonly N[], of: (name: N) => T): Record<N, T> =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<N, T>;

/** The levels of a requirement's elements, the lower ones of a two-sided requirement first. */
function levelsOf(
  name: string,
  { sense, level }: { sense: string; level: number | readonly number[] },
  elements: number,
): number | number[] {
  if (typeof level === "number") return level;
  if (sense === "between") return level.flatMap((side) => new Array<number>(elements).fill(side));
  if (level.length !== elements)
    throw new PliantError(
      `${name}: it has ${level.length} levels, but its loss has ${elements} elements; give one level for each, or one for all.`,
    );
  return [...level];
}
