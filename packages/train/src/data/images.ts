// Examples from a named set of images.

import { hint } from "@pliant/core";
import { datasetNames, type ImageSet, loadDataset } from "@pliant/data";
import { NdArray, random } from "@pliant/engine";
import type { SpecFile } from "../spec/spec-file.js";
import type { Examples, Prepared } from "./examples.js";

/** What requirements call the class of an image. */
const label = "label";

export async function fromImages({ spec: { data, seed }, mistake }: SpecFile): Promise<Prepared> {
  const forColumns = (["target", "positive", "test", "missing"] as const).find(
    (key) => data[key] !== undefined,
  );
  if (forColumns !== undefined || Object.keys(data.columns).length > 0) {
    const key = forColumns ?? "columns";
    throw mistake(["data", key], `data.${key} is for CSV files, and ${data.dataset} is a set of images.`);
  }
  const { validation: share = 0 } = data;
  if (typeof share !== "number")
    throw mistake(["data", "validation"], "data.validation: of images it is a share of those to learn from.");
  const name = data.dataset!;
  if (!datasetNames.includes(name))
    throw mistake(["data", "dataset"], `data.dataset: "${name}" is not a dataset${hint(name, datasetNames)}`);
  const { train, test } = await loadDataset(name);
  const { classes } = train;
  const apart = Math.round(train.shape[0] * share);
  const order = random.permutation(random.foldIn(random.key(data.seed ?? seed), 11), train.shape[0]).data;
  // Without validation the images stay in their order.
  const rows = share === 0 ? order.map((_, i) => i) : order;
  return {
    target: { kind: "class", classes },
    train: examplesOf(train, rows.subarray(apart), data.limit.train),
    ...(share > 0 && { validation: examplesOf(train, rows.subarray(0, apart), data.limit.validation) }),
    test: examplesOf(
      test,
      Int32Array.from({ length: test.shape[0] }, (_, i) => i),
      data.limit.test,
    ),
    numeric: new Map(),
    images: true,
    files: {},
  };
}

function examplesOf(
  { pixels, shape, labels, classes }: ImageSet,
  of: ArrayLike<number>,
  limit = of.length,
): Examples {
  const rows = Array.from(of).slice(0, limit);
  const size = shape[1] * shape[2] * shape[3];
  const x = new Float32Array(rows.length * size);
  for (const [i, row] of rows.entries())
    for (let at = 0; at < size; at++) x[i * size + at] = pixels[row * size + at] / 255;
  return {
    count: rows.length,
    x: new NdArray(x, [rows.length, ...shape.slice(1)]),
    y: new NdArray(
      Int32Array.from(rows, (row) => labels[row]),
      [rows.length],
    ),
    groups: { [label]: rows.map((row) => classes[labels[row]]) },
    missing: () => false,
  };
}
