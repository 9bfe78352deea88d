// Images resampled under affine maps of their coordinates: bilinear, zeros outside, differentiable in images and matrices.

import { unknownName } from "@pliant/core";
import { array, type DType, gridSample, type NdArray, type Tensor } from "@pliant/engine";

/**
 * Where −1 and 1 lie, for pixel j of W:
 * `edges`: at the outer edges of the image, pixel j at (2j + 1)/W − 1;
 * `centres`: at the centres of the outermost pixels, pixel j at −1 + 2j/(W − 1);
 * `mixed`: pixels placed by centres, the image read by edges. The published invariance experiments do so; it is an enlargement
 * of coordinates by W/(W − 1) on top of the transform, and of use only to compare with them.
 */
export type Corners = "edges" | "centres" | "mixed";

type Place = "edges" | "centres";

const known: Record<Corners, { placed: Place; read: Place }> = {
  edges: { placed: "edges", read: "edges" },
  centres: { placed: "centres", read: "centres" },
  mixed: { placed: "centres", read: "edges" },
};

export function conventions(corners: Corners): { placed: Place; read: Place } {
  if (!Object.hasOwn(known, corners)) throw unknownName("a corner convention", corners, Object.keys(known));
  return known[corners];
}

/** Where pixel j of an axis lies in −1 … 1. */
export const pixelPlace = (j: number, size: number, placed: Place): number =>
  placed === "edges" ? (2 * j + 1) / size - 1 : size === 1 ? 0 : -1 + (2 * j) / (size - 1);

/**
 * Images [..., C, H, W] under matrices [..., 2, 3], one an image. The matrices may have further leading axes: images [B, C, H, W]
 * under matrices [K, B, 2, 3] give K transforms of each, [K, B, C, H, W].
 */
export function transform(
  images: Tensor,
  matrices: Tensor,
  { corners = "edges" }: { corners?: Corners } = {},
): Tensor {
  const { placed, read } = conventions(corners);
  const lead = matrices.shape.slice(0, -2);
  const count = lead.reduce((n, d) => n * d, 1);
  const [channels, height, width] = images.shape.slice(-3);
  const repeated = images
    .broadcastTo([...lead, channels, height, width])
    .reshape([count, channels, height, width]);
  // One product for all coordinates of all images, which leaves them as gridSample reads them.
  const grid = matrices.reshape([count, 6]).matmul(coordinates(height, width, placed, images.dtype));
  return gridSample(repeated, grid.reshape([count, height, width, 2]), {
    alignCorners: read === "centres",
  }).reshape([...lead, channels, height, width]);
}

/** Turns a matrix (a b c; d e f), as a row of six, into the places (ax + by + c, dx + ey + f) of all pixels: [6, H·W·2]. */
function coordinates(height: number, width: number, placed: Place, dtype: DType): NdArray {
  const pixels = Array.from({ length: height * width }, (_, i) => [
    pixelPlace(i % width, width, placed),
    pixelPlace(Math.floor(i / width), height, placed),
    1,
  ]);
  const row = (entry: number): number[] =>
    pixels.flatMap((p) => (entry < 3 ? [p[entry], 0] : [0, p[entry - 3]]));
  return array([0, 1, 2, 3, 4, 5].map(row), { dtype });
}
