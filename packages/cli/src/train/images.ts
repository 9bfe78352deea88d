// Examples from a named set of images.

import { datasetNames, type ImageSet, loadDataset } from "@pliant/data";
import { NdArray } from "@pliant/engine";
import type { Examples, Prepared } from "./examples.js";
import { hint } from "./near.js";
import type { SpecFile } from "./spec-file.js";

/** What requirements call the class of an image. */
const label = "label";

export async function fromImages({ spec: { data }, mistake }: SpecFile): Promise<Prepared> {
  const forColumns = (["target", "positive", "test", "missing"] as const).find(
    (key) => data[key] !== undefined,
  );
  if (forColumns !== undefined || Object.keys(data.columns).length > 0) {
    const key = forColumns ?? "columns";
    throw mistake(["data", key], `data.${key} is for CSV files, and ${data.dataset} is a set of images.`);
  }
  const name = data.dataset!;
  if (!datasetNames.includes(name))
    throw mistake(["data", "dataset"], `data.dataset: "${name}" is not a dataset${hint(name, datasetNames)}`);
  const { train, test } = await loadDataset(name);
  const { classes } = train;
  return {
    target: { kind: "class", classes },
    train: examplesOf(train, data.limit.train),
    test: examplesOf(test, data.limit.test),
    numeric: new Map(),
    images: true,
    files: {},
  };
}

function examplesOf({ pixels, shape, labels, classes }: ImageSet, limit = shape[0]): Examples {
  const count = Math.min(limit, shape[0]);
  const size = shape[1] * shape[2] * shape[3];
  return {
    count,
    x: new NdArray(
      Float32Array.from(pixels.subarray(0, count * size), (v) => v / 255),
      [count, ...shape.slice(1)],
    ),
    y: new NdArray(Int32Array.from(labels.subarray(0, count)), [count]),
    groups: { [label]: Array.from(labels.subarray(0, count), (k) => classes[k]) },
    missing: () => false,
  };
}
