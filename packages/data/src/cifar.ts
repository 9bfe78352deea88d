// CIFAR-10's binary version: records of one label and 3 × 32 × 32 pixels, 10,000 a batch, from the official archive
// or from its unpacked members.
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { InputError } from "@pliant/core";
import { extract } from "tar-stream";
import type { Dataset, ImageSet } from "./dataset.js";
import { isGzip, readUnpacked } from "./unpack.js";

export const cifarClasses = "airplane automobile bird cat deer dog frog horse ship truck".split(" ");
/** The archive's members that hold images, in order: five batches to train on, one to test on. */
export const cifarMembers = [...[1, 2, 3, 4, 5].map((i) => `data_batch_${i}.bin`), "test_batch.bin"];

const IMAGE = 3 * 32 * 32;
const RECORD = 1 + IMAGE;

interface Batch {
  readonly file: string;
  readonly bytes: Uint8Array;
}

type Split = Pick<Dataset, "train" | "test">;

/** The dataset of six files, in the order of `cifarMembers`. */
export async function readCifarBatches(files: readonly string[]): Promise<Split> {
  return split(await Promise.all(files.map(async (file) => ({ file, bytes: await readUnpacked(file) }))));
}

/** The dataset of the archive; members without images are passed over. */
export async function readCifarArchive(archive: string): Promise<Split> {
  const found = new Map<string, Uint8Array>();
  const unpacking = extract();
  const collect = async () => {
    for await (const entry of unpacking) {
      const name = entry.header.name.split("/").at(-1)!;
      const wanted = cifarMembers.includes(name);
      const chunks: Uint8Array[] = [];
      for await (const chunk of entry) if (wanted) chunks.push(chunk as Uint8Array);
      if (wanted) found.set(name, Buffer.concat(chunks));
    }
  };
  try {
    const source = createReadStream(archive);
    const writing = (await startsGzipped(archive))
      ? pipeline(source, createGunzip(), unpacking)
      : pipeline(source, unpacking);
    await Promise.all([writing, collect()]);
  } catch (reason) {
    throw new InputError(`${archive} is damaged: it does not unpack (${(reason as Error).message}).`);
  }
  const batches = cifarMembers.map((name) => {
    const bytes = found.get(name);
    if (bytes === undefined) throw new InputError(`${archive} has no member ${name}.`);
    return { file: `${archive}, member ${name}`, bytes };
  });
  return split(batches);
}

const split = (batches: readonly Batch[]): Split => ({
  train: joinBatches(batches.slice(0, -1)),
  test: joinBatches(batches.slice(-1)),
});

async function startsGzipped(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return isGzip(buffer);
  } finally {
    await handle.close();
  }
}

/** One set of the records of several batches. */
function joinBatches(batches: readonly Batch[]): ImageSet {
  const count = batches.reduce((sum, batch) => sum + countRecords(batch), 0);
  const pixels = new Uint8Array(count * IMAGE);
  const labels = new Uint8Array(count);
  let image = 0;
  for (const { file, bytes } of batches) {
    for (let at = 0; at < bytes.length; at += RECORD, image++) {
      if (bytes[at] >= cifarClasses.length) {
        throw new InputError(
          `${file}: the label of record ${at / RECORD} is ${bytes[at]} where 0 to 9 was expected.`,
        );
      }
      labels[image] = bytes[at];
      pixels.set(bytes.subarray(at + 1, at + RECORD), image * IMAGE);
    }
  }
  return { pixels, shape: [count, 3, 32, 32], labels, classes: cifarClasses };
}

function countRecords({ file, bytes }: Batch): number {
  if (bytes.length === 0 || bytes.length % RECORD !== 0) {
    throw new InputError(
      `${file} is not a batch of CIFAR-10: it has ${bytes.length} bytes where a multiple of ${RECORD} (label and 3 × 32 × 32 pixels) was expected.`,
    );
  }
  return bytes.length / RECORD;
}
