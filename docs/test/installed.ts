// `npm install pliant` without a network: the package built from the sources, with the commands that pages use around it.
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vite";
import { once } from "../../packages/cli/test/fixtures/once.js";
import { root } from "../src/place.js";

const cli = join(root, "packages/cli");
/** What it exports, by the name in dist: index, engine, engine/device, … */
const entries = Object.keys(JSON.parse(readFileSync(join(cli, "package.json"), "utf8")).exports).map(
  (path) => (path === "." ? "index" : path.slice(2)),
);

export interface Installed {
  /** A node_modules folder with `pliant` as others get it. */
  readonly modules: string;
  /** A folder of npm, npx and node, to stand first in the PATH. */
  readonly commands: string;
}

export async function installed(): Promise<Installed> {
  const folder = await once("installed", install);
  return { modules: join(folder, "node_modules"), commands: join(folder, "commands") };
}

async function install(folder: string): Promise<void> {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "pliant"), { recursive: true });
  // What npm would bring along; our own packages are inside the built one.
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "pliant" && name !== "@pliant")
      symlinkSync(join(root, "node_modules", name), join(modules, name));
  const exports = Object.fromEntries(
    entries.map((name) => [name === "index" ? "." : `./${name}`, `./dist/${name}.js`]),
  );
  writeFileSync(
    join(modules, "pliant/package.json"),
    JSON.stringify({ name: "pliant", type: "module", exports, bin: { pliant: "./dist/main.js" } }),
  );
  await build({
    root,
    configFile: false,
    logLevel: "silent",
    ssr: { noExternal: [/^@pliant\//, /^pliant$/], resolve: { conditions: ["pliant-source"] } },
    build: {
      ssr: true,
      outDir: join(modules, "pliant/dist"),
      target: "node20",
      rollupOptions: {
        input: {
          main: join(cli, "src/main.ts"),
          ...Object.fromEntries(entries.map((name) => [name, join(cli, `src/entries/${name}.ts`)])),
        },
        output: { entryFileNames: "[name].js", chunkFileNames: "chunk-[name]-[hash].js" },
      },
    },
  });
  writeCommands(join(folder, "commands"));
}

/** What pages may ask of a shell. Anything else that would reach for a network is refused. */
function writeCommands(commands: string): void {
  const start = ["#!/usr/bin/env bash", 'modules="$(dirname "$(dirname "$(realpath "$0")")")/node_modules"'];
  const put = (name: string, lines: readonly string[]): void => {
    writeFileSync(join(commands, name), [...start, ...lines, ""].join("\n"));
    chmodSync(join(commands, name), 0o755);
  };
  mkdirSync(commands);
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
