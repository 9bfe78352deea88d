// Whether a file is the published one: its size, then its checksum.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { KnownFile } from "./catalogue.js";

export interface Sum {
  readonly bytes: number;
  /** In hexadecimal, by the algorithm the known file names. */
  readonly hex: string;
}

export async function sumOf(file: string, { sum }: KnownFile): Promise<Sum> {
  const hash = createHash(sum.algorithm);
  await pipeline(createReadStream(file), hash);
  return { bytes: (await stat(file)).size, hex: hash.digest("hex") };
}

export const isPublished = ({ bytes, hex }: Sum, known: KnownFile): boolean =>
  bytes === known.bytes && hex === known.sum.hex;

/** What is wrong with a file that is not the published one. */
export const sumMistake = ({ bytes, hex }: Sum, { bytes: expected, sum }: KnownFile): string =>
  bytes === expected
    ? `its ${sum.algorithm} is ${hex} where ${sum.hex} was expected`
    : `it has ${bytes} bytes where ${expected} were expected`;
