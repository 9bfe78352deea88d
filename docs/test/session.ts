// Runs the code blocks of a page, one after another, in one shell and in a folder of the page's own.
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Block } from "../src/block.js";
import type { Installed } from "./installed.js";

/** Languages whose blocks are run, by what runs them. */
const commands: Readonly<Record<string, (file: string) => string>> = {
  ts: (file) => `node ${file}`,
  js: (file) => `node ${file}`,
};

export interface Ran {
  readonly block: Block;
  /** What it printed, both streams together. */
  readonly said: string;
}

/** The name of the file that a block is written to. */
export const fileOf = ({ file, language, line }: Block): string => file ?? `.block-${line}.${language}`;

const isRun = ({ language, file, from, skip }: Block): boolean =>
  !skip && (language === "sh" || (language in commands && !file && !from));

/** Runs them and tells what each printed. The first that does not end as it should ends the page, with its words. */
export function runBlocks(
  blocks: readonly Block[],
  folder: string,
  { commands: first, modules }: Installed,
): Ran[] {
  mkdirSync(folder, { recursive: true });
  const script = ["exec 2>&1"];
  const ran = blocks.filter(isRun);
  for (const block of blocks) {
    const file = fileOf(block);
    const written = block.file || (isRun(block) && block.language !== "sh");
    // Files appear as the page goes on, so that a later version of one may take its place.
    if (written) {
      const kept = `.written-${block.line}`;
      writeFileSync(join(folder, kept), block.code);
      script.push(`mkdir -p "$(dirname ${file})" && mv ${kept} ${file}`);
    }
    if (!isRun(block)) continue;
    const body = block.language === "sh" ? block.code : commands[block.language](file);
    script.push(`printf '\\001'`, `(set -e\n${body}\n)`, `code=$?`);
    script.push(
      `[ $code = ${block.exit} ] || { printf 'line ${block.line}: ended with %s\\n' $code; exit 1; }`,
    );
  }
  // A program needs no installation of its own: pages that show one begin with it.
  if (!blocks.some(({ code }) => code.includes("npm install")))
    linkOnce(modules, join(folder, "node_modules"));
  const { stdout, status } = spawnSync("bash", ["-c", script.join("\n")], {
    cwd: folder,
    encoding: "utf8",
    env: {
      PATH: `${first}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: folder,
      LANG: "C.UTF-8",
      NO_COLOR: "1",
    },
  });
  const said = stdout.split("\u0001").slice(1);
  if (status !== 0) {
    const at = ran[said.length - 1];
    throw new Error(`The block on line ${at?.line} failed:\n${at?.code}\n${said.at(-1) ?? stdout}`);
  }
  return ran.map((block, i) => ({ block, said: said[i] }));
}

function linkOnce(to: string, at: string): void {
  try {
    symlinkSync(to, at);
  } catch {
    // A page that goes on in another's folder has it.
  }
}
