// Whether a checkout can be released.
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Why it cannot, in a sentence; undefined where it can. A rehearsal needs no tag. */
export async function whyNot(
  folder: string,
  version: string,
  { rehearsal = false } = {},
): Promise<string | undefined> {
  const git = (...args: string[]): string =>
    spawnSync("git", args, { cwd: folder, encoding: "utf8" }).stdout.trim();
  if (git("status", "--porcelain"))
    return "The tree has changes that are not committed: commit or remove them first.";
  const changelog = await readFile(join(folder, "CHANGELOG.md"), "utf8");
  if (!changelog.includes(`## ${version}\n`)) return `CHANGELOG.md has no section "## ${version}".`;
  const tags = git("tag", "--points-at", "HEAD").split("\n");
  if (!rehearsal && !tags.includes(`v${version}`)) return `Tag this commit v${version} first.`;
  return undefined;
}
