// Takes steps on the device, in chunks. What may change from chunk to chunk (levels, cost factor, what is insisted on) and from
// step to step (rates, rows, keys) are inputs of the compiled step: nothing of it compiles twice.
import {
  array,
  type Backend,
  compile,
  constant,
  full,
  grad,
  loop,
  mapTree,
  NdArray,
  random,
  readAll,
  type Stored,
  type Tensor,
  where,
  zipTrees,
} from "@pliant/engine";
import {
  paperDuals,
  pricedOf,
  type Setting,
  type State,
  type Step,
  type Values,
} from "../algorithms/algorithms.js";
import { scaled } from "../costs/scaled.js";
import { lengthOf, nextPace, observedBy, type Pace, pacedRate } from "../dual-rates/dual-step-size.js";
import { heardMeans, isNoisy } from "../dual-rates/minibatch-noise.js";
import { PliantError } from "../errors.js";
import type { Arrangement, Terms } from "../layout/constraint-layout.js";
import type { Optimizer } from "../optimizers/optimizer.js";
import type { Problem, Traced } from "../problem/problem.js";
import { checkSteps, spoiltIn } from "./finite.js";
import { type BatchOptions, batches } from "./minibatch.js";
import type { StoredState } from "./state.js";

export interface TrainerOptions {
  readonly step: Step<never>;
  readonly optimizer: Optimizer;
  /** Price rates of each step; they set themselves where there are none. */
  readonly dualRate?: (step: number) => number;
  readonly batch?: BatchOptions;
  /** N of Algorithm 1: steps of θ to one of u and λ. */
  readonly inner: number;
  readonly relaxationRate: number;
  readonly seed: number;
  readonly backend: Backend;
}

export interface Advance {
  (state: StoredState, steps: number, terms: Terms<Stored>, how?: AdvanceOptions): Promise<StoredState>;
  release(): void;
}

export interface AdvanceOptions {
  /** Whether prices stay as they are, to see where the model comes to at them. */
  readonly atThesePrices?: boolean;
}

/** As good as none, and no division by 0 on the way to a relaxation. */
const hardlyAny = 1e-9;

/** The price rate of a requirement on every example in minibatches: each is seen too seldom to set a rate by. */
export const unpaced = 0.1;

/** Steps after which the parts of the slope are measured anew; from the start on, so that a resumed run measures where it would have. */
const betweenScales = ({ strides = 1 }: Optimizer): number => Math.ceil(25 / strides);

interface Slice {
  readonly rate: Tensor;
  readonly rows: Record<string, Tensor>;
  readonly key: Tensor;
  /** The number of the step. */
  readonly at: Tensor;
  /** 1 in the last of N inner steps. */
  readonly last: Tensor;
}

interface Whole<P> extends State<P> {
  readonly pace: Pace;
  readonly inner: Inner<P> | readonly [];
}

/** Since the prices moved last: the parameters then, and the sum of the slacks they had on each batch. */
interface Inner<P> {
  readonly params: Traced<P>;
  readonly slacks: readonly Tensor[];
}

interface Fixed<D> {
  readonly all: D;
  readonly terms: Terms<Tensor>;
  /** What a beginning makes of it, as inputs: problems that differ in their first parameters alone are one program. */
  readonly start: { readonly scales: readonly Tensor[]; readonly objective: Tensor };
}

