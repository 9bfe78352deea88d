// `npm install pliant` without a network: the package built from the sources, with the commands that pages use around it.
import { chmodSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtModules } from "../../packages/cli/test/fixtures/command.js";
import { once } from "../../packages/cli/test/fixtures/once.js";
import { root } from "../src/place.js";

export interface Installed {
  /** A node_modules folder with `pliant` as others get it. */
  readonly modules: string;
  /** A folder of npm, npx and node, to stand first in the PATH. */
  readonly commands: string;
}

export async function installed(): Promise<Installed> {
  const modules = await builtModules();
  return { modules, commands: await once("commands", async (folder) => writeCommands(folder, modules)) };
}

/** What pages may ask of a shell. Anything else that would reach for a network is refused. */
function writeCommands(commands: string, modules: string): void {
  const start = ["#!/usr/bin/env bash", `modules="${modules}"`];
  const put = (name: string, lines: readonly string[]): void => {
    writeFileSync(join(commands, name), [...start, ...lines, ""].join("\n"));
    chmodSync(join(commands, name), 0o755);
  };
  const node = process.execPath;
  put("npm", [
    `case "$1" in`,
    `install)`,
    `  for name in "\${@:2}"; do case "$name" in pliant|tsx|typescript) ;; *) echo "npm install $name is not known here" >&2; exit 1;; esac; done`,
    `  [ -e node_modules ] || ln -s "$modules" node_modules;;`,
    `init|pkg) exec "${dirname(node)}/npm" "$@";;`,
    `*) echo "npm $1 is not known here" >&2; exit 1;;`,
    `esac`,
  ]);
  put("npx", [
    `[ -e node_modules/pliant ] || { echo "npm install pliant comes first" >&2; exit 1; }`,
    `case "$1" in`,
    `pliant) exec "${node}" "$modules/pliant/dist/main.js" "\${@:2}";;`,
    `tsc) exec "${node}" "$modules/typescript/bin/tsc" "\${@:2}";;`,
    `tsx) exec "$(dirname "$0")/node" "\${@:2}";;`,
    `*) echo "npx $1 is not known here" >&2; exit 1;;`,
    `esac`,
  ]);
  // As tsx, and Node from 22.18 on: a file of TypeScript runs as it is.
  put("node", [
    `if [[ "$1" = *.ts ]]; then`,
    `  "${join(root, "node_modules/.bin/esbuild")}" "$1" --log-level=warning --format=esm --outfile="\${1%.ts}.mjs"`,
    `  exec "${node}" "\${1%.ts}.mjs" "\${@:2}"`,
    `else exec "${node}" "$@"; fi`,
  ]);
}
