// Paths as Windows writes them: the names of runs and their folders must not depend on the separator.
import { expect, test, vi } from "vitest";

vi.mock("node:path", async (original) => {
  const { win32 } = await original<typeof import("node:path")>();
  return { ...win32, default: win32 };
});
const { nameOf, chosenFolder } = await import("../src/training/folders.js");

test.each([
  ["C:\\work\\loans\\spec.yaml", "loans"],
  ["loans\\spec.yaml", "loans"],
  ["C:\\work\\credit.yml", "credit"],
  ["loans/spec.yaml", "loans"],
])("the run of %s is called %s", (path, name) => {
  expect(nameOf(path)).toBe(name);
});

test("a run folder is under runs, and its name holds no character that Windows refuses", () => {
  const folder = chosenFolder(
    { force: false, resume: false },
    'C:\\a<b>c:"d|e?f*g',
    () => false,
    () => {},
  );
  expect(folder).toMatch(/^runs\\/);
  expect(folder.slice("runs\\".length)).not.toMatch(/[\\/:*?"<>|]/);
});
