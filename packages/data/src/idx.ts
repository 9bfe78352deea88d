// The IDX format of MNIST: a magic number (type and rank), one big-endian size an axis, then the bytes.
import { InputError } from "@pliant/core";
import type { ImageSet } from "./dataset.js";
import { readUnpacked } from "./unpack.js";

/** The sizes and the bytes of an IDX file, the format of MNIST. */
export interface Idx {
  readonly sizes: readonly number[];
  readonly data: Uint8Array;
}

const kinds = { 3: "images", 1: "labels" } as const;
const magicOf = (rank: number): number => 0x0800 + rank;
const hex = (word: number): string => `0x${word.toString(16).padStart(8, "0")}`;

/** Reads bytes of the given rank: 3 is a file of images, 1 one of labels. `file` is named in the refusal of anything else. */
export function parseIdx(bytes: Uint8Array, { file, rank }: { file: string; rank: 1 | 3 }): Idx {
  const start = 4 + 4 * rank;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 4 && view.getUint32(0) !== magicOf(rank)) {
    throw new InputError(
      `${file} is not an IDX file of ${kinds[rank]}: it begins with ${hex(view.getUint32(0))} where ${hex(magicOf(rank))} was expected.`,
    );
  }
  if (bytes.length < start) {
    throw new InputError(
      `${file} is truncated: it has ${bytes.length} bytes, and the header of an IDX file of ${kinds[rank]} alone takes ${start}.`,
    );
  }
  const sizes = Array.from({ length: rank }, (_, axis) => view.getUint32(4 + 4 * axis));
  const expected = start + sizes.reduce((product, size) => product * size, 1);
  if (bytes.length !== expected) {
    const wrong = bytes.length < expected ? "is truncated" : "has bytes after its end";
    throw new InputError(
      `${file} ${wrong}: its header announces ${sizes.join(" × ")} bytes, ${expected} with the header, and it has ${bytes.length}.`,
    );
  }
  return { sizes, data: bytes.subarray(start) };
}

/** The images and labels of two IDX files, each packed with gzip or not. */
export async function readIdx(
  files: { images: string; labels: string },
  { classes }: { classes: readonly string[] },
): Promise<ImageSet> {
  const [images, labels] = await Promise.all([
    readUnpacked(files.images).then((bytes) => parseIdx(bytes, { file: files.images, rank: 3 })),
    readUnpacked(files.labels).then((bytes) => parseIdx(bytes, { file: files.labels, rank: 1 })),
  ]);
  const [count, height, width] = images.sizes;
  if (labels.sizes[0] !== count) {
    throw new InputError(
      `${files.labels} has ${labels.sizes[0]} labels and ${files.images} ${count} images; they must be equally many.`,
    );
  }
  const stray = labels.data.findIndex((label) => label >= classes.length);
  if (stray >= 0) {
    throw new InputError(
      `${files.labels}: label ${stray} is ${labels.data[stray]} where 0 to ${classes.length - 1} was expected.`,
    );
  }
  return { pixels: images.data, shape: [count, 1, height, width], labels: labels.data, classes };
}
