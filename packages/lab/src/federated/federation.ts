// A recipe's clients: the dataset thinned, permuted and dealt as the published experiments do, from one seed.

import {
  clientTestSets,
  type Dataset,
  dirichletPartition,
  type ImageSet,
  minorityShares,
  mixPartition,
  type NumpyStream,
  numpyStream,
  thinned,
  torchStream,
} from "@pliant/data";
import { NdArray } from "@pliant/engine";
import { type FederatedData, flipAndCrop, type Pool, type SimulationOptions } from "@pliant/federated";
import { convnet, type Model, mlp, type Params } from "@pliant/learn";
import { torchDraws } from "../torch-draws.js";
import type { DatasetName, Recipe } from "./recipe.js";

export interface Federation {
  readonly data: FederatedData;
  readonly minorityShares: readonly number[];
  readonly model: Model<Params>;
  /** The first model, from the numbers torch would draw next. */
  readonly params: Params;
}

/** Mean and deviation of each channel that pixels between 0 and 1 are standardised with. */
const standards: Record<DatasetName, { mean: readonly number[]; deviation: readonly number[] }> = {
  mnist: { mean: [0.1307], deviation: [0.3081] },
  strokes: { mean: [0.1307], deviation: [0.3081] },
  "fashion-mnist": { mean: [0], deviation: [1] },
  // ImageNet's, as published.
  "cifar-10": { mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] },
};

/** Flips and crops on black, as it is once pixels are standardised. */
export function augmentationOf({ augmentation, dataset }: Recipe): SimulationOptions<Params>["augmentation"] {
  if (!augmentation) return undefined;
  const { mean, deviation } = standards[dataset];
  const black = mean.map((m, channel) => -m / deviation[channel]);
  return { ...flipAndCrop({ black }), losses: augmentation === "training and losses" };
}

/** torch's stream draws the permutation, then the model; numpy's the split, then the test sets. */
export function federation(dataset: Dataset, recipe: Recipe, seed: number): Federation {
  const { minority, ratio, testShare, testRounding } = recipe;
  const [torch, numpy] = [torchStream(seed), numpyStream(seed)];
  const kept = thinned(dataset.train.labels, { minority, ratio });
  const order = torch.permutation(kept.length).map((i) => kept[i]);
  const labels = Uint8Array.from(order, (i) => dataset.train.labels[i]);
  const parts = partsOf(labels, recipe, numpy);
  const tests = clientTestSets({
    labels,
    parts,
    testLabels: dataset.test.labels,
    size: Math.max(1, Math.floor(testShare * dataset.test.labels.length)),
    rounding: testRounding,
    stream: numpy,
  });
  const model = modelOf(recipe, dataset);
  return {
    data: {
      train: pool(dataset.train, recipe.dataset, order),
      test: pool(dataset.test, recipe.dataset),
      clients: parts.map((train, c) => ({ train, test: tests[c] })),
    },
    minorityShares: minorityShares(labels, parts, minority),
    model,
    params: model.init(torchDraws(torch)),
  };
}

function partsOf(
  labels: Uint8Array,
  { clients, split, heterogeneity = 0, alike = 1 }: Recipe,
  stream: NumpyStream,
): Int32Array<ArrayBuffer>[] {
  if (split === "mix") return mixPartition(labels, { clients, alike });
  return dirichletPartition(labels, { clients, level: heterogeneity, rule: split, stream });
}

function modelOf({ model }: Recipe, { train }: Dataset): Model<Params> {
  const [, channels, height, width] = train.shape;
  const outputs = train.classes.length;
  return model === "convnet"
    ? convnet({ channels, size: height, outputs })
    : mlp({ inputs: channels * height * width, hidden: [128, 128], outputs, activation: "leakyRelu" });
}

/** The images in this order, standardised. */
function pool(set: ImageSet, dataset: DatasetName, order?: Int32Array): Pool {
  const [n, channels, height, width] = set.shape;
  const rows = order ?? Int32Array.from({ length: n }, (_, i) => i);
  const { mean, deviation } = standards[dataset];
  const area = height * width;
  const x = new Float32Array(rows.length * channels * area);
  let at = 0;
  for (const row of rows) {
    for (let channel = 0; channel < channels; channel++) {
      const [shift, scale] = [mean[channel], deviation[channel]];
      const first = (row * channels + channel) * area;
      for (let i = 0; i < area; i++) x[at++] = (set.pixels[first + i] / 255 - shift) / scale;
    }
  }
  return {
    x: new NdArray(x, [rows.length, channels, height, width]),
    y: new NdArray(
      Int32Array.from(rows, (row) => set.labels[row]),
      [rows.length],
    ),
  };
}
