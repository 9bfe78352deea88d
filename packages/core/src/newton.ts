// Newton's step, for models whose losses are smooth and convex: to the minimum of the Lagrangian as it is bent here,
//
//   H d = −g,   θ ← θ + d,
//
// by conjugate gradients, which need H times a vector and never H itself. Where nothing bends, or nothing is left, they end. No step
// is longer than the parameters are, or than one: far from the minimum what is bent here says little of what is there.
//
// The slope of what is priced by counts is that of no function (stand-ins weigh examples by where they are, prices follow counts), so
// whole steps may go to and fro between two points for ever. A step that turns back on the one before, and is no shorter than three
// quarters of it, is taken by half as much, and the next ones by 1.2 as much again up to the whole.
import {
  array,
  full,
  leaves,
  mapTree,
  type NdArray,
  scan,
  type Tensor,
  where,
  zipTrees,
} from "@pliant/engine";
import { PliantError } from "./errors.js";
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
}

const map = (f: (...x: Tensor[]) => Tensor, ...trees: [Tree, ...Tree[]]): Tree =>
  zipTrees(f, trees[0], ...trees.slice(1));

const dot = (a: Tree, b: Tree): Tensor =>
  leaves(map((x, y) => x.mul(y).sum(), a, b))
    .map(({ leaf }) => leaf as Tensor)
    .reduce((x, y) => x.add(y));

/** A step turns back where the cosine between it and the last is below minus this, and dies out where it is so much shorter. */
const [turned, dying] = [0.5, 0.75];

/**
 * Newton's steps H·d = −g for losses that are smooth and convex, by conjugate gradients with so many products with H a step; H
 * itself is never formed.
 */
export function newton({ products = 8 }: { /** With H, in a step. */ products?: number } = {}): Optimizer {
  if (!(Number.isInteger(products) && products > 0))
    throw new PliantError(`newton: products must be a whole number from 1, got ${products}.`);
  return {
    init: (params) => ({
      share: full([], 1, (leaves(params)[0].leaf as NdArray).dtype),
      last: mapTree(params, (p: NdArray) => full(p.shape, 0, p.dtype)),
    }),
    strides: 5,
    update: (gradient, { share: before, last }: Trodden, params, curvature) => {
      if (!curvature)
        throw new PliantError("newton: it needs the curvature, which a solver's step gives it.");
      const down = map((g) => g.neg(), gradient);
      const further = ({ found, left, square, along }: Search): Search => {
        const bent = curvature(along);
        const bend = dot(along, bent);
        const some = bend.gt(0).and(square.gt(0));
        const share = (x: Tensor, of: Tensor): Tensor => where(some, x.div(where(some, of, 1)), 0);
        const length = share(square, bend);
        const rest = map((r, h) => r.sub(h.mul(length)), left, bent);
        const next = dot(rest, rest);
        const turn = share(next, square);
        return {
          found: map((d, p) => d.add(p.mul(length)), found, along),
          left: rest,
          square: next,
          along: map((r, p) => r.add(p.mul(turn)), rest, along),
        };
      };
      const { found } = scan(
        (search: Search) => ({ state: further(search) as never, record: {} }),
        {
          found: mapTree(gradient, (g: Tensor) => g.mul(0)),
          left: down,
          square: dot(down, down),
          along: down,
        } as never,
        array(new Float32Array(products)) as never,
      ).state as unknown as Search;
      const most = dot(params, params).sqrt().maximum(1);
      const factor = most.div(dot(found, found).sqrt().maximum(1e-30)).minimum(1);
      const whole = map((d) => d.mul(factor), found);
      const [length, lengthBefore] = [dot(whole, whole).sqrt(), dot(last, last).sqrt()];
      const back = dot(whole, last).lt(length.mul(lengthBefore).mul(-turned));
      const shrinks = length.lt(lengthBefore.mul(dying));
      const share = where(back.and(shrinks.not()), before.mul(0.5), before.mul(1.2).minimum(1));
      const updates = map((d) => d.mul(share), whole);
      return { updates, state: { share, last: whole } satisfies Trodden };
    },
  };
}
