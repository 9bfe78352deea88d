// The README's blocks, one after another, are a program, run as it stands.
import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

test("the README's blocks are the program that is run", () => {
  const blocks = [...read("../README.md").matchAll(/```ts\n(.*?)```/gs)].map(([, block]) => block);
  expect(blocks.join("\n")).toBe(read("readme-example.ts"));
});

test("the README's program runs", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  await import("./readme-example.js");
  const losses = log.mock.calls.slice(0, 20).map(([, meanLoss]) => meanLoss);
  log.mockRestore();
  expect(losses.every(Number.isFinite)).toBe(true);
  expect(losses[19]).toBeLessThan(losses[0]);
});
