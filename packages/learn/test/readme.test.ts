// The README's example is a file here, run as it stands.
import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

test("the README shows the example that this test runs", () => {
  expect(read("../README.md")).toContain(`\`\`\`ts\n${read("readme-example.ts")}\`\`\``);
});

test("the requirement that contradicts the task gives way", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  await import("./readme-example.js");
  const [[text]] = log.mock.calls;
  log.mockRestore();
  const rows = String(text).split("\n").slice(1, 3);
  // The last two columns, in brackets where they are not certified.
  const gave = rows.map((row) => Number(/\(?([\d.]+)\)? +\(?[\d.]+\)?$/.exec(row)?.[1]));
  expect(rows.map((row) => row.split(/\s+/)[0])).toEqual(["turned", "moved"]);
  expect(gave[0]).toBeGreaterThan(0.25);
  expect(gave[1]).toBeLessThan(0.05);
});
