// The bytes of a file, unpacked where they are gzip: told by the content, since browsers and people rename files.
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { InputError } from "@pliant/core";

const inflate = promisify(gunzip);

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

export async function readUnpacked(file: string): Promise<Uint8Array> {
  const read = await readFile(file).catch((reason: Error) => {
    throw new InputError(`${file} cannot be read: ${reason.message}.`);
  });
  if (!isGzip(read)) return plain(read);
  const unpacked = await inflate(read).catch((reason: Error) => {
    throw new InputError(
      `${file} is damaged: its ${read.length} bytes are not a whole gzip file (${reason.message}).`,
    );
  });
  return plain(unpacked);
}

/** Without Buffer's methods, whose `slice` shares memory where a Uint8Array's copies. */
const plain = (bytes: Buffer): Uint8Array => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
