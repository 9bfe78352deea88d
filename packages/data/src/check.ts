// Whether a dataset is whole: its files against their sizes and checksums, its content against known facts.
import { join } from "node:path";
import { InputError } from "@pliant/core";
import { catalogue, type Facts, type SplitFacts } from "./catalogue.js";
import { isPublished, type Sum, sumMistake, sumOf } from "./checksum.js";
import type { Dataset } from "./dataset.js";
import { measure } from "./facts.js";
import { dataFolder, type FolderOptions } from "./folder.js";
import { loadDataset } from "./load.js";
import { placePiece } from "./pieces.js";

/** A file's size and checksum as published and as found. */
export interface CheckedFile {
  readonly path: string;
  readonly expected: Sum & { readonly algorithm: string };
  /** Undefined where the file is absent. */
  readonly found?: Sum;
  readonly ok: boolean;
}

/** A fact about the images as published and as found. */
export interface CheckedFact {
  readonly fact: string;
  readonly expected: readonly number[];
  readonly found: readonly number[];
  readonly ok: boolean;
}

/** Whether the files and the numbers of a dataset are the published ones. */
export interface Checked {
  readonly name: string;
  readonly folder: string;
  readonly files: readonly CheckedFile[];
  /** Empty where the dataset does not load. */
  readonly facts: readonly CheckedFact[];
  /** What is wrong, a sentence each; none where all is right. */
  readonly problems: readonly string[];
}

/** Compares a dataset on disk with what was published: checksums first, then what it loads to. */
export async function checkDataset(name: string, { folder }: FolderOptions = {}): Promise<Checked> {
  const place = join(dataFolder({ folder }), name);
  const known = catalogue.find((dataset) => dataset.name === name);
  const placed = known?.pieces.flatMap((piece) => placePiece(place, piece)) ?? [];
  const problems: string[] = [];
  const files: CheckedFile[] = [];
  for (const { known: file, file: path, exists } of placed) {
    const found = exists ? await sumOf(path, file) : undefined;
    const ok = found !== undefined && isPublished(found, file);
    if (found !== undefined && !ok)
      problems.push(`${path} is not the published file: ${sumMistake(found, file)}.`);
    const { algorithm, hex } = file.sum;
    files.push({ path: file.path, expected: { bytes: file.bytes, algorithm, hex }, found, ok });
  }
  let facts: CheckedFact[] = [];
  try {
    facts = compare(await loadDataset(name, { folder }), known?.facts ?? strokesFacts);
  } catch (reason) {
    if (!(reason instanceof InputError) || (known === undefined && name !== "strokes")) throw reason;
    problems.push(reason.message);
  }
  for (const { fact, expected, found, ok } of facts)
    if (!ok)
      problems.push(`The ${fact} of ${name} is ${found.join(" ")} where ${expected.join(" ")} was expected.`);
  return { name, folder: place, files, facts, problems };
}

const strokesFacts = {
  train: { counts: Array<number>(10).fill(1000) },
  test: { counts: Array<number>(10).fill(200) },
};

function compare(data: Dataset, expected: { [split in keyof SplitFacts]: Partial<Facts> }): CheckedFact[] {
  return (["train", "test"] as const).flatMap((split) => {
    const measured = measure(data[split]);
    return (Object.keys(expected[split]) as (keyof Facts)[]).map((fact) => {
      const wanted = expected[split][fact]!;
      // Known to six digits after the point.
      const found = measured[fact].map((value) => Number(value.toFixed(6)));
      const ok = found.length === wanted.length && found.every((value, i) => value === wanted[i]);
      return { fact: `${split} ${factNames[fact]}`, expected: wanted, found, ok };
    });
  });
}

const factNames: Record<keyof Facts, string> = {
  firstLabels: "first labels",
  mean: "mean",
  std: "standard deviation",
  counts: "class counts",
};
