// npm run bench -- migrating [--json]: the programs of the page on migrating, as they stand there: the same small problem in Cooper and in
// Pliant, in Fairlearn and in Pliant, on the same rows. What each prints, and the seconds of its process. A library that python lacks
// is left out, and that is said.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { python, script, version } from "../peer.js";
import { train } from "../pliant.js";
import { migratingRows } from "./rows.js";

const { values: options } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const say = (line: string): void => (options.json ? console.error(line) : console.log(line));

export interface Ended {
  readonly program: string;
  readonly seconds: number;
  readonly said: string;
}

/** A program in the folder of the rows. */
function run(folder: string, program: string, command: string, file: string): Ended {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(command, [file], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ended with ${status}:\n${stderr}`);
  return { program, seconds: (performance.now() - start) / 1000, said: stdout.trim().replaceAll("\n", "; ") };
}

function inPython(folder: string, program: string, known: string | undefined): Ended | undefined {
  const ended =
    known === undefined ? undefined : run(folder, program, python, script(`migrating/${program}`));
  return tell(ended);
}

function tell<E extends Ended | undefined>(ended: E): E {
  if (ended) say(`${ended.program} (${ended.seconds.toFixed(1)} s)\n  ${ended.said}`);
  return ended;
}

/** The spec, and the numbers that Fairlearn's program prints. */
async function byParity(folder: string): Promise<Ended> {
  copyFileSync(script("migrating/parity.yaml"), join(folder, "spec.json"));
  const { report, seconds, mistake } = await train(folder, "run", ["--no-insist"]);
  if (!report) throw new Error(`pliant train: ${mistake}`);
  const lines = (["train", "test"] as const).map((rows) => {
    const gap = Math.max(...Object.values(report.requirements).map((r) => Math.abs(r[rows]!.strict.value)));
    return `${rows}: error ${report[rows].error!.value.toFixed(4)}, gap ${gap.toFixed(4)}`;
  });
  const certified = report.certificate.holds ? "certified" : "not certified";
  return { program: "parity.yaml", seconds, said: [...lines, certified].join("; ") };
}

const folder = mkdtempSync(join(tmpdir(), "pliant-migrating-"));
try {
  migratingRows(folder);
  const versions = {
    cooper: version("cooper-optim", "cooper, torch, pandas"),
    fairlearn: version("fairlearn", "fairlearn.reductions, sklearn, pandas"),
  };
  for (const [name, known] of Object.entries(versions))
    if (known === undefined) say(`${python} has no ${name}: it is left out.`);
  const bounded = fileURLToPath(new URL("./bounded.js", import.meta.url));
  const ended = [
    inPython(folder, "bounded_cooper.py", versions.cooper),
    tell(run(folder, "bounded.ts", process.execPath, bounded)),
    inPython(folder, "parity_fairlearn.py", versions.fairlearn),
    tell(await byParity(folder)),
  ];
  if (options.json) console.log(JSON.stringify({ versions, programs: ended.filter(Boolean) }, null, 2));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
