// Krylov methods for models that are too large for vectors on the host: each iteration is one compiled program whose vectors stay where
// the data lies, and the host reads scalars alone. The methods are those of krylov.ts, in the precision of the parameters.
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
  zipTrees,
} from "@pliant/engine";
import { epsilonOf } from "../costs/weight.js";
import { type Lowest, lowestOfTridiagonal, type Solved } from "./krylov.js";
import { norm as lengthOf, ravel, unravel, type Vector, vector } from "./vectors.js";

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

type Scalars = Record<"c" | "s" | "cBefore" | "sBefore" | "beta" | "eta" | "left" | "most" | "live", Tensor>;

interface Minres {
  readonly z: Both;
  readonly v: Both;
  readonly before: Both;
  readonly w: Both;
  readonly wBefore: Both;
  readonly of: Scalars;
}

interface Lanczos {
  readonly q: unknown;
  readonly before: unknown;
  readonly sum: unknown;
  readonly size: Tensor;
}

const map = <T>(f: (...x: Tensor[]) => Tensor, first: T, ...others: T[]): T =>
  zipTrees(f, first, ...others) as unknown as T;

const dot = (a: unknown, b: unknown): Tensor =>
  leaves(map((x, y) => x.mul(y).sum(), a, b))
    .map(({ leaf }) => leaf as Tensor)
    .reduce((x, y) => x.add(y));

const norm = (a: unknown): Tensor => dot(a, a).sqrt();

const hypot = (...x: Tensor[]): Tensor =>
  x
    .map((a) => a.mul(a))
    .reduce((a, b) => a.add(b))
    .sqrt();