export function trainer<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  arranged: Arrangement<P, D, N>,
  data: unknown,
  options: TrainerOptions,
): Advance {
  const { step, optimizer, dualRate, inner, seed, backend } = options;
  const { groups, sizes, costs, dtype } = arranged;
  const own = arranged.vectors((name) => task.requirements[name].rate ?? 1).map(constant);
  const signed = arranged.signed.map(constant);
  const followed = arranged.followed.map(constant);
  // A batch shows coarser changes than all rows do, and what noise there is in it is minded otherwise (noise.ts).
  const always = options.batch ? undefined : arranged.resolutions.map(constant);
  const start = { scales: arranged.scales, objective: full([], arranged.size, dtype) };
  const sidesOf = (name: string): number => (task.requirements[name as N].sense === "between" ? 2 : 1);
  const parts = options.batch && batches(data, options.batch, { groups, sizes, sidesOf });

  const run = loop(
    (state: Whole<P>, { all, terms, start: { scales } }: Fixed<D>, { rate, rows, key, last, at }: Slice) => {
      const d = parts ? parts.choose(all, rows) : all;
      const chosen = parts?.elements(rows);
      const part = (vector: Tensor, i: number): Tensor => chosen?.[i]?.take(vector) ?? vector;
      const paced = dualRate === undefined;
      // Of which the steps are those on minibatches, after others on all rows.
      const { noise } = state.pace;
      const resting = always && { always, above: mayEndAbove(terms.insisted) };
      const setting: Setting<P> = {
        evaluate: (p) => {
          const values = arranged.evaluate(p, d, terms, { part, key });
          if (!isNoisy(noise)) return values;
          const batch = pricedOf(values);
          const means = heardMeans(noise, batch, values.observed, chosen?.map(Boolean));
          return { ...values, batch, priced: means };
        },
        costs: costs.map((cost) => scaled(cost, terms.factor)),
        rates: own.map((r, i) =>
          paced && !chosen?.[i]
            ? pacedRate(state.pace, i, {
                signed: signed[i],
                price: state.prices[i],
                relaxation: state.relaxations[i],
              }).mul(rate)
            : part(r, i).mul(paced ? unpaced : rate),
        ),
        optimizer,
        signed: signed.map(part),
        insisted: terms.insisted.map(part),
        followed: followed.map(part),
        resting,
        counts: parts && state.pace.observed.map((mean, i) => chosen?.[i]?.share ?? mean.pow(-1)),
      };
      const before: State<P> = {
        params: state.params,
        optimizer: state.optimizer,
        prices: state.prices.map(part),
        relaxations: state.relaxations.map(part),
      };
      const done = (step as unknown as Step<P>)(setting, before);
      const { next, gathered } =
        inner > 1
          ? afterInner(setting, before, done, state.inner as Inner<P>, { ...options, last })
          : { next: done.state, gathered: state.inner };
      const put = (list: readonly Tensor[], into: readonly Tensor[]): Tensor[] =>
        list.map((x, i) => chosen?.[i]?.put(into[i], x) ?? x);
      const after: Whole<P> = {
        params: next.params,
        optimizer: next.optimizer,
        prices: put(next.prices, state.prices),
        relaxations: put(next.relaxations, state.relaxations),
        pace: {
          ...(paced
            ? nextPace(state.pace, {
                ...done,
                signed,
                scales,
                resting,
                fixed: chosen?.map(Boolean),
                strides: optimizer.strides,
              })
            : state.pace),
          observed:
            !parts || chosen?.some(Boolean)
              ? state.pace.observed
              : observedBy(state.pace.observed, done.values, isNoisy(noise) ? noise.steps : at),
        },
        inner: gathered,
      };
      const record = { objective: done.values.objective, slacks: sums(done.values, chosen !== undefined) };
      return { state: after as never, record };
    },
    { backend },
  );

  /** 1 for an equality, and for what may give way. */
  const mayEndAbove = (insisted: readonly Tensor[]): Tensor[] =>
    signed.map((either, i) => either.maximum(insisted[i].neg().add(1)));

  /** Of each requirement, the sum of its slacks; of a batch's elements, all of a group's together. */
  const sums = (values: Values, batched: boolean): Record<string, Tensor> =>
    Object.fromEntries(
      groups.flatMap(({ names }, i) => {
        const g = pricedOf(values)[i];
        if (names.length === 1 || batched) return [[names.join(", "), g.sum()]];
        let from = 0;
        return names.map((name) => {
          const to = from + sizes[name];
          const own = g.slice([[from, to]]).sum();
          from = to;
          return [name, own];
        });
      }),
    );

  /**
   * ‖∇ℓ₀‖ + ‖∇(λ + λ₁)·g‖, with small prices λ₁: a tenth of what would move the objective by its own size when a requirement moves
   * by its scale. Without them a model at the minimum of ℓ₀ would never seem to have answered prices of 0.
   */
  const partsOfSlope = compile(
    (
      params: Traced<P>,
      everyPrice: Tensor[],
      { all, terms, start: { scales, objective } }: Fixed<D>,
      rows: Record<string, Tensor>,
    ) => {
      const d = parts ? parts.choose(all, rows) : all;
      const chosen = parts?.elements(rows);
      const part = (vector: Tensor, i: number): Tensor => chosen?.[i]?.take(vector) ?? vector;
      const prices = everyPrice.map(part);
      const evaluate = (p: Traced<P>): Values => arranged.evaluate(p, d, terms, { part });
      const size = evaluate(params).objective.abs().maximum(objective.abs());
      const pulls = prices.map((price, i) =>
        price.add(
          size
            .mul(0.1)
            .div(part(scales[i], i))
            .mul(where(price.lt(0), -1, 1).cast(price.dtype)),
        ),
      );
      const burden = (p: Traced<P>): Tensor =>
        evaluate(p)
          .slacks.map((g, i) => pulls[i].mul(g).sum())
          .reduce((a, b) => a.add(b));
      const slope = (f: (p: Traced<P>) => Tensor): Tensor => lengthOf(grad(f)(params));
      const own = slope((p) => evaluate(p).objective);
      return pulls.length === 0 ? own : own.add(slope(burden));
    },
    { backend },
  );

  const firstSpoilt = spoiltIn(backend);

  const chunk = async (
    state: StoredState,
    steps: number,
    terms: Terms<Stored>,
    { atThesePrices = false }: AdvanceOptions,
  ): Promise<StoredState> => {
    const { step: at, ...rest } = state;
    const each = <T>(of: (step: number) => T): T[] => Array.from({ length: steps }, (_, i) => of(at + i));
    const slices = {
      rate: array(
        each((i) => positive("dualRate", dualRate?.(i) ?? 1) * (atThesePrices ? hardlyAny : 1)),
        { dtype },
      ),
      rows: parts?.rows(at, steps) ?? {},
      key: random.packed(each((i) => random.foldIn(random.key(seed), i))),
      at: array(
        each((i) => i),
        { dtype },
      ),
      last: array(
        each((i) => Number((i + 1) % inner === 0)),
        { dtype },
      ),
    };
    const done = await run(rest as never, { all: data, terms, start } as never, slices as never);
    const next = { ...(done.state as unknown as Omit<StoredState, "step">), step: at + steps };
    await checkSteps(await readAll(done.record), next, state, firstSpoilt);
    return next;
  };

  const between = betweenScales(optimizer);
  const advance = async (
    state: StoredState,
    steps: number,
    terms: Terms<Stored>,
    how: AdvanceOptions = {},
  ): Promise<StoredState> => {
    let now = state;
    const last = state.step + steps;
    while (now.step < last) {
      let upTo = last;
      if (dualRate === undefined) {
        if (now.step % between === 0) {
          const found = await partsOfSlope(
            now.params as never,
            now.prices as never,
            { all: data, terms, start } as never,
            mapTree(
              parts?.rows(now.step, 1) ?? {},
              ({ data, shape }: NdArray) => new NdArray(data, shape.slice(1)),
            ) as never,
          );
          now = { ...now, pace: { ...now.pace, scale: found } };
        }
        upTo = Math.min(last, (Math.floor(now.step / between) + 1) * between);
      }
      now = await chunk(now, upTo - now.step, terms, how);
    }
    return now;
  };
  const release = (): void => {
    for (const compiled of [run, partsOfSlope, firstSpoilt]) compiled.release();
  };
  return Object.assign(advance, { release });
}

