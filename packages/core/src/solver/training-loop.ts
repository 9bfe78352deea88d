// Takes steps of an algorithm on the device, in chunks. What may change from chunk to chunk (levels, cost factor, what is insisted on)
// and from step to step (rates, rows, keys) are inputs of the compiled step: nothing of it compiles twice.
import {
  array,
  type Backend,
  compile,
  constant,
  full,
  loop,
  mapTree,
  NdArray,
  random,
  readAll,
  type Stored,
  type Tensor,
} from "@pliant/engine";
import { pricedOf, type Setting, type State, type Step, type Values } from "../algorithms/algorithms.js";
import { type Inner, innerStep } from "../algorithms/inner-loop.js";
import { scaled } from "../costs/scaled.js";
import { nextPace, observedBy, type Pace, pacedRate } from "../dual-rates/dual-step-size.js";
import { heardMeans, isNoisy } from "../dual-rates/minibatch-noise.js";
import { positive } from "../errors.js";
import type { Arrangement, Terms } from "../layout/constraint-layout.js";
import type { Optimizer } from "../optimizers/optimizer.js";
import type { Problem, Traced } from "../problem/problem.js";
import { checkSteps, spoiltIn } from "./finite.js";
import { type BatchOptions, batches } from "./minibatch.js";
import { partsOfSlope } from "./slope.js";
import type { StoredState } from "./state.js";

export interface TrainerOptions {
  readonly step: Step<unknown>;
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
const unpaced = 0.1;

/** Ordinary steps after which the parts of the slope are measured anew; from the start on, so that a resumed run measures where it would have. */
const betweenScales = 25;

/** What a step of its own has. */
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

/** What all steps of a chunk share. */
export interface Fixed<D, T = Tensor> {
  readonly all: D;
  readonly terms: Terms<T>;
  /** What a beginning makes of it, as inputs: problems that differ in their first parameters alone are one program. */
  readonly start: { readonly scales: readonly T[]; readonly objective: T };
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
  // A batch shows coarser changes than all rows do, and what noise there is in it is minded otherwise (minibatch-noise.ts).
  const always = options.batch ? undefined : arranged.resolutions.map(constant);
  const start = { scales: arranged.scales, objective: full([], arranged.size, dtype) };
  const sidesOf = (name: string): number => (task.requirements[name as N].sense === "between" ? 2 : 1);
  const parts = options.batch && batches(data, options.batch, { groups, sizes, sidesOf });
  const paced = dualRate === undefined;

  /** The rows of a step, and of each group the elements that they are about. */
  const seenBy = (all: D, rows: Record<string, Tensor>) => {
    const chosen = parts?.elements(rows);
    return {
      d: parts ? parts.choose(all, rows) : all,
      chosen,
      part: (vector: Tensor, i: number): Tensor => chosen?.[i]?.take(vector) ?? vector,
      put: (taken: Tensor, i: number, into: Tensor): Tensor => chosen?.[i]?.put(into, taken) ?? taken,
    };
  };

  const run = loop(
    (state: Whole<P>, { all, terms, start: { scales } }: Fixed<D>, { rate, rows, key, last, at }: Slice) => {
      const { d, chosen, part, put } = seenBy(all, rows);
      // Of which the steps are those on minibatches, after others on all rows.
      const { noise } = state.pace;
      // Above its level a count may rest if it is an equality, or may give way.
      const above = signed.map((either, i) => either.maximum(terms.insisted[i].neg().add(1)));
      const resting = always && { always, above };
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
          ? innerStep(setting, before, done.state, state.inner as Inner<P>, { ...options, last })
          : { next: done.state, gathered: state.inner };
      const pace = paced
        ? nextPace(state.pace, {
            ...done,
            signed,
            scales,
            resting,
            fixed: chosen?.map(Boolean),
            strides: optimizer.strides,
            step: at,
          })
        : state.pace;
      const observed =
        !parts || chosen?.some(Boolean)
          ? state.pace.observed
          : observedBy(state.pace.observed, done.values, isNoisy(noise) ? noise.steps : at);
      const after: Whole<P> = {
        params: next.params,
        optimizer: next.optimizer,
        prices: next.prices.map((x, i) => put(x, i, state.prices[i])),
        relaxations: next.relaxations.map((x, i) => put(x, i, state.relaxations[i])),
        pace: { ...pace, observed },
        inner: gathered,
      };
      const record = { objective: done.values.objective, slacks: sums(done.values, chosen !== undefined) };
      return { state: after as never, record };
    },
    { backend },
  );

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

  const slopes = compile(
    (params: Traced<P>, prices: Tensor[], { all, terms, start }: Fixed<D>, rows: Record<string, Tensor>) => {
      const { d, part } = seenBy(all, rows);
      return partsOfSlope(
        (p: Traced<P>) => arranged.evaluate(p, d, terms, { part }),
        params,
        prices.map(part),
        { scales: start.scales.map(part), objective: start.objective },
      );
    },
    { backend },
  );

  const firstSpoilt = spoiltIn(backend);
  const chunk = async (
    state: StoredState,
    steps: number,
    fixed: Fixed<unknown, Stored>,
    { atThesePrices = false }: AdvanceOptions,
  ): Promise<StoredState> => {
    const { step: at, ...rest } = state;
    const each = <T>(of: (step: number) => T): T[] => Array.from({ length: steps }, (_, i) => of(at + i));
    const numbers = (of: (step: number) => number) => array(each(of), { dtype });
    const slices = {
      rate: numbers((i) => positive("dualRate", dualRate?.(i) ?? 1) * (atThesePrices ? hardlyAny : 1)),
      rows: parts?.rows(at, steps) ?? {},
      key: random.packed(each((i) => random.foldIn(random.key(seed), i))),
      at: numbers((i) => i),
      last: numbers((i) => Number((i + 1) % inner === 0)),
    };
    const done = await run(rest as never, fixed as never, slices as never);
    const next = { ...(done.state as unknown as Omit<StoredState, "step">), step: at + steps };
    await checkSteps(await readAll(done.record), next, state, firstSpoilt);
    return next;
  };

  const between = Math.ceil(betweenScales / (optimizer.strides ?? 1));
  const advance = async (
    state: StoredState,
    steps: number,
    terms: Terms<Stored>,
    how: AdvanceOptions = {},
  ): Promise<StoredState> => {
    const fixed = { all: data, terms, start };
    const last = state.step + steps;
    let now = state;
    while (now.step < last) {
      if (paced && now.step % between === 0) {
        const rows = mapTree(
          parts?.rows(now.step, 1) ?? {},
          ({ data, shape }: NdArray) => new NdArray(data, shape.slice(1)),
        );
        const scale = await slopes(now.params as never, now.prices as never, fixed as never, rows as never);
        now = { ...now, pace: { ...now.pace, scale } };
      }
      const upTo = paced ? Math.min(last, (Math.floor(now.step / between) + 1) * between) : last;
      now = await chunk(now, upTo - now.step, fixed, how);
    }
    return now;
  };
  const release = (): void => {
    for (const compiled of [run, slopes, firstSpoilt]) compiled.release();
  };
  return Object.assign(advance, { release });
}
