// The second pass of .ci/run leaves out what never asked for an optional part: none that did may go unnoticed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const place = mkdtempSync(join(tmpdir(), "pliant-asked-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const noting = new URL("../../.ci/asked.mjs", import.meta.url);
let programs = 0;

/** What a program says that is told where Python is and not where Chromium is, and for whom anything was noted meanwhile. */
function ran(program: string): { said: unknown; noted: string } {
  const list = join(place, String(++programs));
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    env: {
      PATH: process.env.PATH,
      NODE_OPTIONS: `--import=${noting}`,
      PLIANT_ASKED: list,
      PLIANT_ASKED_BY: "some.test.ts",
      TOLD_PLIANT_JAX_PYTHON: "/python",
    },
  });
  expect(stderr).toBe("");
  return { said: JSON.parse(stdout), noted: existsSync(list) ? readFileSync(list, "utf8") : "" };
}
const say = (what: string): string => `console.log(JSON.stringify(${what} ?? null));`;
/** In a process of its own, which has all variables of this one and what is added to them. */
const inAnother = (program: string, more = ""): string => `
  import { spawnSync } from "node:child_process";
  const env = { ...process.env, ${more} };
  process.stdout.write(spawnSync("sh", ["-c", 'exec "$0" --eval "$1"', process.execPath, ${JSON.stringify(program)}], { env }).stdout);`;
const inThread = (program: string): string => `
  import { Worker } from "node:worker_threads";
  new Worker(${JSON.stringify(program)}, { eval: true });`;

test.each([
  ["reads where Python is", say("process.env.PLIANT_JAX_PYTHON"), "/python"],
  ["takes it out of all", say("(({ PLIANT_JAX_PYTHON }) => PLIANT_JAX_PYTHON)(process.env)"), "/python"],
  ["asks whether it is said", say('"PLIANT_JAX_PYTHON" in process.env'), true],
  ["asks in another way", say('Object.hasOwn(process.env, "PLIANT_JAX_PYTHON")'), true],
  ["reads where Chromium is, which nobody said", say("process.env.CHROMIUM"), null],
  [
    "asks whether there is a plugin, of which nobody said so",
    say('"PLIANT_PJRT_PLUGIN" in process.env'),
    false,
  ],
  ["asks twice", `process.env.CHROMIUM; ${say("process.env.PLIANT_JAX_PYTHON")}`, "/python"],
  ["asks in another process", inAnother(say("process.env.PLIANT_JAX_PYTHON")), "/python"],
  [
    "asks in another process that is told of another Python",
    inAnother(say("process.env.PLIANT_JAX_PYTHON"), 'PLIANT_JAX_PYTHON: "/other"'),
    "/other",
  ],
  ["asks in another thread", inThread(say("process.env.PLIANT_JAX_PYTHON")), "/python"],
  [
    "says itself where Python is",
    `process.env.PLIANT_JAX_PYTHON = "/mine"; ${say("process.env.PLIANT_JAX_PYTHON")}`,
    "/mine",
  ],
  [
    "takes away what is said",
    `delete process.env.PLIANT_JAX_PYTHON; ${say('[process.env.PLIANT_JAX_PYTHON, "PLIANT_JAX_PYTHON" in process.env]')}`,
    [null, false],
  ],
])("a file that %s has asked", (_, program, said) => {
  expect(ran(program)).toEqual({ said, noted: "some.test.ts\n" });
});

test.each([
  ["copies all variables", say("({ ...process.env }).PLIANT_JAX_PYTHON"), null],
  ["hands them on", inAnother(say("process.env.PLIANT_ASKED_BY")), "some.test.ts"],
  [
    "reads, changes and takes away others",
    `process.env.OTHER = "1"; const other = process.env.OTHER; delete process.env.OTHER; ${say('[other, "OTHER" in process.env]')}`,
    ["1", false],
  ],
])("one that %s has not, and has no part from that", (_, program, said) => {
  expect(ran(program)).toEqual({ said, noted: "" });
});

test("variables are changed in the environment itself, where other programs read them", () => {
  const program = `process.env.OTHER = "1"; ${inAnother(say("process.env.OTHER"))}`;
  expect(ran(program)).toEqual({ said: "1", noted: "" });
});
