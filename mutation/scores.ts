// The table of README.md, from the records: how many faults of each group were seen, on which day and at which commit.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { groups } from "./groups.js";
import type { Kept } from "./record.js";

const [start, end] = ["<!-- scores -->\n", "<!-- end of scores -->\n"];

export function listScores(root: string): void {
  const results = join(root, "mutation/results");
  const rows = readdirSync(results)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => {
      const name = file.replace(".json", "");
      const kept = JSON.parse(readFileSync(join(results, file), "utf8")) as Kept;
      const { score, killed, timeout, survived, noCoverage, commit, survivors } = kept;
      const date = kept.date ?? committed(root, join(results, file));
      const answered = survivors.filter((mutant) => / \([^()]+\)$/.test(mutant)).length;
      const seen = `${killed + timeout} of ${killed + timeout + survived + noCoverage}`;
      return `| ${name} | ${groups[name]?.home} | ${score.toFixed(1)}% | ${seen} | ${answered} of ${survivors.length} | ${date} | ${commit} |\n`;
    });
  const head =
    "| group | package | score | changes detected | undetected changes with a reason | date | commit |\n|---|---|---|---|---|---|---|\n";
  const file = join(root, "mutation/README.md");
  const text = readFileSync(file, "utf8");
  const [before, after] = [text.indexOf(start) + start.length, text.indexOf(end)];
  writeFileSync(file, `${text.slice(0, before)}${head}${rows.join("")}${text.slice(after)}`);
}

/** When a record without a date was last committed. */
const committed = (root: string, file: string): string =>
  execFileSync("git", ["log", "-1", "--format=%cs", "--", file], { cwd: root, encoding: "utf8" }).trim();
