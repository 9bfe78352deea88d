// npm run mutate -w @pliant/studio -- [server|reckoning|shown] [--from N] [--to N]: puts faults into a copy of the code, one at a time, and
// says which of them no test sees. Exit code 1 where fewer than nine in ten are seen.
import { execFileSync, spawnSync } from "node:child_process";
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
import { parseArgs, stripVTControlCharacters } from "node:util";
import type { Fault } from "./fault.js";
import { reckoningFaults, shownFaults } from "./page-faults.js";
import { serverFaults } from "./server-faults.js";

const rooms: Record<string, readonly Fault[]> = {
  server: serverFaults,
  reckoning: reckoningFaults,
  shown: shownFaults,
};
const wanted = 0.9;

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

/** What runs of the page's tests have in common, which no fault of the page changes: the command and the runs it makes. */
const session = mkdtempSync(join(tmpdir(), "pliant-mutate-session-"));

/** Why a test fails with the fault in its place, in a line; undefined where none does. */
function seenBy(copy: string, { file, from, to, tests, named }: Fault): string | undefined {
  const path = join(copy, "packages/studio", file);
  const whole = readFileSync(path, "utf8");
  if (whole.split(from).length !== 2) throw new Error(`${file} has not exactly one place of: ${from}`);
  writeFileSync(
    path,
    whole.replace(from, () => to),
  );
  try {
    const files = tests.map((name) => `packages/studio/test/${name}.test.ts`);
    const only = named ? ["-t", named] : [];
    const { status, stdout, stderr } = spawnSync(
      "npx",
      ["vitest", "run", ...files, ...only, "--maxWorkers=1", "--bail=1"],
      {
        cwd: copy,
        encoding: "utf8",
        timeout: 240_000,
        env: {
          ...process.env,
          // What is waited for in vain need not be waited for long.
          PLIANT_PATIENCE: "20000",
          ...(file.startsWith("page/") && { PLIANT_TEST_SESSION: session }),
        },
      },
    );
    if (/No test files found|0 passed, 0 failed/.test(stdout)) throw new Error(`no test ran for: ${from}`);
    if (status === 0) return undefined;
    // Tests that never end have seen it too.
    return /(?:Assertion|Timeout)?Error.*/.exec(stripVTControlCharacters(stdout + stderr))?.[0] ?? "no end";
  } finally {
    writeFileSync(path, whole);
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: "string", default: "0" }, to: { type: "string" } },
});
const chosen = positionals.length > 0 ? positionals : Object.keys(rooms);
const faults = chosen
  .flatMap((room) => {
    if (!Object.hasOwn(rooms, room)) throw new Error(`which faults? ${Object.keys(rooms).join(", ")}`);
    return rooms[room];
  })
  .slice(Number(values.from), values.to === undefined ? undefined : Number(values.to));

const copy = copyOfCode();
try {
  const missed: Fault[] = [];
  for (const [i, fault] of faults.entries()) {
    const why = seenBy(copy, fault);
    if (!why) missed.push(fault);
    console.log(
      `${Number(values.from) + i} ${why ? "seen  " : "MISSED"} ${fault.file}: ${fault.what}${why ? ` (${why.slice(0, 140)})` : ""}`,
    );
  }
  const share = 1 - missed.length / faults.length;
  console.log(
    `${faults.length - missed.length} of ${faults.length} faults seen (${(100 * share).toFixed(0)}%).`,
  );
  process.exitCode = share >= wanted ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true });
  rmSync(session, { recursive: true });
}
