// The second pass of .ci/run leaves out what never asked for an optional part: none that did may go unnoticed.
import { spawnSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { noting } from "../../vitest.asked.js";

const real = process.env;
afterEach(() => {
  process.env = real;
});

/** Whether anything was noted while it ran. */
function notes(does: () => unknown): boolean {
  let noted = false;
  process.env = noting(real, () => {
    noted = true;
  });
  does();
  return noted;
}

test.each([
  ["reads where Chromium is", () => process.env.CHROMIUM],
  ["asks whether there is a plugin", () => "PLIANT_PJRT_PLUGIN" in process.env],
  ["takes the path of Python out of all", () => (({ PLIANT_JAX_PYTHON }) => PLIANT_JAX_PYTHON)(process.env)],
  ["hands all on to another process", () => spawnSync(process.execPath, ["--version"])],
  ["copies all", () => ({ ...process.env })],
])("a file that %s has asked", (_, does) => {
  expect(notes(does)).toBe(true);
});

test("one that reads, changes and takes away other variables has not, and does so in the environment itself", () => {
  const asked = notes(() => {
    process.env.PLIANT_OTHER = `${process.env.PATH}, ${"HOME" in process.env}`;
  });
  expect([asked, real.PLIANT_OTHER]).toEqual([false, `${real.PATH}, true`]);
  expect(
    notes(() => {
      delete process.env.PLIANT_OTHER;
      spawnSync(process.execPath, ["--version"], { env: {} });
    }),
  ).toBe(false);
  expect("PLIANT_OTHER" in real).toBe(false);
});
