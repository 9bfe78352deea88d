// Transformed copies of a batch: for each requirement some copies of every image, each under a transformation drawn
// uniformly. Numbers are drawn where the step runs; all copies are resampled in one operation.
import { concat, constant, NdArray, type Tensor, uniformFrom, where } from "@pliant/engine";
import { augerinoMatrices, rotation, scaling, transform, translation } from "@pliant/learn";
import type { Recipe } from "./recipe.js";

/** Images [S, B, 1, H, W] and labels [S, B] of a stack of S models, and a key [S, 2] for each model's numbers. */
export interface Batch<T = Tensor> {
  readonly images: T;
  readonly labels: T;
  readonly keys: T;
}

/** U(−1, 1) times a bound, from U(0, 1). */
const spread = (u: Tensor, bound: number): Tensor => u.mul(2 * bound).sub(bound);

/** The largest transformations asked for: half a turn, a shift in half images, a factor of e^±1.5. */
const turn = Math.PI;
const logScale = 1.5;

/** Sampling by edges on a grid by centres spreads it by n/(n − 1), as the published code does to all but rotations. */
function asPublished(matrices: Tensor, mixed: boolean, size: number): Tensor {
  const factor = mixed ? size / (size - 1) : 1;
  return matrices.mul(constant(new NdArray(Float32Array.of(factor, factor, 1), [3])));
}

/** One matrix [..., 2, 3] for each number [...] of a kind. */
function matricesFor(recipe: Recipe, size: number) {
  return {
    rotation: (u: Tensor) => rotation(spread(u, turn)),
    translation: (x: Tensor, y: Tensor) =>
      asPublished(translation(spread(x, recipe.shift), spread(y, recipe.shift)), recipe.mixedCorners, size),
    scale: (u: Tensor) => asPublished(scaling(spread(u, logScale)), recipe.mixedCorners, size),
  };
}

/** For each requirement `samples` copies [S, 3·samples, B, 1, H, W], and numbers [samples − 1, S, 3, B] for their chains. */
export function requirementCopies(
  recipe: Recipe,
  { images, keys }: Batch,
): { copies: Tensor; chances: Tensor } {
  const { samples: n } = recipe;
  const [s, b, , size] = images.shape;
  const u = uniformFrom(keys, [4 * n + 3 * (n - 1), b]);
  const rows = (from: number, to: number): Tensor => u.slice([[], [from, to]]);
  const of = matricesFor(recipe, size);
  const matrices = concat(
    [
      of.rotation(rows(0, n)),
      of.translation(rows(n, 2 * n), rows(2 * n, 3 * n)),
      of.scale(rows(3 * n, 4 * n)),
    ],
    1,
  );
  const chances = rows(4 * n, 7 * n - 3)
    .reshape([s, n - 1, 3, b])
    .transpose([1, 0, 2, 3]);
  return { copies: transform(images.expandDims(1), matrices), chances };
}

/** One copy of every image, under one of the three transformations, all equally likely. */
export function uniformCopies(recipe: Recipe, { images, keys }: Batch): Tensor {
  const [s, b, , size] = images.shape;
  const u = uniformFrom(keys, [5, b]);
  const row = (i: number): Tensor => u.slice([[], [i, i + 1]]);
  const of = matricesFor(recipe, size);
  const which = row(0).reshape([s, 1, b, 1, 1]);
  const matrices = where(
    which.lt(1 / 3),
    of.rotation(row(1)),
    where(which.lt(2 / 3), of.translation(row(2), row(3)), of.scale(row(4))),
  );
  return transform(images.expandDims(1), matrices).reshape(images.shape);
}

/** `samples` copies [S, n, B, 1, H, W] under Augerino's distribution with widths η [S, 6]. */
export function augerinoCopies({ samples: n }: Recipe, eta: Tensor, { images, keys }: Batch): Tensor {
  const [s, b] = images.shape;
  const k = spread(uniformFrom(keys, [n * b, 6]), 1);
  return transform(images.expandDims(1), augerinoMatrices(eta, k).reshape([s, n, b, 2, 3]), {
    corners: "centres",
  });
}
