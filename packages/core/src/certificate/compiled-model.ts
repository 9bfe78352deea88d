// The programs of a problem around a point (local-model.ts): traced from its functions, compiled once, and called with flat vectors.
import {
  type Backend,
  compile,
  grad,
  jvp,
  leaves,
  mapTree,
  type NdArray,
  readAll,
  type Stored,
  type Tensor,
  valueAndGrad,
  where,
} from "@pliant/engine";
import { type Setting, type Values, weighted } from "../algorithms/algorithms.js";
import { dualStep } from "../algorithms/dual-step.js";
import { scaled } from "../costs/scaled.js";
import type { Arrangement, Terms } from "../layout/constraint-layout.js";
import type { Traced } from "../problem/problem.js";
import { mapTrees } from "../problem/trees.js";
import { type Both, krylovPrograms } from "./krylov-programs.js";
import type { KrylovPrograms, LocalModel, Where } from "./local-model.js";
import { ravel, unravel, type Vector, vector } from "./vectors.js";

/** Beyond so many parameters none of their vectors travels between a device and the host in each iteration. */
const travelling = 10_000;

/** A weight of 0 on ℓ₀ leaves what is missing; requirements with a mask of 0 count for nothing. */
export interface Emphasis {
  readonly objective?: number;
  readonly mask?: Vector;
}

