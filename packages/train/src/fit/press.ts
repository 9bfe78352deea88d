// Scores pressed for what no threshold gives: gaps between groups, and rates in every group. From the free model on, again and again:
//
//   the cut     that minimises decision cost + Σ λ·excess + (ρ/2)[excess]₊² on the held-out rows
//   prices      move by sign(e)·Δ·min(1, |e|/0.01), e = excess − the relaxation at that price; Δ grows by 1.3 while the sign stays
//               and halves when it turns
//   scores      ten steps of Adam down the loss, the decision cost and the priced excesses, each by what stands for it. Stand-ins
//               never move the last bias: that is the threshold's work
//
// All models take the same steps, each on the rows it was fitted to. The best that is seen is kept, as the last is worse by chance.
import { adam, applyUpdates } from "@pliant/core";
import { type Backend, full, grad, loop, mapTree, NdArray, readAll, type Tensor } from "@pliant/engine";
import type { Params, Traced } from "@pliant/learn";
import { scaledScores, scalingOf } from "../decision/calibrate.js";
import { bestCut, type Cut, type Question, type Scored } from "../decision/cut.js";
import type { Rule } from "../decision/rule.js";
import { addComparison, addCost, noPull, pulled } from "../decision/surrogate.js";
import { sumsOf, type Tally } from "../decision/tally.js";
import { atThreshold } from "../metrics/answers.js";
import { cutOf } from "../problem/decision.js";
import type { Training } from "../problem/prepare.js";
import type { Batch } from "../problem/problem.js";
import { type HeldOut, scoredBy, type scorer, seenOnly } from "./cross-fit.js";

/** Models with the cut that goes with them, and what both come to on the held-out rows. */
export interface Standing {
  readonly heldOut: HeldOut;
  readonly scored: Scored;
  readonly cut: Cut;
  /** The loss of each row held out, and the same of probabilities that were straightened first: no scale of scores is a gain. */
  readonly losses: Float64Array;
  readonly straight: Float64Array;
}

/** Scores with their cut. */
export const standingOf = (heldOut: HeldOut, scored: Scored, cut: Cut): Standing => ({
  heldOut,
  scored,
  cut,
  losses: lossesOf(scored),
  straight: lossesOf(scaledScores(scored, scalingOf(scored))),
});

/** Loss, decision cost and costs of giving way together. */
export const totalOf = ({ straight, cut }: Pick<Standing, "straight" | "cut">): number =>
  straight.reduce((sum, loss) => sum + loss, 0) / straight.length + cut.cost + cut.gave;

export interface Pressing {
  readonly training: Training;
  readonly backend: Backend;
  readonly decay: number;
  /** On the held-out rows, and the same on those learnt from. */
  readonly question: Question;
  readonly learnt: Question;
  readonly by?: string;
  /** Prices of the other requirements, as they were solved. */
  readonly others: Readonly<Record<string, { price: number; relaxation: number }>>;
  readonly linear: boolean;
  score: ReturnType<typeof scorer>;
  show(line: string, done?: number): void;
}

export const checks = 50;
const inner = 10;
const rho = 2;
const firstMove = 0.02;
const mostMove = 0.5;
const mostPrice = 20;
/** Excesses smaller than this move a price by less. */
const small = 0.01;
/** For what must hold: violations that differ by less are alike. */
export const alike = 0.003;

/** Cross-entropy of each row held out. */
export function lossesOf({ scores, examples, classes }: Scored): Float64Array {
  const y = examples.y.data;
  const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
  return Float64Array.from({ length: examples.count }, (_, i) => {
    if (classes === 2) return softplus(y[i] === 1 ? -scores[i] : scores[i]);
    const own = scores.subarray(i * classes, (i + 1) * classes);
    const top = Math.max(...own);
    return Math.log(own.reduce((sum, z) => sum + Math.exp(z - top), 0)) + top - own[y[i]];
  });
}

const isBetter = (a: Standing, b: Standing): boolean => {
  const [x, y] = [a, b].map(({ cut }) => Math.sqrt(cut.violation));
  if (x < 1e-6 !== y < 1e-6) return x < y;
  return Math.abs(x - y) > alike ? x < y : totalOf(a) < totalOf(b);
};

