// A recipe's images on the device: the first of the training set, with the variant's invariance, and the test set in parts.
import { type Dataset, type ImageSet, loadDataset } from "@pliant/data";
import { type Backend, NdArray, type Stored } from "@pliant/engine";
import { InputError } from "pliant";
import type { Recipe } from "./recipe.js";
import type { TrainingData } from "./training.js";
import { withInvariance } from "./variants.js";

export interface Prepared {
  readonly train: TrainingData<Stored>;
  readonly images: number;
  /** The test images in equal parts. */
  readonly test: readonly TrainingData<Stored>[];
  readonly tested: number;
}

/** `folder` is where the dataset's files lie. */
export async function prepare(recipe: Recipe, backend: Backend, folder?: string): Promise<Prepared> {
  const whole = await loadDataset(recipe.dataset, { folder });
  const { train, test }: Dataset = withInvariance(first(whole, recipe.subset), recipe.variant);
  const parts = Math.ceil(test.shape[0] / 2000);
  const size = Math.floor(test.shape[0] / parts);
  return {
    train: onDevice(train, backend),
    images: train.shape[0],
    test: Array.from({ length: parts }, (_, i) => onDevice(rows(test, i * size, (i + 1) * size), backend)),
    tested: parts * size,
  };
}

function rows(set: ImageSet, from: number, to: number): ImageSet {
  const [, ...image] = set.shape;
  const each = image.reduce((a, b) => a * b, 1);
  return {
    ...set,
    pixels: set.pixels.subarray(from * each, to * each),
    labels: set.labels.subarray(from, to),
    shape: [to - from, ...image],
  };
}

function first(dataset: Dataset, subset: number | undefined): Dataset {
  const n = dataset.train.shape[0];
  if (subset === undefined) return dataset;
  if (subset > n)
    throw new InputError(`--subset ${subset} is more than the ${n} training images of ${dataset.name}.`);
  return { ...dataset, train: rows(dataset.train, 0, subset) };
}

function onDevice({ pixels, shape, labels }: ImageSet, backend: Backend): TrainingData<Stored> {
  const shades = new Float32Array(pixels.length);
  for (let i = 0; i < pixels.length; i++) shades[i] = pixels[i] / 255;
  return {
    images: backend.put(new NdArray(shades, shape)),
    labels: backend.put(new NdArray(Int32Array.from(labels), [labels.length])),
  };
}
