// The second pass of .ci/run repeats only test files that asked for an optional part, so every way of asking must be recorded.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const place = mkdtempSync(join(tmpdir(), "pliant-optional-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const preload = new URL("../../.ci/optional-parts.mjs", import.meta.url);
let programs = 0;

/** The output of a program that may find Python but not Chromium, and the test files recorded while it ran. */
function ran(program: string): { output: unknown; recorded: string } {
  const list = join(place, String(++programs));
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    env: {
      PATH: process.env.PATH,
      NODE_OPTIONS: `--import=${preload}`,
      PLIANT_OPTIONAL_LOG: list,
      PLIANT_TEST_FILE: "some.test.ts",
      OPTIONAL_PLIANT_JAX_PYTHON: "/python",
    },
  });
  expect(stderr).toBe("");
  return { output: JSON.parse(stdout), recorded: existsSync(list) ? readFileSync(list, "utf8") : "" };
}
const say = (what: string): string => `console.log(JSON.stringify(${what} ?? null));`;
/** Runs it in a child process with all variables of this one and `more`. */
const inAnother = (program: string, more = ""): string => `
  import { spawnSync } from "node:child_process";
  const env = { ...process.env, ${more} };
  process.stdout.write(spawnSync("sh", ["-c", 'exec "$0" --eval "$1"', process.execPath, ${JSON.stringify(program)}], { env }).stdout);`;
const inThread = (program: string): string => `
  import { Worker } from "node:worker_threads";
  new Worker(${JSON.stringify(program)}, { eval: true });`;

test.each([
  ["reads the location of Python", say("process.env.PLIANT_JAX_PYTHON"), "/python"],
  ["destructures process.env", say("(({ PLIANT_JAX_PYTHON }) => PLIANT_JAX_PYTHON)(process.env)"), "/python"],
  ["tests the variable with in", say('"PLIANT_JAX_PYTHON" in process.env'), true],
  ["tests the variable with Object.hasOwn", say('Object.hasOwn(process.env, "PLIANT_JAX_PYTHON")'), true],
  ["reads the location of Chromium, which is not set", say("process.env.CHROMIUM"), null],
  ["tests for a plugin that is not set", say('"PLIANT_PJRT_PLUGIN" in process.env'), false],
  ["asks for two parts", `process.env.CHROMIUM; ${say("process.env.PLIANT_JAX_PYTHON")}`, "/python"],
  ["asks in a child process", inAnother(say("process.env.PLIANT_JAX_PYTHON")), "/python"],
  [
    "asks in a child process that is given another Python",
    inAnother(say("process.env.PLIANT_JAX_PYTHON"), 'PLIANT_JAX_PYTHON: "/other"'),
    "/other",
  ],
  ["asks in a worker thread", inThread(say("process.env.PLIANT_JAX_PYTHON")), "/python"],
  [
    "sets the variable itself",
    `process.env.PLIANT_JAX_PYTHON = "/mine"; ${say("process.env.PLIANT_JAX_PYTHON")}`,
    "/mine",
  ],
  [
    "deletes the variable",
    `delete process.env.PLIANT_JAX_PYTHON; ${say('[process.env.PLIANT_JAX_PYTHON, "PLIANT_JAX_PYTHON" in process.env]')}`,
    [null, false],
  ],
])("a file that %s is recorded", (_, program, output) => {
  expect(ran(program)).toEqual({ output, recorded: "some.test.ts\n" });
});

test.each([
  ["copies all variables", say("({ ...process.env }).PLIANT_JAX_PYTHON"), null],
  ["passes them to a child process", inAnother(say("process.env.PLIANT_TEST_FILE")), "some.test.ts"],
  [
    "reads, sets and deletes other variables",
    `process.env.OTHER = "1"; const other = process.env.OTHER; delete process.env.OTHER; ${say('[other, "OTHER" in process.env]')}`,
    ["1", false],
  ],
])("a file that %s is not recorded, and learns no location", (_, program, output) => {
  expect(ran(program)).toEqual({ output, recorded: "" });
});

test("a variable that is set reaches child processes", () => {
  const program = `process.env.OTHER = "1"; ${inAnother(say("process.env.OTHER"))}`;
  expect(ran(program)).toEqual({ output: "1", recorded: "" });
});
