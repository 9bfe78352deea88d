// Transformed copies of a batch: for each requirement some copies of every image, each under a transformation drawn
// uniformly. Numbers are drawn where the step runs; all copies are resampled in one operation.
import { concat, constant, gather, NdArray, type Tensor, uniformFrom, where } from "@pliant/engine";
import {
  augerinoMatrices,
  type Corners,
  rotation,
  scaling,
  transform,
  transformQuads,
  translation,
} from "@pliant/learn";
import type { Recipe } from "./recipe.js";

/** Images [N, 1, H, W] and labels [N] on the device; with the images as words of four bytes where those are resampled. */
export interface Images<T = Tensor> {
  readonly images: T;
  readonly labels: T;
  readonly quads?: T;
}

/** Inputs of one step: rows [S, B] of the images, and keys [S, 2]. */
export interface Slice<T = Tensor> {
  readonly rows: T;
  readonly keys: T;
}

/** Images [S, B, 1, H, W] and labels [S, B] of a stack, a key [S, 2] for each entry's numbers, and the images under matrices. */
export interface Batch {
  readonly images: Tensor;
  readonly labels: Tensor;
  readonly keys: Tensor;
  /** Matrices [S, K, B, 2, 3] give [S, K, B, 1, H, W]. */
  under(matrices: Tensor, corners?: Corners): Tensor;
}

/** Images and labels of the rows of a step. */
export function chosen({ images: all, labels, quads }: Images, { rows, keys }: Slice): Batch {
  const images = gather(all, rows);
  const [height, width] = all.shape.slice(-2);
  return {
    images,
    labels: gather(labels, rows),
    keys,
    under: (matrices, corners = "edges") =>
      quads
        ? transformQuads(quads, rows, matrices, { height, width, corners })
        : transform(images.expandDims(1), matrices, { corners }),
  };
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
export function requirementCopies(recipe: Recipe, batch: Batch): { copies: Tensor; chances: Tensor } {
  const { samples: n } = recipe;
  const [s, b, , size] = batch.images.shape;
  const u = uniformFrom(batch.keys, [4 * n + 3 * (n - 1), b]);
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
  return { copies: batch.under(matrices), chances };
}

/** One copy of every image, under one of the three transformations, all equally likely. */
export function uniformCopies(recipe: Recipe, batch: Batch): Tensor {
  const [s, b, , size] = batch.images.shape;
  const u = uniformFrom(batch.keys, [5, b]);
  const row = (i: number): Tensor => u.slice([[], [i, i + 1]]);
  const of = matricesFor(recipe, size);
  const which = row(0).reshape([s, 1, b, 1, 1]);
  const matrices = where(
    which.lt(1 / 3),
    of.rotation(row(1)),
    where(which.lt(2 / 3), of.translation(row(2), row(3)), of.scale(row(4))),
  );
  return batch.under(matrices).reshape(batch.images.shape);
}

/** `samples` copies [S, n, B, 1, H, W] under Augerino's distribution with widths η [S, 6]. */
export function augerinoCopies({ samples: n }: Recipe, eta: Tensor, batch: Batch): Tensor {
  const [s, b] = batch.images.shape;
  const k = spread(uniformFrom(batch.keys, [n * b, 6]), 1);
  return batch.under(augerinoMatrices(eta, k).reshape([s, n, b, 2, 3]), "centres");
}