export function localModels<P, D, N extends string>(
  arranged: Arrangement<P, D, N>,
  data: unknown,
  backend: Backend,
) {
  const { costs, signed, followed, dtype } = arranged;
  const place = (x: NdArray): Stored => backend.place?.(x) ?? backend.put(x);
  interface Inputs {
    readonly terms: Terms<Tensor>;
    readonly weight: Tensor;
    readonly mask: Tensor[];
    readonly fixed: { readonly signed: Tensor[]; readonly followed: Tensor[] };
  }
  const evaluated = (p: Traced<P>, d: D, { terms, weight, mask }: Inputs): Values => {
    const values = arranged.evaluate(p, d, terms);
    return {
      objective: values.objective.mul(weight),
      slacks: values.slacks.map((g, i) => g.mul(mask[i])),
    };
  };
  /** λ⁺ and u⁺; what is counted keeps its price. */
  const duals = (slacks: readonly Tensor[], prices: Tensor[], t: Tensor[], { terms, fixed }: Inputs) => {
    const setting = {
      costs: costs.map((cost) => scaled(cost, terms.factor)),
      rates: t.map((x) => x.pow(-1)),
      signed: fixed.signed,
      insisted: terms.insisted,
    } as unknown as Setting<P>;
    const state = { prices, relaxations: prices };
    const next = dualStep(setting, state, { objective: slacks[0], slacks });
    return {
      prices: next.prices.map((x, i) => where(fixed.followed[i].gt(0), x, prices[i])),
      relaxations: next.relaxations,
    };
  };
  /** h(u⁺). */
  const costOf = (relaxations: readonly Tensor[], { terms, fixed }: Inputs): Tensor[] =>
    costs.map((cost, i) => {
      const firm = terms.insisted[i].gt(0).or(fixed.followed[i].le(0));
      return scaled(cost, terms.factor).value(where(firm, 0, relaxations[i]));
    });

  const augmented = compile(
    (params: Traced<P>, prices: Tensor[], t: Tensor[], atPrices: Tensor, d: D, inputs: Inputs) => {
      const lagrangian = (p: Traced<P>) => {
        const values = evaluated(p, d, inputs);
        const next = duals(values.slacks, prices, t, inputs);
        const weights = next.prices.map((x, i) => where(atPrices.gt(0), prices[i], x).stopGradient());
        return {
          loss: values.objective.add(weighted(weights, values.slacks)),
          aux: { values, next },
        };
      };
      const { gradient, aux } = valueAndGrad(lagrangian)(params);
      const { values, next } = aux as unknown as {
        values: Values;
        next: { prices: Tensor[]; relaxations: Tensor[] };
      };
      // ½ Σ t(λ⁺² − λ²) is all that is left of the minimum over w.
      const pulled = next.prices.map((x, i) => {
        const moved = x.pow(2).sub(prices[i].pow(2)).mul(t[i]).mul(0.5);
        // What is counted is priced as it is.
        return where(inputs.fixed.followed[i].gt(0), moved, values.slacks[i].mul(prices[i])).sum();
      });
      // An equality that is met exactly at no price is active from either side.
      const nudged = values.slacks.map((g, i) =>
        g.add(
          where(inputs.fixed.signed[i].gt(0).and(g.add(prices[i].mul(t[i])).eq(0)), 1e-30, 0).cast(g.dtype),
        ),
      );
      const answer = jvp((g: Tensor[]) => duals(g, prices, t, inputs).prices)(
        nudged,
        nudged.map((g) => g.mul(0).add(1)),
      ).tangent;
      return {
        merit: [...pulled, ...costOf(next.relaxations, inputs)].reduce((a, b) => a.add(b), values.objective),
        gradient: gradient as Record<string, Tensor>,
        prices: next.prices,
        relaxations: next.relaxations,
        objective: values.objective,
        slacks: [...values.slacks],
        active: answer.map((x, i) => x.mul(t[i])),
      };
    },
    { backend },
  );

  const slopeOf =
    (d: D, inputs: Inputs) =>
    ({ p, l }: { p: Traced<P>; l: Tensor[] }) =>
      grad((q: Traced<P>) => {
        const values = evaluated(q, d, inputs);
        return values.objective.add(weighted(l, values.slacks));
      })(p);
  /** Hv alone. */
  const bending = (params: Traced<P>, prices: Tensor[], v: Traced<P>, d: D, inputs: Inputs) =>
    jvp((p: Traced<P>) => slopeOf(d, inputs)({ p, l: prices }))(params, v as never)
      .tangent as unknown as Record<string, Tensor>;
  const product = (
    params: Traced<P>,
    prices: Tensor[],
    { v, w, c }: { v: Traced<P>; w: readonly Tensor[]; c?: readonly Tensor[] },
    d: D,
    inputs: Inputs,
  ) => {
    const Jv = jvp((p: Traced<P>) => [...evaluated(p, d, inputs).slacks])(params, v as never).tangent;
    const pull = w.map((x, i) => (c ? x.add(c[i].mul(Jv[i])) : x));
    const slope = slopeOf(d, inputs);
    const Hv = jvp(slope as never)({ p: params, l: prices } as never, { p: v, l: pull } as never).tangent;
    return { Hv: Hv as unknown as Record<string, Tensor>, Jv };
  };

  const products = compile(
    (params: Traced<P>, prices: Tensor[], v: Traced<P>, w: Tensor[], c: Tensor[], d: D, inputs: Inputs) =>
      product(params, prices, { v, w, c }, d, inputs),
    { backend },
  );
  const hessian = compile(bending, { backend });

  /** u⁺ and, along y, ∂λ⁺/∂g·y. */
  const proximal = compile(
    (slacks: Tensor[], prices: Tensor[], t: Tensor[], y: Tensor[], inputs: Inputs) => ({
      relaxations: duals(slacks, prices, t, inputs).relaxations,
      moved: jvp((g: Tensor[]) => duals(g, prices, t, inputs).prices)(slacks, y).tangent,
    }),
    { backend },
  );
  const joint = costs.some((cost) => !cost.separable);

  interface Closed {
    readonly params: Traced<P>;
    readonly prices: Tensor[];
    readonly d: D;
    readonly inputs: Inputs;
  }
  interface OfSystem extends Closed {
    readonly slacks: Tensor[];
    readonly t: Tensor[];
    readonly active: Tensor[];
  }
  const times = (a: unknown, b: unknown): unknown => mapTrees((x, y) => x.mul(y), a, b);
  const none = (prices: readonly Tensor[]): Tensor[] => prices.map((x) => x.mul(0));
  const large = krylovPrograms(
    {
      hessian: (v, { params, prices, d, inputs }: Closed) => bending(params, prices, v as never, d, inputs),
      tangent: (q, r, { params, prices, d, inputs, c }: Closed & { c?: Tensor[] }) => {
        const v = times(q, r) as Traced<P>;
        const Hv = c
          ? product(params, prices, { v, w: none(prices), c }, d, inputs).Hv
          : bending(params, prices, v, d, inputs);
        return times(Hv, r);
      },
      system: ({ x, y }, r, { params, prices, d, inputs, slacks, t, active }: OfSystem): Both => {
        const rt = t.map((a) => a.sqrt());
        const activate = (z: readonly Tensor[]): Tensor[] => {
          if (!joint) return z.map((a, i) => a.mul(active[i]));
          const along = z.map((a, i) => a.mul(rt[i]));
          const { tangent } = jvp((g: Tensor[]) => duals(g, prices, t, inputs).prices)(slacks, along);
          return tangent.map((a, i) => a.mul(rt[i]));
        };
        const Dy = activate(y);
        const along = { v: times(x, r) as Traced<P>, w: Dy.map((a, i) => a.div(rt[i])) };
        const { Hv, Jv } = product(params, prices, along, d, inputs);
        const [DJ, DDy] = [activate(Jv.map((a, i) => a.div(rt[i]))), activate(Dy)];
        return { x: times(Hv, r), y: DJ.map((a, i) => a.sub(Dy[i]).add(DDy[i])) };
      },
    },
    { backend, dtype },
  );

  const groups = arranged.signed;
  const m = groups.reduce((sum, { data }) => sum + data.length, 0);
  const split = (flat: Vector): NdArray[] => unravel([...groups], flat);
  const all = (value: number): NdArray[] => arranged.vectors(() => value);
  const zeros = all(0);

  const model = async (
    like: unknown,
    terms: Terms<Stored>,
    { objective = 1, mask }: Emphasis = {},
  ): Promise<LocalModel> => {
    const levels = ravel(await readAll([...terms.levels] as never));
    const weight = unravel(arranged.stated.factor, Float64Array.of(objective));
    const inputs = {
      terms,
      weight,
      mask: mask ? split(mask) : all(1),
      fixed: { signed: [...signed], followed: [...followed] },
    };
    const arrays = leaves(like).map(({ leaf }) => (leaf as NdArray).size);
    const n = arrays.reduce((sum, size) => sum + size, 0);
    const perUnit = ravel(arranged.perUnit);
    const own = { signed: ravel([...signed]), followed: ravel([...followed]) };
    // Products at one point follow each other: it is brought to the device once.
    let last: { readonly x: Vector; readonly params: unknown } | undefined;
    const placed = (x: Vector): unknown => {
      if (last?.x !== x) last = { x, params: mapTree(unravel(like, x), place) };
      return last.params;
    };
    // Where loops are compiled whole, arrays lie on a device.
    const programs = backend.compileLoop && n > travelling ? large(like, split) : undefined;
    const closed = ({ x, prices }: Where) => ({
      params: placed(x),
      prices: split(prices),
      d: data,
      inputs,
    });
    const krylov: KrylovPrograms | undefined = programs && {
      rows: (at, random, probes) => programs.rows(random, probes, closed(at)),
      minres: (at, { d, t, active }, right, how) => {
        const more = { slacks: split(at.slacks), t: split(t), active: split(active) };
        return programs.minres(right, d, how, { ...closed(at), ...more });
      },
      lowest: (at, { d, c }, start, count) => {
        const penalty = c.some((x) => x !== 0) ? { c: split(c) } : {};
        return programs.lowest(start, d, count, { ...closed(at), ...penalty });
      },
    };
    return {
      ...(krylov && { krylov }),
      n,
      m,
      arrays,
      tiny: dtype === "float64" ? 1e-290 : 1e-36,
      epsilon: dtype === "float64" ? 2 ** -52 : 2 ** -23,
      ...own,
      levels: vector(m, (i) => levels[i] * perUnit[i]),
      augmented: async (x, prices, t, { atPrices = false } = {}) => {
        const weighed = unravel(arranged.stated.factor, Float64Array.of(Number(atPrices)));
        const seen = await run(augmented, placed(x), split(prices), split(t), weighed, data, inputs);
        return {
          merit: seen.merit.item(),
          objective: seen.objective.item(),
          gradient: ravel(seen.gradient),
          prices: ravel(seen.prices),
          relaxations: ravel(seen.relaxations),
          slacks: ravel(seen.slacks),
          active: ravel(seen.active).map((x) => Math.min(1, Math.max(0, x))),
        };
      },
      products: async (x, prices, { v, w, c, withoutJv }) => {
        const [at, along] = [[placed(x), split(prices)], unravel(like, v ?? new Float64Array(n))];
        if (withoutJv && v && !w && !c)
          return { Hv: ravel(await run(hessian, ...at, along, data, inputs)), Jv: new Float64Array(m) };
        const pulls = [w, c].map((weights) => (weights ? split(weights) : zeros));
        const { Hv, Jv } = await run(products, ...at, along, ...pulls, data, inputs);
        return { Hv: ravel(Hv), Jv: ravel(Jv) };
      },
      bought: async ({ prices, relaxations }, t) => {
        const slacks = relaxations.map((u, i) => (own.signed[i] > 0 && prices[i] < 0 ? -u : u));
        return ravel((await run(proximal, ...[slacks, prices, t].map(split), zeros, inputs)).relaxations);
      },
      ...(joint && {
        answer: async ({ slacks, prices, t }, y) =>
          ravel((await run(proximal, ...[slacks, prices, t, y].map(split), inputs)).moved),
      }),
    };
  };
  return Object.assign(model, {
    dtype,
    release: () => {
      for (const compiled of [augmented, products, hessian, proximal, large]) compiled.release();
    },
  });
}

/** What a program gives, on the host. */
const run = async (program: unknown, ...args: readonly unknown[]): Promise<Record<string, NdArray>> =>
  (await readAll(
    (await (program as (...args: readonly unknown[]) => unknown)(...args)) as never,
  )) as unknown as Record<string, NdArray>;

export type Models = ReturnType<typeof localModels>;