interface Priced {
  readonly rule: number;
  readonly comparison: number;
  price: number;
  move: number;
  last: number;
}

/** The best that was seen, which may be where it began. */
export async function press(start: Standing, pressing: Pressing): Promise<Standing> {
  const { training, question, learnt, by, score, show } = pressing;
  const { prepared } = training;
  const { classes, examples } = start.scored;
  const { train } = prepared;
  const columns = classes === 2 ? 1 : classes;
  const step = await stepper(start.heldOut, pressing);
  const priced: Priced[] = question.rules.flatMap((rule, r) =>
    rule.comparisons.map((_, c) => ({ rule: r, comparison: c, price: 0, move: firstMove, last: 0 })),
  );
  /** Counts on the held-out rows, in as many rows as are learnt from. */
  const counterpart = new Map<Tally, Tally>();
  for (const [r, { comparisons }] of learnt.rules.entries())
    for (const [c, { own, base }] of comparisons.entries()) {
      const held = question.rules[r].comparisons[c];
      counterpart.set(own, held.own);
      if (base && held.base) counterpart.set(base, held.base);
    }
  const costPull = noPull(train.count, columns);
  addCost(costPull, learnt.cost, train.y.data, classes);
  let [best, now] = [start, start];
  let decision = start.cut.decision;
  for (let check = 0; check < checks; check++) {
    show(`retraining scores, check ${check + 1} of ${checks}`, check / checks);
    const prices = question.rules.map((rule, r) =>
      rule.comparisons.map((_, c) => priced.find((p) => p.rule === r && p.comparison === c)!.price),
    );
    const working = bestCut(now.scored, question, { by, pricing: { prices, rho }, from: decision });
    decision = clipped(working.decision);
    for (const one of priced) movePrice(one, question.rules[one.rule], working, question);
    const pull = { up: costPull.up.slice(), down: costPull.down.slice() };
    for (const { rule: r, comparison: c, price } of priced)
      if (price > 0)
        addComparison(pull, learnt.rules[r], learnt.rules[r].comparisons[c], {
          price,
          y: train.y.data,
          classes,
          sums: (tally) => {
            const held = counterpart.get(tally)!;
            const by = tally.size / Math.max(1, held.size);
            const [a, b] = sumsOf(held, working.given);
            return [a * by, b * by];
          },
        });
    const models = await step(pull, cutOf(decision, train), check);
    const heldOut = { ...start.heldOut, models };
    const scored = await scoredBy({ ...heldOut, examples }, score, classes);
    const warm = by !== undefined || classes > 2;
    const cut = bestCut(scored, question, { by, ...(warm && { from: now.cut.decision }) });
    now = standingOf(heldOut, scored, cut);
    if (isBetter(now, best)) best = now;
  }
  return best;
}

/** Thresholds far from all scores say nothing to a slope. */
const clipped = ({ threshold, by, offsets }: Cut["decision"]): Cut["decision"] => {
  const within = (x: number): number => Math.min(15, Math.max(-15, x));
  return {
    ...(threshold !== undefined && { threshold: within(threshold) }),
    ...(by && {
      by: {
        ...by,
        thresholds: Object.fromEntries(Object.entries(by.thresholds).map(([g, x]) => [g, within(x)])),
      },
    }),
    ...(offsets && { offsets: offsets.map(within) }),
  };
};

/** Towards where the excess is what gives way at that price: nothing of what must hold. */
function movePrice(one: Priced, rule: Rule, cut: Cut, { shared }: Question): void {
  const comparison = rule.comparisons[one.comparison];
  const sums = (tally: Tally | undefined) =>
    tally ? sumsOf(tally, cut.given) : ([0, 0] as [number, number]);
  const excess = rule.excess(comparison, sums(comparison.own), sums(comparison.base)) / rule.unit;
  const relaxed = rule.hard ? 0 : (rule.cost ?? shared).relaxationAt(one.price);
  const e = Number.isFinite(relaxed) ? excess - relaxed : -small;
  const sign = Math.sign(e);
  if (one.price === 0 && sign <= 0) return;
  if (one.last !== 0) one.move = Math.min(mostMove, one.move * (sign === one.last ? 1.3 : 0.5));
  one.last = sign;
  one.price = Math.min(
    mostPrice,
    Math.max(0, one.price + sign * one.move * Math.min(1, Math.abs(e) / small)),
  );
}

