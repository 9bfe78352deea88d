// Training writes nothing outside its run folder and opens no connection.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { builtModules } from "./fixtures/command.js";
import { smallLoans } from "./fixtures/loans.js";

const strace = (process.env.PATH ?? "").split(":").some((place) => existsSync(join(place, "strace")));
const watched = process.platform === "linux" && strace;
if (!watched)
  console.log("Not watched: what is opened and connected is seen by strace (apt-get install strace).");

/** A home nobody has used, and an environment that names no builder's machine: there libraries keep quiet of themselves. */
function fresh() {
  const home = mkdtempSync(join(tmpdir(), "pliant-home-"));
  const { PATH } = process.env;
  return { home, env: { PATH, HOME: home, TMPDIR: home, OMP_NUM_THREADS: "1", ORT_DISABLE_TELEMETRY: "0" } };
}

let modules: string;
beforeAll(async () => {
  modules = await builtModules();
});

test("training writes only to its run folder, and opens no socket", () => {
  const { home, env } = fresh();
  const { folder, spec } = smallLoans({ rows: 300 });
  const seen = join(folder, "seen.txt");
  const calls = "trace=network,open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2";
  const command = [process.execPath, join(modules, "pliant/dist/main.js"), "train", spec, "--device", "cpu"];
  const [program, ...args] = [
    ...(watched ? ["strace", "-f", "--seccomp-bpf", "-e", calls, "-e", "signal=none", "-o", seen] : []),
    ...[...command, "--set", "budget.steps=100", "--no-insist", "--out", "run"],
  ];
  const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8", env });
  expect(status, stderr).toBe(0);
  expect(readdirSync(home)).toEqual([]);
  expect(
    readdirSync(folder)
      .filter((name) => name !== "seen.txt")
      .sort(),
  ).toEqual(["loans.csv", "run", "spec.yaml"]);
  if (!watched) return;
  const lines = readFileSync(seen, "utf8").split("\n");
  expect(lines.some((line) => line.includes('"run/report.json'))).toBe(true);
  expect(lines.filter((line) => /\b(socket|connect|sendto|bind)\(/.test(line))).toEqual([]);
  const changes = lines.filter((line) =>
    /O_WRONLY|O_RDWR|O_CREAT|\b(creat|mkdir|mkdirat|rename\w*)\(/.test(line),
  );
  const elsewhere = changes.filter(
    (line) => !/"run[/"]|"\/dev\/(null|tty)"/.test(line.replace(`"${folder}/`, '"')),
  );
  expect(elsewhere).toEqual([]);
});

test("the runtime in a worker thread sends no telemetry either, though the C library does not see the worker's variables", () => {
  const { home, env } = fresh();
  const work = join(home, "work");
  mkdirSync(work);
  const opening = `import { onnx } from ${JSON.stringify(join(modules, "pliant/dist/engine/onnx.js"))};
    await (await onnx()).close();`;
  writeFileSync(join(work, "opening.mjs"), opening);
  const starting = `import { Worker } from "node:worker_threads";
    new Worker(new URL("opening.mjs", import.meta.url)).on("exit", (code) => { process.exitCode = code; });`;
  writeFileSync(join(work, "starting.mjs"), starting);
  const { status, stderr } = spawnSync(process.execPath, [join(work, "starting.mjs")], {
    encoding: "utf8",
    env,
  });
  expect(status, stderr).toBe(0);
  expect(readdirSync(home)).toEqual(["work"]);
});
