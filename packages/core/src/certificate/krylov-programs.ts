// The methods of krylov.ts for models that are too large for vectors on the host: vectors stay where the data lies, in the precision of the
// parameters, and the host reads scalars alone.
import {
  type Backend,
  compile,
  type DType,
  leaves,
  mapTree,
  NdArray,
  readAll,
  type Stored,
  type Tensor,
  where,
} from "@pliant/engine";
import { epsilonOf } from "../costs/weight.js";
import { dotOf, mapTrees } from "../problem/trees.js";
import { type Lowest, lowest, minres, type Solved, type Space } from "./krylov.js";
import { ravel, unravel, type Vector, vector } from "./vectors.js";

/** A vector of parameters and one of requirements, as trees. */
export interface Both<T = Tensor> {
  readonly x: unknown;
  readonly y: readonly T[];
}

/** Products in natural units, traced; `r` is 1/√d, `closed` what they close over. */
export interface TracedProducts {
  hessian(v: unknown, closed: never): unknown;
  system(z: Both, r: unknown, closed: never): Both;
  tangent(q: unknown, r: unknown, closed: never): unknown;
}

export function krylovPrograms(
  { hessian, system, tangent }: TracedProducts,
  { backend, dtype }: { backend: Backend; dtype: DType },
) {
  const programs = {
    system: compile(system, { backend }),
    tangent: compile(tangent, { backend }),
    dot: compile(dotOf, { backend }),
    mix: compile(
      (shares: Tensor[], trees: unknown[]) =>
        shares.slice(1).reduce(
          (sum, s, i) => mapTrees((a, b) => a.add(b.mul(s)), sum, trees[i + 1]),
          mapTrees((a) => a.mul(shares[0]), trees[0]),
        ),
      { backend },
    ),
    /** Squares of the rows of d^−½H, by a probe of signs over √d that the fractions of random numbers times a factor say. */
    probe: compile(
      (squares: unknown, random: unknown, factor: Tensor, r: unknown, closed: never) => {
        const signed = (u: Tensor, a: Tensor): Tensor => {
          const many = u.mul(factor);
          return where(many.sub(many.floor()).lt(0.5), a.neg(), a);
        };
        return mapTrees((s, h) => s.add(h.mul(h)), squares, hessian(mapTrees(signed, random, r), closed));
      },
      { backend },
    ),
    rescaled: compile(
      (d: unknown, squares: unknown, rounds: Tensor, isLast: Tensor) => {
        const next = mapTrees(
          (a, s) => where(s.gt(0), a.mul(s).div(rounds).sqrt(), where(isLast.gt(0), a.mul(1e-30), a)),
          d,
          squares,
        );
        return { d: next, r: mapTrees((a) => a.pow(-0.5), next) };
      },
      { backend },
    ),
  };
  const call = (name: keyof typeof programs, ...args: unknown[]): Promise<never> =>
    (programs[name] as unknown as (...args: unknown[]) => Promise<never>)(...args);
  const scalar = (value: number): NdArray =>
    new NdArray(dtype === "float64" ? Float64Array.of(value) : Float32Array.of(value), []);
  const space: Space<unknown> = {
    mix: (...terms) =>
      call(
        "mix",
        terms.map(([s]) => scalar(s)),
        terms.map(([, v]) => v),
      ),
    dot: async (a, b) => (await ((await call("dot", a, b)) as Stored).read()).item(),
    rounding: epsilonOf({ dtype }),
  };

  const over = (like: unknown, split: (y: Vector) => NdArray[]) => {
    const put = <T>(tree: T): T => mapTree(tree, (a: NdArray) => backend.place?.(a) ?? backend.put(a)) as T;
    const placed = (x: Vector): unknown => put(unravel(like, x));
    const read = async (tree: unknown): Promise<Vector> => ravel(await readAll(tree as never));
    const n = leaves(like).reduce((sum, { leaf }) => sum + (leaf as NdArray).size, 0);
    const inverseRoot = (d: Vector): unknown => placed(vector(n, (j) => 1 / Math.sqrt(d[j])));

    return {
      /** d with rows of d^−½Hd^−½ of length 1; probes as in scales.ts. */
      async rows(random: Vector, probes: readonly number[], closed: unknown): Promise<Vector> {
        const drawn = placed(random);
        const nothing = await space.mix([0, drawn]);
        let d = placed(vector(n, () => 1));
        let r = d;
        let count = 0;
        for (const [k, rounds] of probes.entries()) {
          let squares = nothing;
          for (let probed = 0; probed < rounds; probed++)
            squares = await call("probe", squares, drawn, scalar(spread * ++count), r, closed);
          const isLast = Number(k === probes.length - 1);
          ({ d, r } = await call("rescaled", d, squares, scalar(rounds), scalar(isLast)));
        }
        return read(d);
      },

      async minres(
        right: Vector,
        d: Vector,
        how: { products: number; solved: number },
        closed: unknown,
      ): Promise<Solved> {
        const r = inverseRoot(d);
        const b: Both<NdArray> = { x: placed(right.subarray(0, n)), y: put(split(right.subarray(n))) };
        const { z, left } = await minres(space, (v) => call("system", v, r, closed), b as unknown, how);
        const { x, y } = z as Both;
        const found = new Float64Array(right.length);
        found.set(await read(x));
        found.set(await read(y), n);
        return { z: found, left };
      },

      async lowest(start: Vector, d: Vector, products: number, closed: unknown): Promise<Lowest> {
        const r = inverseRoot(d);
        const times = (q: unknown) => call("tangent", q, r, closed);
        const { value, along } = await lowest(space, times, placed(start), { products });
        return { value, along: async () => read(await along()) };
      },
    };
  };
  return Object.assign(over, {
    release: () => {
      for (const compiled of Object.values(programs)) compiled.release();
    },
  });
}

/** Random numbers times multiples of this have fractions that say nothing of each other. */
const spread = 97.3;
