// Newton's step, for models whose losses are smooth and convex: to the minimum of the Lagrangian as it is bent here,
//
//   H d = −g,   θ ← θ + t d,
//
// by conjugate gradients, which need H times a vector and never H itself. They end where a direction hardly bends beside those before
// it, or hardly anything is left: of columns that say the same what remains is rounding, and a step along it would be of any length.
// Where nothing bends at all, scores being so large that all answers are sure, d is down the slope; where it bends down, prices being
// on their way back, there is no minimum to go to. No step is longer than the parameters
// are, or than one: far from the minimum what is bent here says little of what is there. For the same reason a step that ends on the far
// side of a valley, where the slope along it is no less than half of what it was and up, is shortened to where a secant has its bottom,
// twice: t = φ′(0)/(φ′(0) − φ′(1)) for φ(t) = ℓ(θ + t d).
//
// The slope of what is priced by counts is that of no function (stand-ins weigh examples by where they are, prices follow counts), so
// whole steps may go to and fro between two points for ever. A step that turns back on the one before, and is no shorter than three
// quarters of it, is taken by half as much, and the next ones by 1.2 as much again up to the whole.
import { array, full, leaves, mapTree, type NdArray, scan, type Tensor, where } from "@pliant/engine";
import { epsilonOf } from "../costs/weight.js";
import { PliantError, wholeNumber } from "../errors.js";
import { dotOf, mapTrees, zerosLike } from "../problem/trees.js";
import { onlyNames } from "../problem/validate.js";
import type { Optimizer } from "./optimizer.js";

type Tree = unknown;

interface Trodden {
  /** The share of a step that is taken. */
  readonly share: Tensor;
  readonly last: Tree;
}

interface Search {
  readonly found: Tree;
  /** −g − H·found, its square, and where to look next. */
  readonly left: Tree;
  readonly square: Tensor;
  readonly along: Tree;
  /** The largest p·Hp/p·p so far. */
  readonly bent: Tensor;
}

/** What rounding leaves of a direction, in units of it. */
const roundings = 8;
/** The slope at the end of a step, relative to that at its beginning, above which it went too far. */
const overshot = 0.5;
/** A step turns back where the cosine between it and the last is below minus this, and dies out where it is so much shorter. */
const [turned, dying] = [0.5, 0.75];

/**
 * Newton's steps H·d = −g for losses that are smooth and convex, by conjugate gradients with so many products with H a step; H
 * itself is never formed.
 */
export function newton(
  options: { /** With H, in a step; 8 unless given. */ products?: number } = {},
): Optimizer {
  onlyNames("newton: ", "an option", options, { products: true });
  const { products = 8 } = options;
  wholeNumber("newton: products", products);
  return {
    init: (params) => ({
      share: full([], 1, (leaves(params)[0].leaf as NdArray).dtype),
      last: zerosLike(params),
    }),
    strides: 5,
    byCurvature: true,
    update: (gradient, { share: before, last }: Trodden, params, around) => {
      if (!around) throw new PliantError("newton: it needs the curvature, which a solver's step gives it.");
      const { curvature, slopeAt } = around;
      const down = mapTrees((g) => g.neg(), gradient);
      const first = dotOf(down, down);
      const longest = dotOf(params, params).sqrt().maximum(1);
      const nothing = roundings * epsilonOf(first);
      const further = ({ found, left, square, along, bent: most }: Search): Search => {
        const bent = curvature(along);
        const bend = dotOf(along, bent);
        const own = bend.div(dotOf(along, along).maximum(1e-30));
        const some = own.gt(most.relu().mul(nothing)).and(square.gt(first.mul(nothing * nothing)));
        const share = (x: Tensor, of: Tensor): Tensor => where(some, x.div(where(some, of, 1)), 0);
        // Beyond the longest step nothing is looked for.
        const far = longest.mul(2).div(dotOf(along, along).sqrt().maximum(1e-30));
        const length = share(square, bend).minimum(far);
        const rest = mapTrees((r, h) => r.sub(h.mul(length)), left, bent);
        const next = where(length.lt(far), dotOf(rest, rest), 0);
        const turn = share(next, square);
        return {
          found: mapTrees((d, p) => d.add(p.mul(length)), found, along),
          left: rest,
          square: next,
          along: mapTrees((r, p) => r.add(p.mul(turn)), rest, along),
          bent: most.maximum(own),
        };
      };
      const { found, bent } = scan(
        (search: Search) => ({ state: further(search) as never, record: {} }),
        {
          found: mapTree(gradient, (g: Tensor) => g.mul(0)),
          left: down,
          square: first,
          along: down,
          bent: first.mul(0).sub(1e30),
        } as never,
        array(new Float32Array(products)) as never,
      ).state as unknown as Search;
      const size = dotOf(found, found).sqrt();
      const flat = size.eq(0).and(bent.ge(0));
      const factor = longest.div(where(flat, first.sqrt(), size).maximum(1e-30));
      const towards = mapTrees((d, g) => where(flat, g.mul(factor), d.mul(factor.minimum(1))), found, down);
      const short = slopeAt ? shortOf(towards, gradient, params, slopeAt) : undefined;
      const whole = short ? mapTrees((d) => d.mul(short), towards) : towards;
      const [length, lengthBefore] = [dotOf(whole, whole).sqrt(), dotOf(last, last).sqrt()];
      const back = dotOf(whole, last).lt(length.mul(lengthBefore).mul(-turned));
      const shrinks = length.lt(lengthBefore.mul(dying));
      const share = where(back.and(shrinks.not()), before.mul(0.5), before.mul(1.2).minimum(1));
      const updates = mapTrees((d) => d.mul(share), whole);
      return { updates, state: { share, last: whole } satisfies Trodden };
    },
  };
}

/** The share of a step at which the slope along it is about 0, where at its end it is well above. */
function shortOf(step: Tree, gradient: Tree, params: Tree, slopeAt: (at: Tree) => Tree): Tensor {
  const start = dotOf(gradient, step);
  const slopeOf = (t: Tensor): Tensor =>
    dotOf(slopeAt(mapTrees((p, d) => p.add(d.mul(t)), params, step)), step);
  const isFar = (slope: Tensor): Tensor => slope.gt(start.abs().mul(overshot));
  const bottom = (t: Tensor, slope: Tensor): Tensor =>
    where(isFar(slope), t.mul(start.div(start.sub(slope).minimum(-1e-30))), t);
  const one = start.mul(0).add(1);
  const once = bottom(one, slopeOf(one));
  return bottom(once, slopeOf(once));
}
