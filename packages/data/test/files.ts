// Files of datasets as tests need them: small, right or wrong in one way.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import { onTestFinished } from "vitest";

/** A folder that is removed when the test ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pliant-data-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Writes files by their paths inside a folder. */
export function put(folder: string, files: Record<string, Uint8Array>): void {
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

export function idx(sizes: readonly number[], data: Uint8Array): Buffer {
  const header = Buffer.alloc(4 + 4 * sizes.length);
  header.writeUInt32BE(0x0800 + sizes.length);
  for (const [axis, size] of sizes.entries()) header.writeUInt32BE(size, 4 + 4 * axis);
  return Buffer.concat([header, data]);
}

/** Three images of 2 × 2 to train on and one to test on, gzipped except one file. */
export const smallMnist = (): Record<string, Buffer> => ({
  "train-images-idx3-ubyte.gz": gzipSync(
    idx([3, 2, 2], Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])),
  ),
  "train-labels-idx1-ubyte.gz": gzipSync(idx([3], Buffer.from([7, 0, 9]))),
  "t10k-images-idx3-ubyte": idx([1, 2, 2], Buffer.from([250, 251, 252, 253])),
  "t10k-labels-idx1-ubyte.gz": gzipSync(idx([1], Buffer.from([4]))),
});

/** Six batches of two records each; the pixels of a record are all its number. */
export function smallCifar(): Record<string, Buffer> {
  const names = [...[1, 2, 3, 4, 5].map((i) => `data_batch_${i}.bin`), "test_batch.bin"];
  const record = (label: number, pixel: number) =>
    Buffer.concat([Buffer.from([label]), Buffer.alloc(3072, pixel)]);
  return Object.fromEntries(
    names.map((name, batch) => [
      name,
      Buffer.concat([record(batch, 2 * batch), record(9 - batch, 2 * batch + 1)]),
    ]),
  );
}

export async function tarball(files: Record<string, Buffer>): Promise<Buffer> {
  const packing = pack();
  for (const [name, bytes] of Object.entries(files)) packing.entry({ name }, bytes);
  packing.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of packing) chunks.push(chunk as Buffer);
  return gzipSync(Buffer.concat(chunks));
}