/**
 * Algorithm 1 with its inner loop: N steps of θ at the same prices, then one of u and λ by the mean of the losses that the parameters
 * before them, θ⁽ᵗ⁻¹⁾, had on the N batches.
 */
function afterInner<P>(
  setting: Setting<P>,
  before: State<P>,
  { state }: { state: State<P> },
  gathered: Inner<P>,
  { inner, relaxationRate, last }: { inner: number; relaxationRate: number; last: Tensor },
): { next: State<P>; gathered: Inner<P> } {
  const seen = pricedOf(setting.evaluate(gathered.params));
  const slacks = gathered.slacks.map((sum, i) => sum.add(seen[i]));
  const mean = { objective: slacks[0], slacks: slacks.map((sum) => sum.div(inner)) };
  const duals = paperDuals(relaxationRate)(setting, before, mean);
  const now = last.gt(0);
  const choose = (then: readonly Tensor[], otherwise: readonly Tensor[]): Tensor[] =>
    then.map((x, i) => where(now, x, otherwise[i]));
  return {
    next: {
      ...state,
      prices: choose(duals.prices, before.prices),
      relaxations: choose(duals.relaxations, before.relaxations),
    },
    gathered: {
      params: zipTrees(
        (x: Tensor, y: Tensor) => where(now, x, y),
        state.params,
        gathered.params,
      ) as unknown as Traced<P>,
      slacks: slacks.map((sum) => where(now, 0, sum)),
    },
  };
}

/** What an algorithm with an inner loop begins with. */
export const firstInner = (inner: number, params: unknown, zeros: readonly NdArray[]): unknown =>
  inner > 1 ? { params: mapTree(params, (x: NdArray) => x), slacks: zeros } : [];

export function positive(name: string, value: number): number {
  if (value > 0 && Number.isFinite(value)) return value;
  throw new PliantError(`${name} must be a positive number, got ${value}.`);
}

export function whole(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw new PliantError(`${name} must be a whole number from 1, got ${value}.`);
}
