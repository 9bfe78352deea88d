#!/usr/bin/env node
// Starts the command. In a checkout that was never built, builds it first.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const main = new URL("../dist/main.js", import.meta.url);
const compiler = new URL("../../../node_modules/typescript/bin/tsc", import.meta.url);
if (!existsSync(main) && existsSync(compiler)) {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  // The compiler's words go beside the command's output, not into it.
  spawnSync(process.execPath, [fileURLToPath(compiler), "-b"], { cwd: root, stdio: ["ignore", 2, 2] });
}
await import(main.href);
