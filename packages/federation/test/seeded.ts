// Random numbers of tests, from a seed.
import { createHash } from "node:crypto";

/** Bytes from a seed, one stream. */
export function seededBytes(seed: string | number): (bytes: number) => Buffer {
  let block = 0;
  let left = Buffer.alloc(0);
  return (bytes) => {
    while (left.length < bytes) {
      const more = createHash("sha256").update(`${seed} ${block++}`).digest();
      left = Buffer.concat([left, more]);
    }
    const given = Buffer.from(left.subarray(0, bytes));
    left = left.subarray(bytes);
    return given;
  };
}

/** Numbers between 0 and 1, from a seed. */
export function seededNumbers(seed: string | number): () => number {
  const bytes = seededBytes(seed);
  return () => bytes(4).readUInt32LE() / 2 ** 32;
}
