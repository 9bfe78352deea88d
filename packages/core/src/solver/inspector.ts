// Evaluates a state on all data: objective, losses, strict metrics and the certificate.
import {
  type Backend,
  compile,
  type NdArray,
  readAll,
  type Stored,
  type Tensor,
  where,
} from "@pliant/engine";
import { pricedOf } from "../algorithms/algorithms.js";
import { type Certificate, type Checked, check } from "../certificate/certificate.js";
import type { Models } from "../certificate/compiled-model.js";
import { acrossKinks } from "../certificate/kinks.js";
import { type LocalModel, NotSmoothError } from "../certificate/local-model.js";
import { dot, ravel, unravel, type Vector } from "../certificate/vectors.js";
import { fenchelGap } from "../costs/conjugacy.js";
import { scaled } from "../costs/scaled.js";
import type { Arrangement, Terms } from "../layout/constraint-layout.js";
import { isFiniteArray } from "../problem/finite-array.js";
import { measureStrictly, type Problem, type Traced } from "../problem/problem.js";
import type { Inspection } from "../report/inspection.js";
import { checkSeen } from "./finite.js";
import type { StoredState } from "./state.js";

export interface InspectorOptions {
  readonly tolerance: number;
  readonly backend: Backend;
  readonly models: Models;
  readonly kinks?: boolean;
  readonly convex?: boolean;
  /** Steps see parts of the data. */
  readonly sampled: boolean;
}

export interface Inspect {
  /** With `onTheWay` a state that one product shows to be far from a minimum is not checked further. */
  (state: StoredState, terms: Terms<Stored>, how?: { onTheWay?: boolean }): Promise<Inspection>;
  release(): void;
}

/** A point that one product shows to be so many times further off than the tolerance is not checked further. */
const farOff = 3;