/** Ten steps of every model, at rows' pulls and a cut. */
async function stepper({ models }: HeldOut, { training, backend, decay, linear, others }: Pressing) {
  const { task, prepared } = training;
  const { train } = prepared;
  const n = train.count;
  const whole = { ...(await task.solvedOn(decay)), decay: full([], decay) };
  const rate = linear ? 0.02 : 0.003;
  const optimizer = adam(
    (at) =>
      at
        .div(checks * inner)
        .neg()
        .add(1)
        .mul(2)
        .minimum(1)
        .mul(rate),
    {
      betas: [0.9, 0.99],
    },
  );
  const requirements = Object.entries(task.problem.requirements).filter(([name]) => others[name]);
  const run = loop(
    (
      state: { params: Traced<Params>; optimizer: unknown },
      { seen, up, down, cut }: { seen: Batch<Tensor>; up: Tensor; down: Tensor; cut: Tensor },
      _: Tensor,
    ) => {
      const value = (params: Traced<Params>): Tensor => {
        const looks = task.looks(params, seen);
        const bias = params[params.length - 1].bias;
        // Its value is as it is; only its slope is held.
        const held = bias.stopGradient().sub(bias);
        const { clean } = looks;
        const look = atThreshold({
          ...clean,
          ...(clean.score
            ? { score: clean.score.add(held.reshape([1])) }
            : { logits: clean.logits.add(held.expandDims(0)) }),
          cut,
        });
        const rest = requirements.map(([name, { loss, sense, level }]) => {
          const found = loss(looks, seen);
          const v = ("value" in found ? found.value : found) as Tensor;
          const { price, relaxation } = others[name];
          const [low, high] = [level].flat() as number[];
          const excess =
            sense === "at least" ? v.neg().add(low) : sense === "at most" ? v.sub(low) : v.sub(high ?? low);
          return excess.mul(price).add(excess.sub(relaxation).relu().pow(2).mul(rho)).sum();
        });
        return rest.reduce(
          (sum, one) => sum.add(one),
          task.problem.objective(looks, seen).add(pulled(look, up, down)),
        );
      };
      const gradient = grad(value)(state.params);
      const { updates, state: next } = optimizer.update(gradient, state.optimizer as never, state.params);
      return {
        state: { params: applyUpdates(state.params, updates), optimizer: next } as never,
        record: full([], 0) as never,
      };
    },
    { backend },
  );
  const seen = models.map(({ fittedTo }) =>
    mapTree(seenOnly(whole, fittedTo), (a: NdArray) => backend.put(a)),
  );
  const shares = models.map(({ fittedTo }) => fittedTo.length / fittedTo.reduce((a, b) => a + b, 0));
  let states: unknown[] = models.map(({ params }) => ({ params, optimizer: optimizer.init(params) }));
  const slices = full([inner], 0);
  return async (pull: { up: Float32Array; down: Float32Array }, cut: NdArray | undefined, _: number) => {
    const columns = pull.up.length / n;
    const shape = columns === 1 ? [n] : [n, columns];
    const found: HeldOut["models"][number][] = [];
    const next: unknown[] = [];
    for (const [m, model] of models.entries()) {
      const own = (of: Float32Array): NdArray =>
        new NdArray(
          of.map((x, at) => x * shares[m] * model.fittedTo[columns === 1 ? at : Math.floor(at / columns)]),
          shape,
        );
      const { state } = await run(
        states[m] as never,
        {
          seen: seen[m],
          up: own(pull.up),
          down: own(pull.down),
          cut: cut ?? full(shape, 0),
        } as never,
        slices as never,
      );
      next.push(state);
      const { params } = state as { params: unknown };
      found.push({ ...model, params: (await readAll(params as never)) as unknown as Params });
    }
    states = next;
    return found;
  };
}
