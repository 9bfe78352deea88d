// npm run fuzz -w @pliant/engine -- [--programs 100000] [--seed 1]: random programs on every back end there is here.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { programs: { type: "string", default: "100000" }, seed: { type: "string", default: "1" } },
});
const root = fileURLToPath(new URL("../../../..", import.meta.url));
const files = ["fuzz", "fuzz-xla"].map((name) => `packages/engine/test/${name}.test.ts`);
const { status } = spawnSync("npx", ["vitest", "run", ...files], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PLIANT_FUZZ: values.programs, PLIANT_SEED: values.seed },
});
process.exitCode = status ?? 1;
