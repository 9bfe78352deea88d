// npm run mutate -w @pliant/studio -- [access|server|reckoning|words|shown] [--from N] [--to N] [--new]: puts faults into a copy of the code, one at a time, and
// says which of them no test sees (--new: those of which nothing is known yet); mutate/results.json keeps what was found of each. Exit code 1 where fewer than nine in ten are seen.
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Fault, rooms } from "./faults.js";
import { type Found, isKnown, keep } from "./results.js";
import { type Tests, testsIn } from "./tests.js";

const wanted = 0.9;
/** Tests that never end have seen it too. Long enough for what they make first, on a busy machine. */
const patience = 300_000;

const root = join(dirname(fileURLToPath(import.meta.url)), "../../../..");

/** The files that git knows, in a folder of their own beside the same node_modules. */
function copyOfCode(): string {
  const copy = mkdtempSync(join(tmpdir(), "pliant-mutate-"));
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const file of listed.split("\n").filter((name) => name && !name.startsWith("packages/lab/results"))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** What runs of the tests have in common: the command, which has the server in it, and the runs it makes. */
const session = mkdtempSync(join(tmpdir(), "pliant-mutate-session-"));
process.env.PLIANT_TEST_SESSION = session;
// What is waited for in vain need not be waited for long.
process.env.PLIANT_PATIENCE = "20000";

/** What a test says with the fault in its place. */
async function tried(tests: Tests, copy: string, fault: Fault): Promise<Found> {
  const { what, file, from, to, tests: names, named } = fault;
  const path = join(copy, "packages/studio", file);
  const whole = readFileSync(path, "utf8");
  if (whole.split(from).length !== 2) throw new Error(`${file} has not exactly one place of: ${from}`);
  writeFileSync(
    path,
    whole.replace(from, () => to),
  );
  if (!file.startsWith("page/")) rmSync(join(session, "package"), { recursive: true, force: true });
  try {
    const files = names.map((name) => join(copy, `packages/studio/test/${name}.test.ts`));
    const { ran, failed } = await tests.run(files, { changed: path, named, patience });
    if (!ran) throw new Error(`no test ran for: ${from}`);
    return { file, what, seen: failed !== undefined, ...failed };
  } finally {
    writeFileSync(path, whole);
    tests.forget(path);
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: "string", default: "0" },
    to: { type: "string" },
    new: { type: "boolean", default: false },
  },
});
const chosen = positionals.length > 0 ? positionals : Object.keys(rooms);
const faults = chosen
  .flatMap((room) => {
    if (!Object.hasOwn(rooms, room)) throw new Error(`which faults? ${Object.keys(rooms).join(", ")}`);
    return rooms[room];
  })
  .filter((fault) => !values.new || !isKnown(fault))
  .slice(Number(values.from), values.to === undefined ? undefined : Number(values.to));

const copy = copyOfCode();
const tests = await testsIn(copy);
try {
  const all: Found[] = [];
  for (const [i, fault] of faults.entries()) {
    const found = await tried(tests, copy, fault);
    all.push(found);
    keep([found]);
    const { file, what, seen, by, why } = found;
    console.log(
      `${Number(values.from) + i} ${seen ? "seen  " : "MISSED"} ${file}: ${what}${seen ? ` (${by}: ${why})` : ""}`,
    );
  }
  const seen = all.filter((found) => found.seen).length;
  console.log(`${seen} of ${all.length} changes detected (${((100 * seen) / all.length).toFixed(0)}%).`);
  process.exitCode = seen / all.length >= wanted ? 0 : 1;
} finally {
  await tests.close();
  rmSync(copy, { recursive: true });
  rmSync(session, { recursive: true });
}
