// The published files themselves, where PLIANT_DATA holds them, against what is known of them.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkDataset, fetchDataset, listDatasets, loadDataset, measure } from "../src/index.js";
import { newFolder } from "./files.js";
import { answerRange, serve } from "./server.js";

const place = process.env.PLIANT_DATA ?? "";
const present = (name: string): boolean =>
  place !== "" && listDatasets({ folder: place }).some((set) => set.name === name && set.state === "present");

describe.each(["mnist", "fashion-mnist", "cifar-10"])("%s", (name) => {
  test("has the published files and the known facts", async ({ skip }) => {
    if (!present(name)) skip(`PLIANT_DATA does not hold the files of ${name}.`);
    const { files, facts, problems } = await checkDataset(name, { folder: place });
    expect(problems).toEqual([]);
    expect(files.every(({ ok }) => ok)).toBe(true);
    expect(facts.map(({ fact }) => fact)).toEqual([
      "train first labels",
      "train mean",
      "train standard deviation",
      "train class counts",
      "test first labels",
      "test class counts",
    ]);
  });

  test("is not downloaded where it lies already", async ({ skip }) => {
    if (!present(name)) skip(`PLIANT_DATA does not hold the files of ${name}.`);
    const { url, requests } = await serve((_, response) => response.writeHead(404).end());
    const { files } = await fetchDataset(name, { folder: place, sources: [url] });
    expect(files.every(({ downloaded }) => !downloaded)).toBe(true);
    expect(requests).toEqual([]);
  });
});

describe("the facts of MNIST, from its files", () => {
  test("are those of its description", async ({ skip }) => {
    if (!present("mnist")) skip("PLIANT_DATA does not hold the files of mnist.");
    const { train, test: held } = await loadDataset("mnist", { folder: place });
    expect(train.shape).toEqual([60_000, 1, 28, 28]);
    const facts = measure(train);
    expect(facts.firstLabels).toEqual([5, 0, 4, 1, 9, 2, 1, 3, 1, 4]);
    expect(facts.mean[0]).toBeCloseTo(0.13066, 6);
    expect(facts.std[0]).toBeCloseTo(0.308108, 6);
    expect(facts.counts).toEqual([5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]);
    expect(measure(held).firstLabels).toEqual([7, 2, 1, 0, 4, 1, 4, 9, 5, 9]);
  });
});

test("mnist is fetched from a server that breaks off, and then loads", async ({ skip }) => {
  if (!present("mnist") || !existsSync(join(place, "mnist", "t10k-images-idx3-ubyte.gz")))
    skip("PLIANT_DATA does not hold the packed files of mnist.");
  const folder = newFolder();
  let calls = 0;
  const { url } = await serve((request, response) => {
    const rest = answerRange(readFileSync(join(place, "mnist", request.url!)), request, response);
    if (calls++ === 0) response.write(rest.subarray(0, 1_000_000), () => response.destroy());
    else response.end(rest);
  });
  const { files } = await fetchDataset("mnist", { folder, sources: [url], pause: 0 });
  expect(files.map(({ downloaded }) => downloaded)).toEqual([true, true, true, true]);
  expect((await checkDataset("mnist", { folder })).problems).toEqual([]);
});
