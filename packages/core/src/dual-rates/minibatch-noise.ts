// What steps on minibatches need to know of their noise. A batch estimates a slack with an error that may be many times the slack itself,
// and the slope of the Lagrangian likewise, so both are followed by running means: of everything seen, up to `memory` steps, and from then on
// with the weight w = 1/memory for what is new.
//
//   – m and q, the means of a slack g and of g², and v, that of half the square of its change between batches: the noise of one batch,
//     whatever way the model is on, and v·w that of the mean. A side of its level begins 1.5 √(v·w) away from it. A price that followed g
//     itself would be pushed off 0 by noise, and up.
//   – A price that followed m alone would be as late as m, and that of a hard requirement would swing ever farther. So prices follow
//     m + t(g − m), with t = 1 − 4v/(q − m²), at least w: m where slacks vary by noise, g where they vary with the model.
//   – A step counts by the share s/(s + v), s the squared distance from the relaxed level less its noise: all of it far away, hardly any
//     where all is noise; never none, since what is not followed cannot be corrected.
//   – For the gradients g that parameters follow likewise: ḡ, the means of ‖g‖² and of half the squared length of its change, and the last
//     g. ‖ḡ + t(g − ḡ)‖² less its share of noise is the slope squared. That of ḡ alone is about 0 where prices swing.
import { type NdArray, type Tensor, where } from "@pliant/engine";
import { dotOf, mapTrees, zerosLike } from "../problem/trees.js";
import { groupOf, type PerGroup, perGroup } from "./per-group.js";

/** A group's memory: m, q, v, the last g, and how often an element was observed. */
interface Heard<T> {
  readonly means: T;
  readonly squares: T;
  readonly changes: T;
  readonly last: T;
  readonly seen: T;
}

export interface Noise<T = Tensor> extends PerGroup<Heard<T>> {
  /** ḡ, the last g, the mean of ‖g‖² and of half of what it changed by, squared, and the number of steps. */
  readonly gradient: unknown;
  readonly lastGradient: unknown;
  readonly lengths: T;
  readonly turns: T;
  readonly steps: T;
}

const heard = { means: 0, squares: 0, changes: 0, last: 0, seen: 0 };

/** Steps that running means remember. */
const memory = 50;
const significant = 1.5;
/** The least share of its rate that a price moves by. */
const least = 0.003;
/** Where noise is this share of what a slack varies by, or more, prices follow its mean. */
const mostlyNoise = 0.25;

export function firstNoise(zeros: readonly NdArray[], params: unknown, zero: NdArray): Noise<NdArray> {
  return {
    ...perGroup(heard, () => zeros),
    gradient: zerosLike(params),
    lastGradient: zerosLike(params),
    lengths: zero,
    turns: zero,
    steps: zero,
  };
}

export const isNoisy = <T>(noise: Noise<T> | readonly []): noise is Noise<T> => !Array.isArray(noise);

const weightOf = (seen: Tensor): Tensor => seen.clip(1, memory).pow(-1);

/** What prices follow of each slack, with what a step saw of it. */
export const heardMeans = (
  noise: Noise,
  slacks: readonly Tensor[],
  observed: readonly (Tensor | undefined)[] | undefined,
  /** Groups that are taken as a step saw them. */
  asSeen: readonly boolean[] = [],
): Tensor[] =>
  slacks.map((g, i) => {
    if (asSeen[i]) return g;
    const { weight } = heardWeight(noise, i, observed?.[i]);
    const [trust, seen] = [trustOf(noise, i), observed?.[i]];
    return towards(noise.means[i], g, weight.maximum(seen ? trust.mul(seen) : trust));
  });

function heardWeight(
  noise: Noise,
  i: number,
  observed: Tensor | undefined,
): { seen: Tensor; weight: Tensor } {
  const seen = noise.seen[i].add(observed ?? 1);
  return { seen, weight: observed ? weightOf(seen).mul(observed) : weightOf(seen) };
}

