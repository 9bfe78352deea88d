// Whose lock a file is, also where the number of a process says nothing: after a restart, and in a container.
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type Holder, tryLock } from "../src/ports/lock.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-lock-"));
afterAll(() => rmSync(folder, { recursive: true }));

let file: string;
let own: Holder;
let count = 0;
beforeEach(() => {
  file = join(folder, String(count++));
  const lock = tryLock(file);
  own = JSON.parse(readFileSync(file, "utf8")) as Holder;
  if ("release" in lock) lock.release();
});

const takes = (now?: number): boolean => "release" in tryLock(file, now);
const leave = (holder: Partial<Holder>): void => writeFileSync(file, JSON.stringify({ ...own, ...holder }));

test("a lock that this process holds is not taken again", () => {
  expect(takes()).toBe(true);
  expect(takes()).toBe(false);
});

describe("left behind, it is taken", () => {
  // A process that is started again in a container has its number, and its host's name, again.
  test.runIf(process.platform === "linux")("by one that had this process's number", () => {
    leave({ start: "1" });
    expect(takes()).toBe(true);
  });
  test("by one of an earlier release that had this process's number", () => {
    leave({ start: undefined, space: undefined });
    expect(takes()).toBe(true);
  });
  test("by one before the machine was started again", () => {
    leave({ boot: "before" });
    expect(takes()).toBe(true);
  });
  test("by one whose number nobody has", () => {
    leave({ pid: 2 ** 22 + 1 });
    expect(takes()).toBe(true);
  });
});

test("of another machine nobody can tell", () => {
  leave({ host: "elsewhere", boot: "another" });
  expect(takes(0)).toBe(false);
  expect(takes(1e9)).toBe(false);
});

test("in another container it is taken once its holder shows nothing for 15 s, whatever the clock on the wall says", () => {
  leave({ space: "pid:[1]", pid: 1 });
  utimesSync(file, 1, 1);
  expect(takes(0)).toBe(false);
  expect(takes(14_000)).toBe(false);
  // A sign of life.
  utimesSync(file, 2, 2);
  expect(takes(15_500)).toBe(false);
  expect(takes(30_000)).toBe(false);
  expect(takes(31_000)).toBe(true);
});
