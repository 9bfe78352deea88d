import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { checkDataset, fetchDataset, listDatasets } from "../src/index.js";
import { newFolder, put, smallCifar, smallMnist } from "./files.js";

describe("a check", () => {
  test("tells which files are absent, which are not the published ones, and which facts differ", async () => {
    const folder = newFolder();
    const { "t10k-labels-idx1-ubyte.gz": absent, ...files } = smallMnist();
    put(join(folder, "mnist"), files);
    const incomplete = await checkDataset("mnist", { folder });
    expect(incomplete.files.map(({ path, found, ok }) => [path, found !== undefined, ok])).toEqual([
      ["train-images-idx3-ubyte.gz", true, false],
      ["train-labels-idx1-ubyte.gz", true, false],
      ["t10k-images-idx3-ubyte", true, false],
      ["t10k-labels-idx1-ubyte.gz", false, false],
    ]);
    expect(incomplete.facts).toEqual([]);
    expect(incomplete.problems.join("\n")).toMatch(
      /t10k-images-idx3-ubyte is not the published file: it has 20 bytes where 7840016 were expected/,
    );
    expect(incomplete.problems.at(-1)).toMatch(/t10k-labels-idx1-ubyte\.gz is missing/);
    expect(listDatasets({ folder }).map(({ state }) => state)).toEqual([
      "incomplete",
      "absent",
      "absent",
      "generated",
    ]);

    put(join(folder, "mnist"), { "t10k-labels-idx1-ubyte.gz": absent });
    const { facts, problems } = await checkDataset("mnist", { folder });
    expect(facts.find(({ fact }) => fact === "train first labels")).toMatchObject({
      found: [7, 0, 9],
      ok: false,
    });
    expect(problems.at(-1)).toMatch(/^The test class counts of mnist is 0 0 0 0 1/);
  });

  test("measures what a gzipped member holds", async () => {
    const folder = newFolder();
    const packed = Object.entries(smallCifar()).map(([name, bytes]) => [`${name}.gz`, gzipSync(bytes)]);
    put(join(folder, "cifar-10"), Object.fromEntries(packed));
    const { files, facts } = await checkDataset("cifar-10", { folder });
    expect(files.map(({ path, found }) => [path, found?.bytes])).toEqual(
      Object.keys(smallCifar()).map((name) => [name, 2 * 3073]),
    );
    expect(facts.length).toBeGreaterThan(0);
  });

  test("counts the classes of strokes", async () => {
    const { files, facts, problems } = await checkDataset("strokes");
    expect({ files, problems }).toEqual({ files: [], problems: [] });
    expect(facts.every(({ ok }) => ok)).toBe(true);
  });

  test("finds an unpacked file that differs from the published one, which fetching does not replace", async () => {
    const folder = newFolder();
    put(join(folder, "mnist"), { "train-images-idx3-ubyte": Buffer.from("mine") });
    await expect(fetchDataset("mnist", { folder, sources: [] })).rejects.toThrow(
      /train-images-idx3-ubyte is not the published file: it has 4 bytes where 47040016 were expected; remove it and fetch again/,
    );
  });

  test("refuses an unknown dataset", async () => {
    await expect(checkDataset("cifar-100")).rejects.toThrow(
      /"cifar-100" is not a dataset; did you mean "cifar-10"/,
    );
  });
});