/** Of what was observed before, and is again. */
const changeWeight = (before: Tensor, observed: Tensor | undefined): Tensor => {
  const weight = weightOf(before).mul(before.minimum(1));
  return observed ? weight.mul(observed) : weight;
};

const towards = (mean: Tensor, now: Tensor, weight: Tensor): Tensor => mean.add(now.sub(mean).mul(weight));

const treeTowards = (mean: unknown, now: unknown, weight: Tensor): unknown =>
  mapTrees((m, x) => towards(m, x, weight), mean, now);

/** One more step: the slacks of a batch, those that it observed, and the gradient that parameters followed. */
export function withHeard(
  noise: Noise,
  slacks: readonly (Tensor | undefined)[],
  observed: readonly (Tensor | undefined)[] | undefined,
  gradient: unknown,
): Noise {
  const each = (i: number): Heard<Tensor> => {
    const now = groupOf(noise, heard, i);
    const g = slacks[i];
    if (!g) return now;
    const { seen, weight } = heardWeight(noise, i, observed?.[i]);
    const changed = g.sub(now.last);
    return {
      means: towards(now.means, g, weight),
      squares: towards(now.squares, g.mul(g), weight),
      // What is seen for the first time has not changed.
      changes: towards(now.changes, changed.mul(changed).mul(0.5), changeWeight(now.seen, observed?.[i])),
      last: observed?.[i] ? towards(now.last, g, observed[i]) : g,
      seen,
    };
  };
  const groups = noise.means.map((_, i) => each(i));
  const steps = noise.steps.add(1);
  const weight = weightOf(steps);
  const turned = mapTrees((now, last) => now.sub(last), gradient, noise.lastGradient);
  return {
    ...perGroup(heard, (_, name) => groups.map((group) => group[name])),
    gradient: treeTowards(noise.gradient, gradient, weight),
    lastGradient: gradient,
    lengths: towards(noise.lengths, squareOf(gradient), weight),
    turns: towards(noise.turns, squareOf(turned).mul(0.5), changeWeight(noise.steps, undefined)),
    steps,
  };
}

/** v of a group, and that of what prices follow. */
function noiseOf(noise: Noise, i: number): { ofOne: Tensor; ofFollowed: Tensor } {
  const ofOne = noise.changes[i];
  return { ofOne, ofFollowed: ofOne.mul(weightOf(noise.seen[i]).maximum(trustOf(noise, i))) };
}

/** t of a group: how much of a slack's way from its mean is the model's. */
function trustOf({ means, squares, changes }: Noise, i: number): Tensor {
  return trusted(squares[i].sub(means[i].mul(means[i])).relu(), changes[i]);
}

const trusted = (varies: Tensor, noise: Tensor): Tensor =>
  varies.sub(noise.div(mostlyNoise)).relu().div(varies.maximum(1e-30));

/** How far from its level the mean of a group must be to be on a side. */
export const errorOf = (noise: Noise, i: number): Tensor =>
  noiseOf(noise, i).ofFollowed.sqrt().mul(significant);

/** The share of its own rate that each price of a group moves by, at relaxations u. */
export function shareOf(noise: Noise, i: number, u: Tensor): Tensor {
  const { ofOne, ofFollowed } = noiseOf(noise, i);
  const over = towards(noise.means[i], noise.last[i], trustOf(noise, i)).sub(u);
  const signal = over.mul(over).sub(ofFollowed).relu();
  // Before anything was seen there is no noise to mind.
  return where(noise.seen[i].gt(0), signal.div(signal.add(ofOne).maximum(1e-30)).maximum(least), 1);
}

/** The slope of the Lagrangian, without what noise adds to it. */
export function slopeIn({ gradient, lastGradient, lengths, turns, steps }: Noise): Tensor {
  const trust = trusted(lengths.sub(squareOf(gradient)).relu(), turns);
  const share = turns.mul(weightOf(steps).maximum(trust));
  return squareOf(treeTowards(gradient, lastGradient, trust))
    .sub(share)
    .relu()
    .sqrt();
}

const squareOf = (tree: unknown): Tensor => dotOf(tree, tree);
