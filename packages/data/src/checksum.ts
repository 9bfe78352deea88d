// Whether a file is the published one: its size, then its checksum.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { KnownFile } from "./catalogue.js";
import { readUnpacked } from "./unpack.js";

export interface Sum {
  readonly bytes: number;
  /** In hexadecimal, by the algorithm the known file names. */
  readonly hex: string;
}

/** The checksum of the file's bytes, or of its content if the file was gzipped locally. */
export async function sumOf(file: string, { sum, path }: KnownFile): Promise<Sum> {
  const hash = createHash(sum.algorithm);
  if (!file.endsWith(".gz") || path.endsWith(".gz")) {
    await pipeline(createReadStream(file), hash);
    return { bytes: (await stat(file)).size, hex: hash.digest("hex") };
  }
  const bytes = await readUnpacked(file);
  return { bytes: bytes.length, hex: hash.update(bytes).digest("hex") };
}

export const isPublished = ({ bytes, hex }: Sum, known: KnownFile): boolean =>
  bytes === known.bytes && hex === known.sum.hex;

/** How a file differs from the published one. */
export const sumMistake = ({ bytes, hex }: Sum, { bytes: expected, sum }: KnownFile): string =>
  bytes === expected
    ? `its ${sum.algorithm} is ${hex} where ${sum.hex} was expected`
    : `it has ${bytes} bytes where ${expected} were expected`;