export function krylovPrograms(
  { hessian, system, tangent }: TracedProducts,
  { backend, dtype }: { backend: Backend; dtype: DType },
) {
  /** One iteration of MINRES, as in krylov.ts. */
  const minresStep = compile(
    ({ z, v, before, w, wBefore, of }: Minres, size: Tensor, r: unknown, closed: never) => {
      const product = system(v, r, closed);
      const { c, s, cBefore, sBefore, beta, eta } = of;
      const alpha = dot(v, product);
      const next = map((p, q, b) => p.sub(q.mul(alpha)).sub(b.mul(beta)), product, v, before);
      const length = norm(next);
      const r0 = c.mul(alpha).sub(cBefore.mul(s).mul(beta));
      const r1 = hypot(r0, length).maximum(1e-30);
      const r2 = s.mul(alpha).add(cBefore.mul(c).mul(beta));
      const r3 = sBefore.mul(beta);
      const most = of.most.maximum(hypot(beta, alpha, length));
      const rounding = most.mul(epsilonOf(alpha));
      const live = where(hypot(r0, c.mul(length)).gt(rounding.mul(8)), of.live, 0);
      const [cosine, sine] = [r0.div(r1), length.div(r1)];
      const along = map((a, b, d) => a.sub(b.mul(r3)).sub(d.mul(r2)).div(r1), v, wBefore, w);
      const far = cosine.mul(eta).mul(live);
      const left = where(live.gt(0), sine.mul(eta).abs().div(size), of.left);
      const goesOn = length.gt(rounding);
      const over = where(goesOn, length.maximum(1e-30).pow(-1), 0);
      return {
        z: map((a, b) => a.add(b.mul(far)), z, along),
        v: map((a) => a.mul(over), next),
        before: v,
        w: along,
        wBefore: w,
        of: {
          c: cosine,
          s: sine,
          cBefore: c,
          sBefore: s,
          beta: length,
          eta: sine.mul(eta).neg(),
          left,
          most,
          live: where(goesOn, live, 0),
        },
      };
    },
    { backend },
  );

  /** One iteration of Lanczos, which adds its vector to a sum by a share. */
  const lanczosStep = compile(
    ({ q, before, sum, size }: Lanczos, share: Tensor, r: unknown, closed: never) => {
      const product = tangent(q, r, closed);
      const own = dot(q, product);
      const next = map((p, a, b) => p.sub(a.mul(own)).sub(b.mul(size)), product, q, before);
      const length = norm(next);
      const state: Lanczos = {
        q: map((a) => a.div(length.maximum(1e-30)), next),
        before: q,
        sum: map((a, b) => a.add(b.mul(share)), sum, q),
        size: length,
      };
      return { state, own };
    },
    { backend },
  );

  /** Squares of the rows of d^−½H, by a probe of signs over √d that the fractions of random numbers times a factor say. */
  const probe = compile(
    (squares: unknown, random: unknown, factor: Tensor, r: unknown, closed: never) => {
      const v = map(
        (u, a) => {
          const many = u.mul(factor);
          return where(many.sub(many.floor()).lt(0.5), a.neg(), a);
        },
        random,
        r,
      );
      return map((s, h) => s.add(h.mul(h)), squares, hessian(v, closed));
    },
    { backend },
  );

  const rescaled = compile(
    (d: unknown, squares: unknown, rounds: Tensor, isLast: Tensor) => {
      const next = map(
        (a, s) => where(s.gt(0), a.mul(s).div(rounds).sqrt(), where(isLast.gt(0), a.mul(1e-30), a)),
        d,
        squares,
      );
      return { d: next, r: map((a) => a.pow(-0.5), next) };
    },
    { backend },
  );

  const filled = compile((like: unknown, value: Tensor) => map((a) => a.mul(0).add(value), like), {
    backend,
  });

  const scalar = (value: number): NdArray =>
    new NdArray(dtype === "float64" ? Float64Array.of(value) : Float32Array.of(value), []);
  const numberOf = async (stored: unknown): Promise<number> => (await (stored as Stored).read()).item();

  const over = (like: unknown, split: (y: Vector) => NdArray[]) => {
    const put = <T>(tree: T): T => mapTree(tree, (a: NdArray) => backend.place?.(a) ?? backend.put(a)) as T;
    const placed = (x: Vector): unknown => put(unravel(like, x));
    const n = leaves(like).reduce((sum, { leaf }) => sum + (leaf as NdArray).size, 0);
    const all = (x: unknown, value: number): Promise<unknown> => filled(x as never, scalar(value) as never);

    return {
      /** d with rows of d^−½Hd^−½ of length 1; probes as in scales.ts. */
      async rows(random: Vector, probes: readonly number[], closed: unknown): Promise<Vector> {
        const drawn = placed(random);
        const nothing = await all(drawn, 0);
        let d = await all(drawn, 1);
        let r = d;
        let count = 0;
        for (const rounds of probes) {
          let squares: unknown = nothing;
          for (let k = 0; k < rounds; k++)
            squares = await probe(squares, drawn, scalar(spread * ++count) as never, r, closed as never);
          const isLast = Number(rounds === probes[probes.length - 1]);
          ({ d, r } = (await rescaled(
            d,
            squares,
            scalar(rounds) as never,
            scalar(isLast) as never,
          )) as never);
        }
        return ravel(await readAll(d as never));
      },

      async minres(
        right: Vector,
        d: Vector,
        { products, solved }: { products: number; solved: number },
        closed: unknown,
      ): Promise<Solved> {
        const z = new Float64Array(right.length);
        const size = lengthOf(right);
        if (!(size > 0)) return { z, left: 0 };
        const unit = right.map((a) => a / size);
        const y = unit.subarray(n);
        const r = placed(vector(n, (j) => 1 / Math.sqrt(d[j])));
        const nothing = { x: await all(r, 0), y: put(split(new Float64Array(y.length))) };
        let state = {
          z: nothing,
          v: { x: placed(unit), y: put(split(y)) },
          before: nothing,
          w: nothing,
          wBefore: nothing,
          of: mapTree(
            { c: 1, s: 0, cBefore: 1, sBefore: 0, beta: 0, eta: size, left: 1, most: 0, live: 1 },
            scalar,
          ),
        } as unknown as Parameters<typeof minresStep>[0];
        let left = 1;
        for (let k = 0; k < products; k++) {
          state = (await minresStep(state, scalar(size) as never, r, closed as never)) as never;
          const { of } = state as unknown as { of: Record<"left" | "live", Stored> };
          left = await numberOf(of.left);
          if (left <= solved || (await numberOf(of.live)) === 0) break;
        }
        const found = (await readAll((state as unknown as Minres).z as never)) as unknown as Both<NdArray>;
        ravel(found.x, z);
        z.set(ravel([...found.y]), n);
        return { z, left };
      },

      async lowest(start: Vector, d: Vector, products: number, closed: unknown): Promise<Lowest> {
        const r = placed(vector(n, (j) => 1 / Math.sqrt(d[j])));
        const nothing = await all(r, 0);
        const size = lengthOf(start);
        const first = placed(start.map((a) => a / size));
        const run = async (shares?: readonly number[]) => {
          let state = { q: first, before: nothing, sum: nothing, size: scalar(0) } as unknown;
          const [diagonal, beside]: [Stored[], Stored[]] = [[], []];
          for (let k = 0; k < (shares?.length ?? products); k++) {
            const done = (await lanczosStep(
              state as never,
              scalar(shares?.[k] ?? 0) as never,
              r,
              closed as never,
            )) as unknown as { state: { size: Stored; sum: unknown }; own: Stored };
            state = done.state;
            diagonal.push(done.own);
            beside.push(done.state.size);
          }
          const numbers = async (list: Stored[]) => (await readAll(list)).map((a) => a.item());
          const { sum } = state as { sum: unknown };
          return { diagonal: await numbers(diagonal), beside: await numbers(beside), sum };
        };
        const { diagonal, beside } = await run();
        // What follows a vector of no length is none of the matrix.
        const end = beside.findIndex((size) => !(size > 1e-6 * Math.abs(diagonal[0]))) + 1 || products;
        const { value, vector: mix } = lowestOfTridiagonal(diagonal.slice(0, end), beside.slice(0, end - 1));
        return { value, along: async () => ravel(await readAll((await run(mix)).sum as never)) };
      },
    };
  };
  return Object.assign(over, {
    release: () => {
      for (const compiled of [minresStep, lanczosStep, probe, rescaled, filled]) compiled.release();
    },
  });
}

/** Random numbers times multiples of this have fractions that say nothing of each other. */
const spread = 97.3;
