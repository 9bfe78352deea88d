// Images on the device: of every variant asked for the first of the training set, and the test set, one variant after another.

import { InputError } from "@pliant/core";
import type { Dataset, ImageSet } from "@pliant/data";
import { type Backend, NdArray, type Stored } from "@pliant/engine";
import { quads } from "@pliant/learn";
import type { Images } from "./copies.js";
import type { Variant } from "./recipe.js";
import { withInvariance } from "./variants.js";

/** Images of several variants: those of one begin at `from`. */
export interface Pool {
  readonly all: Images<Stored>;
  /** For one variant. */
  readonly count: number;
  from(variant: Variant): number;
}

export interface Prepared {
  readonly train: Pool;
  readonly test: Pool;
}

export interface Wanted {
  /** The first so many training images. */
  readonly subset?: number;
  readonly variants: readonly Variant[];
}

export function prepare(dataset: Dataset, wanted: Wanted, backend: Backend): Prepared {
  const whole = first(dataset, wanted.subset);
  const sets = wanted.variants.map((variant) => withInvariance(whole, variant));
  const pool = (of: "train" | "test"): Pool => {
    const count = whole[of].shape[0];
    return {
      all: onDevice(
        sets.map((set) => set[of]),
        backend,
      ),
      count,
      from: (variant) => wanted.variants.indexOf(variant) * count,
    };
  };
  return { train: pool("train"), test: pool("test") };
}

function first(dataset: Dataset, subset: number | undefined): Dataset {
  const n = dataset.train.shape[0];
  if (subset === undefined) return dataset;
  if (subset > n)
    throw new InputError(`--subset ${subset} is more than the ${n} training images of ${dataset.name}.`);
  const {
    pixels,
    labels,
    shape: [, ...image],
  } = dataset.train;
  const train = {
    ...dataset.train,
    pixels: pixels.subarray(0, (subset * pixels.length) / n),
    labels: labels.subarray(0, subset),
    shape: [subset, ...image] as const,
  };
  return { ...dataset, train };
}

/** As floats, and where reading memory is what resampling costs, also as words of four pixels. */
function onDevice(sets: readonly ImageSet[], backend: Backend): Images<Stored> {
  const [{ shape }] = sets;
  const n = sets.length * shape[0];
  const imageSize = shape.slice(1).reduce((a, b) => a * b, 1);
  const pixels = new Uint8Array(n * imageSize);
  const labels = new Int32Array(n);
  for (const [i, set] of sets.entries()) {
    pixels.set(set.pixels, i * set.pixels.length);
    labels.set(set.labels, i * shape[0]);
  }
  const shades = Float32Array.from({ length: 256 }, (_, i) => i / 255);
  const floats = new Float32Array(pixels.length);
  for (let i = 0; i < pixels.length; i++) floats[i] = shades[pixels[i]];
  const put = (value: NdArray): Stored => backend.put(value);
  return {
    images: put(new NdArray(floats, [n, ...shape.slice(1)])),
    labels: put(new NdArray(labels, [n])),
    ...(backend.name === "xla" && { quads: put(quads(pixels, [n, shape[2], shape[3]])) }),
  };
}