export function inspector<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  arranged: Arrangement<P, D, N>,
  data: unknown,
  { tolerance, backend, models, kinks = false, convex = false, sampled }: InspectorOptions,
): Inspect {
  const { costs, signed, dtype } = arranged;
  const look = compile(
    (
      params: Traced<P>,
      prices: Tensor[],
      d: D,
      terms: Terms<Tensor>,
      given: { signed: readonly Tensor[]; resolutions: readonly Tensor[] },
    ) => {
      const values = arranged.evaluate(params, d, terms);
      const gaps = costs.map((cost, i) => {
        const g = values.slacks[i];
        const exceeded = where(given.signed[i].gt(0), g.abs(), g.relu());
        const price = prices[i].abs();
        // What must hold has no cost: only its price times its slack lies between the two values.
        const firm = terms.insisted[i].gt(0);
        const own = scaled(cost, terms.factor);
        const bound = fenchelGap(own, where(firm, 0, exceeded), where(firm, 0, price));
        const paid = g.mul(prices[i]);
        return bound.add(where(firm, paid.abs(), exceeded.mul(price).sub(paid)).sum());
      });
      return {
        objective: values.objective,
        slacks: [...values.slacks],
        priced: [...pricedOf(values)],
        resolutions: given.resolutions.map((always, i) => {
          const here = values.resolutions?.[i];
          return here ? always.maximum(here) : always.mul(1);
        }),
        gap: gaps.reduce((a, b) => a.add(b), values.objective.mul(0)),
        strict: measureStrictly(task, params, d) as Record<string, Tensor>,
      };
    },
    { backend },
  );
  const names = arranged.groups.flatMap((group) =>
    group.names.flatMap((name) => new Array<N>(arranged.sizes[name]).fill(name)),
  );
  const scales = ravel([...arranged.scales]);
  /**
   * The Newton decrement is at least (s·p)²/2pᵀHp along any p. Where this already shows, along the slope, that the objective is off by much
   * more than the tolerance, the whole check would refuse too.
   */
  async function showsError(model: LocalModel, x: Vector, prices: Vector): Promise<number | undefined> {
    const ones = new Float64Array(model.m).fill(1);
    const at = await model.augmented(x, prices, ones, { atPrices: true });
    const { Hv } = await model.products(x, prices, { v: at.gradient });
    const [steep, bend] = [dot(at.gradient, at.gradient), dot(Hv, at.gradient)];
    if (!(bend > 0)) return undefined;
    const paid = prices.reduce(
      (sum, price, i) => sum + Math.abs(price) * Math.max(Math.abs(model.levels[i]), Math.abs(at.slacks[i])),
      0,
    );
    const size = Math.max(Math.abs(at.objective), paid, Math.abs(dot(at.gradient, x)));
    const off = steep ** 2 / (2 * bend) / size;
    return off > farOff * tolerance ? off : undefined;
  }

  const inspect = async (
    state: StoredState,
    terms: Terms<Stored>,
    { onTheWay = false }: { onTheWay?: boolean } = {},
  ): Promise<Inspection> => {
    const host = (await readAll(state.params as never)) as unknown as P;
    const evaluated = async (params: unknown) =>
      (await readAll(
        (await look(
          params as never,
          state.prices as never,
          data as never,
          terms as never,
          { signed, resolutions: arranged.resolutions } as never,
        )) as never,
      )) as unknown as Omit<Inspection, "objective"> & {
        objective: NdArray;
        gap: NdArray;
      };
    const seen = await evaluated(state.params);
    const everything: Record<string, ArrayLike<number>> = {
      "the objective": seen.objective.data as ArrayLike<number>,
      ...arranged.byName(seen.slacks),
    };
    for (const [name, data] of Object.entries<number[]>(arranged.byName(seen.priced)))
      if (!data.every(Number.isFinite)) everything[name] = data;
    await checkSeen(everything, state);
    const vectors = (await readAll([
      [...state.prices],
      [...state.relaxations],
      [...terms.insisted],
    ] as never)) as unknown as NdArray[][];
    const [prices, relaxations, firm] = vectors.map((tree) => ravel(tree));
    const model = await models(host, terms);
    const x = ravel(host);
    const far = onTheWay && !kinks ? await showsError(model, x, prices) : undefined;
    const isCounted = model.followed.some((f) => f === 0);
    const pricedAt = async (y: Vector): Promise<Vector> =>
      ravel([...(await evaluated(unravel(host, y))).priced]);
    const found: Pick<Checked, "certificate"> & Partial<Checked> =
      far !== undefined
        ? { certificate: unknown(tolerance, "still converging", far) }
        : await (kinks ? acrossKinks : check)(
            model,
            { x, prices, relaxations },
            {
              tolerance,
              resolutions: ravel([...seen.resolutions]),
              priced: ravel([...seen.priced]),
              usual: scales,
              convex,
              sampled: sampled || isCounted,
              ...(isCounted && { pricedAt }),
              rounding: dtype === "float64" ? 1e-9 : 1e-5,
              firm,
              name: (i) => names[i],
            },
          ).catch((error) => {
            // Without second derivatives nothing can be said of errors; without a gradient nothing at all.
            if (!(error instanceof NotSmoothError) || error.derivative === "The gradient") throw error;
            return { certificate: unknown(tolerance, "a second derivative is not a finite number here") };
          });
    return {
      certificate: withoutNumber(
        { ...found.certificate, gap: seen.gap.item() },
        Object.keys(seen.strict).filter((name) => !isFiniteArray(seen.strict[name])),
      ),
      errors: found.errors,
      undetermined: found.undetermined ?? [],
      ...(found.step && { newton: found.step }),
      ...(found.lower && { lower: unravel(host, found.lower) }),
      objective: seen.objective.item(),
      slacks: seen.slacks,
      priced: seen.priced,
      resolutions: seen.resolutions,
      strict: seen.strict,
    };
  };
  return Object.assign(inspect, { release: () => look.release() });
}

/** The certificate at a point whose errors are unknown, except perhaps the objective's. */
const unknown = (tolerance: number, why: string, objective = Number.NaN): Omit<Certificate, "gap"> => ({
  tolerance,
  holds: false,
  kind: "stationary",
  errors: {
    objective,
    prices: Number.NaN,
    relaxations: Number.NaN,
    values: Number.NaN,
    parameters: Number.NaN,
  },
  objectiveError: Number.NaN,
  short: [why],
});

/** NaN certifies nothing, wherever it is. */
const withoutNumber = (certificate: Certificate, names: readonly string[]): Certificate =>
  names.length === 0
    ? certificate
    : {
        ...certificate,
        holds: false,
        short: [...certificate.short, `its strict metric is NaN: ${names.join(", ")}`],
      };
