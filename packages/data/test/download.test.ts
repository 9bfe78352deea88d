// Downloads from a real server on this machine: cut, resumed, wrong, silent, absent.
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError, NetworkError } from "@pliant/core";
import fc from "fast-check";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { download } from "../src/download.js";
import { fetchDataset } from "../src/index.js";
import { answerRange, closedPort, serve } from "./server.js";

const content = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * i) >> 7));
const known = {
  path: "numbers.gz",
  bytes: content.length,
  sum: { algorithm: "sha256" as const, hex: createHash("sha256").update(content).digest("hex") },
};
const quick = { timeout: 5_000, pause: 0 };

let folder: string;
let target: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pliant-data-"));
  target = join(folder, "set", "numbers.gz");
  onTestFinished(() => rmSync(folder, { recursive: true }));
});
const received = () => readFileSync(target).equals(content);
const leftBehind = () => readdirSync(folder, { recursive: true });

describe("a file", () => {
  test("arrives whole, with progress up to its size", async () => {
    const { url } = await serve((request, response) => response.end(answerRange(content, request, response)));
    const progress: number[] = [];
    await download(known, target, {
      urls: [`${url}numbers.gz`],
      onProgress: (n) => progress.push(n),
      ...quick,
    });
    expect(received()).toBe(true);
    expect(existsSync(`${target}.part`)).toBe(false);
    expect(progress.at(-1)).toBe(content.length);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
  });

  test("goes on where a cut connection left it, however often it is cut", async () => {
    const { url, requests } = await serve((request, response) => {
      const rest = answerRange(content, request, response);
      response.write(rest.subarray(0, 60_000), () => response.destroy());
      if (rest.length <= 60_000) response.end();
    });
    await download(known, target, { urls: [url], ...quick });
    expect(received()).toBe(true);
    expect(requests.length).toBeGreaterThan(2);
    const starts = requests.map(({ range }) => Number(/\d+/.exec(range ?? "0")));
    expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
  });

  test("goes on in a later call", async () => {
    let up = false;
    const { url, requests } = await serve((request, response) => {
      const rest = answerRange(content, request, response);
      if (up) response.end(rest);
      else if (request.headers.range) response.destroy();
      else response.write(rest.subarray(0, 100_000), () => response.destroy());
    });
    await expect(download(known, target, { urls: [url], ...quick })).rejects.toThrow();
    expect(existsSync(target)).toBe(false);
    up = true;
    const before = readFileSync(`${target}.part`).length;
    expect(before).toBeGreaterThan(0);
    await download(known, target, { urls: [url], ...quick });
    expect(requests.at(-1)?.range).toBe(`bytes=${before}-`);
    expect(received()).toBe(true);
  });

  test("begins again where the server knows no ranges", async () => {
    let calls = 0;
    const { url, requests } = await serve((_, response) => {
      response.writeHead(200, { "content-length": content.length });
      if (++calls > 1) response.end(content);
      else response.write(content.subarray(0, 100_000), () => response.destroy());
    });
    await download(known, target, { urls: [url], ...quick });
    expect(requests.at(-1)?.range).toMatch(/^bytes=\d+-$/);
    expect(received()).toBe(true);
  });

  test("is whole whatever part of it was there, right or wrong", async () => {
    const { url } = await serve((request, response) => response.end(answerRange(content, request, response)));
    const part = fc.oneof(
      fc.nat(content.length).map((n) => content.subarray(0, n)),
      fc.uint8Array({ maxLength: 1000 }),
      fc.constant(Buffer.alloc(content.length + 7)),
    );
    await fc.assert(
      fc.asyncProperty(part, async (bytes) => {
        rmSync(join(folder, "set"), { recursive: true, force: true });
        await download(known, target, { urls: [url], ...quick });
        rmSync(target);
        writeFileSync(`${target}.part`, bytes);
        await download(known, target, { urls: [url], ...quick });
        expect(received()).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  test("comes from a mirror where the first source has none", async () => {
    const first = await serve((_, response) => response.writeHead(404).end());
    const mirror = await serve((request, response) => response.end(answerRange(content, request, response)));
    const urls = [await closedPort(), first.url, mirror.url];
    await download(known, target, { urls, ...quick });
    expect(received()).toBe(true);
    expect(first.requests).toHaveLength(1);
  });

  test("begun at one source is completed at another", async () => {
    const first = await serve((request, response) => {
      response.write(answerRange(content, request, response).subarray(0, 50_000), () => response.destroy());
    });
    const mirror = await serve((request, response) => response.end(answerRange(content, request, response)));
    await download(known, target, { urls: [first.url, mirror.url], ...quick });
    expect(mirror.requests[0].range).toMatch(/^bytes=\d+-$/);
    expect(received()).toBe(true);
  });
});

describe("a failing source is reported, and no partial file is left", () => {
  const wrong = Buffer.from(content).fill(7, 1000, 1001);
  test.each<[string, (response: import("node:http").ServerResponse) => void, RegExp]>([
    ["another file of the size", (r) => r.end(wrong), /gave a wrong file: its sha256 is [0-9a-f]{64} where/],
    [
      "an answer of another size",
      (r) => r.end("<html>Sign in</html>"),
      /announced 20 bytes where 300000 were expected/,
    ],
    [
      "an answer without end",
      (r) => {
        const more = (): void => void (r.destroyed || r.write(Buffer.alloc(100_000), more));
        more();
      },
      /gave a wrong file: it has \d+ bytes where 300000 were expected/,
    ],
    ["a refusal", (r) => r.writeHead(503, "Slow Down").end(), /answered 503 Slow Down/],
    ["nothing", (r) => r.destroy(), /could not be reached/],
  ])("%s", async (_, answer, sentence) => {
    const { url } = await serve((_, response) => answer(response));
    await expect(download(known, target, { urls: [url], ...quick })).rejects.toThrow(sentence);
    expect(leftBehind().filter((path) => String(path).includes("numbers"))).toEqual([]);
  });

  test("silence", async () => {
    const { url } = await serve(() => {});
    const asked = download(known, target, { urls: [url], timeout: 50, pause: 0 });
    await expect(asked).rejects.toThrow(/was silent for 0\.05 s/);
    expect(leftBehind()).toEqual([]);
  });

  test("a folder that cannot be made is the person's to mend, not a source's", async () => {
    const { url, requests } = await serve((request, response) =>
      response.end(answerRange(content, request, response)),
    );
    writeFileSync(join(folder, "set"), "a file, not a folder");
    const asked = download(known, target, { urls: [url], ...quick });
    await expect(asked).rejects.toThrow(InputError);
    await expect(asked).rejects.toThrow(/numbers\.gz\.part cannot be written/);
    expect(requests).toHaveLength(1);
  });
});

describe("a dataset", () => {
  test("without a network: one sentence with what to do, and nothing left", async () => {
    const sources = [await closedPort(), await closedPort()];
    const asked = fetchDataset("mnist", { folder, sources, ...quick });
    await expect(asked).rejects.toThrow(NetworkError);
    await expect(asked).rejects.toThrow(
      /^mnist could not be downloaded: http:\S+train-images-idx3-ubyte\.gz could not be reached \(.*ECONNREFUSED.*\); http:.*\. Put the files into \S+mnist yourself, or use --dataset strokes\.$/,
    );
    expect(leftBehind()).toEqual([]);
  });

  test("with a wrong checksum: one sentence, and the bad file is gone", async () => {
    const { url } = await serve((_, response) => response.end(Buffer.alloc(9_912_422)));
    const asked = fetchDataset("mnist", { folder, sources: [url], ...quick });
    await expect(asked).rejects.toThrow(NetworkError);
    await expect(asked).rejects.toThrow(/train-images-idx3-ubyte\.gz gave a wrong file: its sha256 is/);
    expect(leftBehind()).toEqual(["mnist"]);
  });

  test("that is generated needs nothing; one that nobody knows is refused", async () => {
    expect((await fetchDataset("strokes", { folder })).files).toEqual([]);
    await expect(fetchDataset("fashion-mnits", { folder })).rejects.toThrow(/did you mean "fashion-mnist"/);
  });
});
