// What steps on minibatches need to know of their noise. A batch estimates a slack with an error that may be many times the slack itself,
// and the slope of the Lagrangian likewise, so both are followed by running means: of all that was seen, up to `memory` steps, and from
// then on with the weight w = 1/memory for what is new.
//
//   – m and q, the means of a slack g and of g²: prices follow m. v = q − m² is the noise of one batch, v·w that of the mean: on a side
//     of its level is what is farther from it than 1.5 √(v·w). A price that followed g itself would be pushed off 0 by noise, and up.
//   – A step counts by the share s/(s + v), with s = (m − u)² − v·w, what is left of the distance from the relaxed level without noise:
//     all of it far away, hardly any where noise is all that is seen; never none, since what is not followed cannot be corrected.
//   – ḡ and the mean of ‖g‖² for the gradients g that parameters follow: ‖ḡ‖² less its share of noise is the slope squared.
import { full, leaves, mapTree, type NdArray, type Tensor, where, zipTrees } from "@pliant/engine";

export interface Noise<T = Tensor> {
  /** One vector a group: m, q, and how often an element was observed. */
  readonly means: readonly T[];
  readonly squares: readonly T[];
  readonly seen: readonly T[];
  /** ḡ, the mean of ‖g‖², and the number of steps. */
  readonly gradient: unknown;
  readonly lengths: T;
  readonly steps: T;
}

/** Steps that running means remember. */
const memory = 50;
const significant = 1.5;
/** The least share of its rate that a price moves by. */
const least = 0.003;

export function firstNoise(zeros: readonly NdArray[], params: unknown, zero: NdArray): Noise<NdArray> {
  const nothing = (x: NdArray): NdArray => full(x.shape, 0, x.dtype);
  return {
    means: zeros,
    squares: zeros,
    seen: zeros,
    gradient: mapTree(params, nothing),
    lengths: zero,
    steps: zero,
  };
}

export const isNoisy = <T>(noise: Noise<T> | readonly []): noise is Noise<T> => !Array.isArray(noise);

const weightOf = (seen: Tensor): Tensor => seen.clip(1, memory).pow(-1);

/** The running mean of each slack, with what a step saw of it. */
export const heardMeans = (
  noise: Noise,
  slacks: readonly Tensor[],
  observed: readonly (Tensor | undefined)[] | undefined,
  /** Groups that are taken as a step saw them. */
  asSeen: readonly boolean[] = [],
): Tensor[] =>
  slacks.map((g, i) =>
    asSeen[i] ? g : towards(noise.means[i], g, heardWeight(noise, i, observed?.[i]).weight),
  );

function heardWeight(
  noise: Noise,
  i: number,
  observed: Tensor | undefined,
): { seen: Tensor; weight: Tensor } {
  const seen = noise.seen[i].add(observed ?? 1);
  return { seen, weight: observed ? weightOf(seen).mul(observed) : weightOf(seen) };
}

const towards = (mean: Tensor, now: Tensor, weight: Tensor): Tensor => mean.add(now.sub(mean).mul(weight));

/** One more step: the slacks of a batch, those that it observed, and the gradient that parameters followed. */
export function withHeard(
  noise: Noise,
  slacks: readonly (Tensor | undefined)[],
  observed: readonly (Tensor | undefined)[] | undefined,
  gradient: unknown,
): Noise {
  const each = noise.means.map((mean, i) => {
    const [square, g] = [noise.squares[i], slacks[i]];
    if (!g) return { mean, square, seen: noise.seen[i] };
    const { seen, weight } = heardWeight(noise, i, observed?.[i]);
    return { mean: towards(mean, g, weight), square: towards(square, g.mul(g), weight), seen };
  });
  const steps = noise.steps.add(1);
  const weight = weightOf(steps);
  return {
    means: each.map(({ mean }) => mean),
    squares: each.map(({ square }) => square),
    seen: each.map(({ seen }) => seen),
    gradient: zipTrees(
      (mean: Tensor, now: Tensor) => towards(mean, now, weight),
      noise.gradient as Tensor,
      gradient as Tensor,
    ),
    lengths: towards(noise.lengths, squareOf(gradient), weight),
    steps,
  };
}

/** v of a group, and v·w. */
function noiseOf({ means, squares, seen }: Noise, i: number): { ofOne: Tensor; ofMean: Tensor } {
  const ofOne = squares[i].sub(means[i].mul(means[i])).relu();
  return { ofOne, ofMean: ofOne.mul(weightOf(seen[i])) };
}

/** How far from its level the mean of a group must be to be on a side. */
export const errorOf = (noise: Noise, i: number): Tensor => noiseOf(noise, i).ofMean.sqrt().mul(significant);

/** The share of its own rate that each price of a group moves by, at relaxations u. */
export function shareOf(noise: Noise, i: number, u: Tensor): Tensor {
  const { ofOne, ofMean } = noiseOf(noise, i);
  const over = noise.means[i].sub(u);
  const signal = over.mul(over).sub(ofMean).relu();
  // Before anything was seen there is no noise to mind.
  return where(noise.seen[i].gt(0), signal.div(signal.add(ofOne).maximum(1e-30)).maximum(least), 1);
}

/** The slope of the Lagrangian, without what noise adds to it. */
export function slopeIn(noise: Noise): Tensor {
  const square = squareOf(noise.gradient);
  const share = noise.lengths.sub(square).relu().mul(weightOf(noise.steps));
  return square.sub(share).relu().sqrt();
}

const squareOf = (tree: unknown): Tensor =>
  leaves(tree)
    .map(({ leaf }) => (leaf as Tensor).mul(leaf as Tensor).sum())
    .reduce((a, b) => a.add(b));
