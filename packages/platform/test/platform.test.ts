// The two platforms side by side: the same calls on a disk and in memory give the same answers.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { posix } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import * as node from "../src/node.js";
import * as page from "../src/page.js";

type Either = typeof node | typeof page;

/** What a call gives, or the code of its error. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (reason) {
    return (reason as { code?: string }).code ?? reason;
  }
}

const text = "a,b\n1,é\n";

function story(at: Either, home: string): unknown[] {
  const here = (...parts: string[]): string => at.join(home, ...parts);
  at.mkdirSync(here("runs/first"), { recursive: true });
  return [
    () => at.existsSync(here("runs")),
    () => at.existsSync(here("rows.csv")),
    () => at.readFileSync(here("rows.csv"), "utf8"),
    () => at.readFileSync(here("runs")),
    () => at.writeFileSync(here("nowhere/rows.csv"), text),
    () => at.writeFileSync(here("rows.csv"), text),
    () => at.readFileSync(here("rows.csv"), "utf8"),
    () => [...at.readFileSync(here("rows.csv"))],
    () => at.appendFileSync(here("rows.csv"), "2,x\n"),
    () => at.statSync(here("rows.csv")).size,
    () => at.statSync(here("runs")).isDirectory(),
    () => at.replaceFile(here("runs/first/run.json"), new Uint8Array([123, 125])),
    () => at.readFileSync(here("runs/first/run.json"), "utf8"),
    () => [...at.readdirSync(home)].sort(),
    () => at.readdirSync(here("runs")),
    () => at.readdirSync(here("nowhere")),
    () => [...at.firstBytes(here("rows.csv"), 3)],
    () => [...at.firstBytes(here("rows.csv"), 100)].length,
    () => at.readWithRoom(here("rows.csv"))?.length,
    () => at.latin1(at.readFileSync(here("rows.csv")), 4, 8),
    () => at.rmSync(here("nowhere")),
    () => at.rmSync(here("nowhere"), { force: true }),
    () => at.rmSync(here("runs"), { recursive: true }),
    () => at.existsSync(here("runs/first/run.json")),
    () => at.readdirSync(home),
  ].map(outcome);
}

test("files on disk and in memory behave alike, down to error codes", () => {
  const home = mkdtempSync(posix.join(tmpdir(), "platform-"));
  page.mkdirSync("/home", { recursive: true });
  expect(story(page, "/home")).toEqual(story(node, home));
});

test("a file keeps its content when the caller changes the bytes later", () => {
  const bytes = new Uint8Array([1, 2, 3]);
  page.writeFileSync("/own", bytes);
  bytes[0] = 9;
  page.readFileSync("/own")[1] = 9;
  expect([...page.readFileSync("/own")]).toEqual([1, 2, 3]);
});

describe("paths", () => {
  const parts = ["a", "/a", "..", ".", "", "b/../c", "a//b/", "/", "/x/y/../z", "../../q"];
  test.each(parts.flatMap((a) => parts.map((b) => [a, b])))("of %o and %o are those of POSIX", (a, b) => {
    // A path that ends in a slash is the same place; ours goes without.
    const plain = (path: string): string => (path.length > 1 ? path.replace(/\/$/, "") : path);
    expect(page.join(a, b)).toBe(plain(posix.join(a, b)));
    expect(page.resolve(a, b)).toBe(posix.resolve("/", a, b));
    expect(page.dirname(page.join("r", a))).toBe(posix.dirname(page.join("r", a)));
    expect(page.basename(a)).toBe(posix.basename(a));
    expect(page.relative(page.resolve(a), page.resolve(b))).toBe(
      posix.relative(posix.resolve("/", a), posix.resolve("/", b)),
    );
  });
});

test("checksums and gzip are the same", async () => {
  const home = mkdtempSync(posix.join(tmpdir(), "platform-"));
  const long = text.repeat(40_000);
  const [disk, memory] = [posix.join(home, "long.gz"), "/long.gz"];
  node.writeFileSync(disk, gzipSync(long));
  page.writeFileSync(memory, gzipSync(long));
  expect(await page.sha256(memory)).toBe(await node.sha256(disk));
  for (const most of [undefined, 1000])
    expect(Buffer.from(await page.gunzip(memory, most))).toEqual(Buffer.from(await node.gunzip(disk, most)));
  for (const [at, path] of [
    [node, disk],
    [page, memory],
  ] as const) {
    at.writeFileSync(path, gzipSync(long).subarray(0, 500));
    await expect(at.gunzip(path)).rejects.toThrow();
  }
});

test("asking a page to stop reaches the current run only", async () => {
  expect(page.askToStop()).toBe(false);
  let stopped = 0;
  const { release } = page.onStopAsked(() => stopped++);
  expect(page.askToStop()).toBe(true);
  release();
  expect([page.askToStop(), stopped]).toEqual([false, 1]);
});

test("both export every name of the platform", () => {
  const only = new Set(["askToStop"]);
  const names = (of: object): string[] =>
    Object.keys(of)
      .filter((name) => !only.has(name))
      .sort();
  expect(names(page)).toEqual(names(node));
});
