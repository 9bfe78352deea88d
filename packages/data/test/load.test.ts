import { homedir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { InputError } from "@pliant/core";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { dataFolder, loadDataset, parseIdx } from "../src/index.js";
import { idx, newFolder, put, smallCifar, smallMnist, tarball } from "./files.js";

const inFolder = (name: string, files: Record<string, Buffer>): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(files).map(([path, bytes]) => [join(name, path), bytes]));

/** Puts the files into a new folder of a dataset and loads it. */
async function load(name: string, files: Record<string, Buffer>) {
  const folder = newFolder();
  put(folder, inFolder(name, files));
  return loadDataset(name, { folder });
}

describe("IDX", () => {
  test("bytes written are bytes read", () => {
    fc.assert(
      fc.property(
        fc.nat(5),
        fc.nat(4),
        fc.nat(4),
        fc.infiniteStream(fc.nat(255)),
        (n, height, width, stream) => {
          const data = Uint8Array.from(stream.take(n * height * width));
          const read = parseIdx(idx([n, height, width], data), { file: "images", rank: 3 });
          expect(read.sizes).toEqual([n, height, width]);
          expect([...read.data]).toEqual([...data]);
        },
      ),
    );
  });

  test("is refused when any byte of the end is missing or one too many is there", () => {
    const whole = idx([2, 3, 1], Buffer.from([1, 2, 3, 4, 5, 6]));
    for (let length = 0; length < whole.length; length++)
      expect(() => parseIdx(whole.subarray(0, length), { file: "f", rank: 3 })).toThrow(/^f is truncated/);
    expect(() => parseIdx(Buffer.concat([whole, whole]), { file: "f", rank: 3 })).toThrow(
      "f has bytes after its end: its header announces 2 × 3 × 1 bytes, 22 with the header, and it has 44.",
    );
  });

  test("loads packed or not, told by the content", async () => {
    const { name, train, test: held } = await load("mnist", smallMnist());
    expect(name).toBe("mnist");
    expect(train.shape).toEqual([3, 1, 2, 2]);
    expect([...train.pixels]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect([...train.labels]).toEqual([7, 0, 9]);
    expect(train.classes).toHaveLength(10);
    expect(held.shape).toEqual([1, 1, 2, 2]);
    const files = smallMnist();
    const renamed = { ...files, "t10k-images-idx3-ubyte": gzipSync(files["t10k-images-idx3-ubyte"]) };
    expect((await load("mnist", renamed)).test).toEqual(held);
  });

  test.each<[string, Record<string, Buffer>, RegExp]>([
    [
      "labels where images belong",
      { "train-images-idx3-ubyte.gz": idx([3], Buffer.from([1, 2, 3])) },
      /train-images-idx3-ubyte\.gz is not an IDX file of images: it begins with 0x00000801 where 0x00000803 was expected/,
    ],
    [
      "a web page",
      { "train-labels-idx1-ubyte.gz": Buffer.from("<!doctype html>") },
      /train-labels-idx1-ubyte\.gz is not an IDX file of labels: it begins with 0x3c21646f/,
    ],
    [
      "a truncated file",
      { "t10k-images-idx3-ubyte": idx([1, 2, 2], Buffer.from([1, 2, 3])) },
      /t10k-images-idx3-ubyte is truncated: its header announces 1 × 2 × 2 bytes, 20 with the header, and it has 19/,
    ],
    [
      "a truncated packing",
      { "train-images-idx3-ubyte.gz": smallMnist()["train-images-idx3-ubyte.gz"].subarray(0, -9) },
      /train-images-idx3-ubyte\.gz is damaged: its \d+ bytes are not a whole gzip file/,
    ],
    [
      "counts that differ",
      { "train-labels-idx1-ubyte.gz": idx([2], Buffer.from([1, 2])) },
      /train-labels-idx1-ubyte\.gz has 2 labels and \S+train-images-idx3-ubyte\.gz 3 images/,
    ],
    [
      "a label that is no class",
      { "train-labels-idx1-ubyte.gz": idx([3], Buffer.from([1, 10, 2])) },
      /label 1 is 10 where 0 to 9 was expected/,
    ],
  ])("%s is refused", async (_, files, sentence) => {
    const loading = load("mnist", { ...smallMnist(), ...files });
    await expect(loading).rejects.toThrow(InputError);
    await expect(loading).rejects.toThrow(sentence);
  });
});

describe("CIFAR-10", () => {
  test("loads from unpacked batches, from the folder they unpack to, and from the archive", async () => {
    const files = smallCifar();
    const unpacked = await load("cifar-10", files);
    expect(unpacked.train.shape).toEqual([10, 3, 32, 32]);
    expect([...unpacked.train.labels]).toEqual([0, 9, 1, 8, 2, 7, 3, 6, 4, 5]);
    expect(unpacked.train.classes[9]).toBe("truck");
    for (let i = 0; i < 10; i++)
      expect(unpacked.train.pixels.subarray(i * 3072, (i + 1) * 3072).every((p) => p === i)).toBe(true);
    expect([...unpacked.test.labels]).toEqual([5, 4]);
    expect(await load("cifar-10", inFolder("cifar-10-batches-bin", files))).toEqual(unpacked);
    const members = {
      ...inFolder("cifar-10-batches-bin", files),
      "cifar-10-batches-bin/readme.html": Buffer.from("hello"),
    };
    expect(await load("cifar-10", { "cifar-10-binary.tar.gz": await tarball(members) })).toEqual(unpacked);
    // Some members as they are, some gzipped on their own.
    const parts = Object.entries(files).map(([name, bytes], i) =>
      i % 2 === 0 ? [name, bytes] : [`${name}.gz`, gzipSync(bytes)],
    );
    expect(await load("cifar-10", Object.fromEntries(parts))).toEqual(unpacked);
    expect(await load("cifar-10", inFolder("cifar-10-batches-bin", Object.fromEntries(parts)))).toEqual(
      unpacked,
    );
  });

  test.each<[string, () => Promise<Record<string, Buffer>>, RegExp]>([
    [
      "a truncated batch",
      async () => ({ ...smallCifar(), "data_batch_3.bin": Buffer.alloc(3073 * 2 - 1) }),
      /data_batch_3\.bin is not a batch of CIFAR-10: it has 6145 bytes where a multiple of 3073/,
    ],
    [
      "an empty batch",
      async () => ({ ...smallCifar(), "test_batch.bin": Buffer.alloc(0) }),
      /test_batch\.bin is not a batch of CIFAR-10: it has 0 bytes/,
    ],
    [
      "a label that is no class",
      async () => ({ ...smallCifar(), "data_batch_1.bin": Buffer.alloc(3073 * 2, 10) }),
      /data_batch_1\.bin: the label of record 0 is 10 where 0 to 9/,
    ],
    [
      "a batch that is not there",
      async () => ({ "data_batch_1.bin": Buffer.alloc(3073) }),
      /data_batch_2\.bin is missing; run "pliant data fetch cifar-10"/,
    ],
    [
      "batches packed with xz",
      async () => inFolder("cifar-10-batches-bin", { "data_batch_1.bin.xz": Buffer.alloc(9) }),
      /packed as data_batch_1\.bin\.xz, which cannot be read as it is; unpack it with xz -d/,
    ],
    [
      "a truncated archive",
      async () => ({ "cifar-10-binary.tar.gz": (await tarball(smallCifar())).subarray(0, -40) }),
      /cifar-10-binary\.tar\.gz is damaged: it does not unpack/,
    ],
    [
      "an archive of something else",
      async () => ({ "cifar-10-binary.tar.gz": await tarball({ "data_batch_1.bin": Buffer.alloc(3073) }) }),
      /cifar-10-binary\.tar\.gz has no member data_batch_2\.bin/,
    ],
    [
      "a file that is no archive",
      async () => ({ "cifar-10-binary.tar.gz": Buffer.from("<html>".repeat(200)) }),
      /cifar-10-binary\.tar\.gz is damaged/,
    ],
  ])("%s is refused", async (_, files, sentence) => {
    const loading = load("cifar-10", await files());
    await expect(loading).rejects.toThrow(InputError);
    await expect(loading).rejects.toThrow(sentence);
  });
});

describe("a dataset", () => {
  test("that is absent tells how to get it", async () => {
    await expect(load("fashion-mnist", {})).rejects.toThrow(
      /^fashion-mnist is not in \S+fashion-mnist: train-images-idx3-ubyte\.gz is missing; run "pliant data fetch fashion-mnist", or take strokes/,
    );
  });

  test("that nobody knows is refused with the nearest name", async () => {
    await expect(loadDataset("fashion-mnst")).rejects.toThrow(
      /"fashion-mnst" is not a dataset; did you mean "fashion-mnist"\?/,
    );
  });
});

describe("the folder", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("is the one named, else PLIANT_DATA, else the cache of the system", () => {
    vi.stubEnv("PLIANT_DATA", "/data");
    expect(dataFolder({ folder: "/mine" })).toBe("/mine");
    expect(dataFolder()).toBe("/data");
    vi.stubEnv("PLIANT_DATA", "");
    vi.stubEnv("XDG_CACHE_HOME", "/caches");
    vi.stubEnv("LOCALAPPDATA", "C:\\Local");
    const cache = (platform: NodeJS.Platform) => {
      const spy = vi.spyOn(process, "platform", "get").mockReturnValue(platform);
      const folder = dataFolder();
      spy.mockRestore();
      return folder;
    };
    expect(cache("linux")).toBe("/caches/pliant");
    expect(cache("darwin")).toBe(join(homedir(), "Library", "Caches", "pliant"));
    expect(cache("win32")).toContain("C:\\Local");
    vi.stubEnv("XDG_CACHE_HOME", "");
    expect(cache("linux")).toBe(join(homedir(), ".cache", "pliant"));
  });
});
