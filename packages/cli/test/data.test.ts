// pliant data, called as the command calls it.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError, NetworkError } from "@pliant/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { data } from "../src/data.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pliant-data-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** The output and the exit code of a command. */
async function run(...args: string[]): Promise<{ out: string; error?: Error }> {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line) => void lines.push(line));
  const error = await data([...args, "--folder", folder]).then(
    () => undefined,
    (reason: Error) => reason,
  );
  return { out: lines.join("\n"), error };
}

describe("pliant data list", () => {
  test("lists the datasets and their folders", async () => {
    const { out } = await run("list");
    expect(out).toMatch(/^mnist +absent +handwritten digits.*\(11\.6 MB to fetch\)$/m);
    expect(out).toMatch(/^strokes +generated/m);
    expect(out).toContain(`The folder is ${folder}.`);
  });

  test("as one JSON object", async () => {
    const { datasets, ...rest } = JSON.parse((await run("list", "--json")).out);
    expect(rest).toEqual({ folder });
    expect(datasets.map((set: { name: string }) => set.name)).toEqual([
      "mnist",
      "fashion-mnist",
      "cifar-10",
      "strokes",
    ]);
  });
});

describe("pliant data check", () => {
  test("accepts strokes", async () => {
    const { out, error } = await run("check", "strokes");
    expect(error).toBeUndefined();
    expect(out).toMatch(/✓ train class counts +1000 1000/);
  });

  test("lists every file, and ends with a message if one is wrong", async () => {
    mkdirSync(join(folder, "mnist"));
    writeFileSync(join(folder, "mnist", "train-labels-idx1-ubyte.gz"), "not the labels");
    const { out, error } = await run("check", "mnist");
    expect(out).toMatch(/^✗ train-images-idx3-ubyte\.gz .* absent$/m);
    expect(out).toMatch(/^✗ train-labels-idx1-ubyte\.gz .* not the published file$/m);
    expect(error).toBeInstanceOf(InputError);
    expect(error?.message).toMatch(/train-labels-idx1-ubyte\.gz is not the published file: it has 14 bytes/);
    const { files, problems } = JSON.parse((await run("check", "mnist", "--json")).out);
    expect(files).toHaveLength(4);
    expect(problems).toHaveLength(2);
  });
});

describe("pliant data fetch", () => {
  test("has nothing to do for strokes", async () => {
    expect((await run("fetch", "strokes")).out).toMatch(/generated; there is nothing to fetch/);
    expect(JSON.parse((await run("fetch", "strokes", "--json")).out).files).toEqual([]);
  });

  test("without a network fails with one sentence, and leaves no file", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { out, error } = await run("fetch", "mnist", "--from", `http://127.0.0.1:${port}/mirror`);
    expect(error).toBeInstanceOf(NetworkError);
    expect(error?.message).toMatch(
      /^mnist could not be downloaded: http:\S+\/mirror\/train-images-idx3-ubyte\.gz could not be reached .* use --dataset strokes\.$/,
    );
    expect(out).toBe("");
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("mistakes", () => {
  test.each([
    [[], /say what to do: pliant data fetch NAME/],
    [["fetsh", "mnist"], /"fetsh" is not something data can do; did you mean "fetch"\?/],
    [["fetch"], /not complete or too long/],
    [["fetch", "mnist", "cifar-10"], /not complete or too long/],
    [["list", "mnist"], /not complete or too long/],
    [["check", "mnist", "--from", "http://x"], /--from goes with fetch only/],
    [["fetch", "mnist", "--from", "somewhere"], /--from is an address that begins with http/],
    [["fetch", "fashion-mnits"], /did you mean "fashion-mnist"\?/],
    [["check", "cifar10"], /did you mean "cifar-10"\?/],
  ])("%j is refused with a sentence", async (args, sentence) => {
    const { error } = await run(...args);
    expect(error).toBeInstanceOf(InputError);
    expect(error?.message).toMatch(sentence);
  });
});
