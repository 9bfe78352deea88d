// The README's table of NumPy's and JAX's names: as many as it says, each there under the name given, and none of the others.
import { readFileSync } from "node:fs";
import * as engine from "@pliant/engine";
import { expect, test } from "vitest";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const section = readme.split("## Names from NumPy and JAX")[1].split("\n## ")[0];
const cells = [...section.matchAll(/^\| [^|]+ \| (`.+) \|$/gm)].map(([, names]) => names);
const entries = cells.flatMap((cell) => cell.split(", ")).map((entry) => entry.match(/`[\w.]+`/g)!);
const absent = [...section.matchAll(/^- (`.+?): /gm)].flatMap(([, names]) => names.match(/[\w.]+/g)!);

/** A function of the engine, or of its random numbers. */
const find = (name: string): unknown =>
  name.split(".").reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], engine);

test("every name is a function of the engine", () => {
  const ours = entries.map((names) => names[names.length - 1].replaceAll("`", ""));
  expect(ours.filter((name) => typeof find(name) !== "function")).toEqual([]);
});

test("names listed as missing are missing", () => {
  expect(absent.filter((name) => find(name.split(".").pop()!) !== undefined)).toEqual([]);
});

test("the README states the right number of names, each once", () => {
  const [, there, all] = section.match(/has (\d+) of these (\d+) operations/)!.map(Number);
  expect([entries.length, entries.length + absent.length]).toEqual([there, all]);
  expect(new Set([...entries.map(([first]) => first), ...absent]).size).toBe(all);
  expect(there / all).toBeGreaterThanOrEqual(160 / 176);
});

test("the functions the README names besides are here", () => {
  const [besides] = section.match(/The engine also has[\s\S]+$/)!;
  const names = besides.match(/`(\w+)`/g)!.map((name) => name.replaceAll("`", ""));
  expect(names.filter((name) => typeof find(name) !== "function")).toEqual([]);
});
