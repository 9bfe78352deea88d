// npm run mutate -- GROUP… [--only FILE[:FROM-TO]] [--afresh] [--concurrency N]: puts faults into a copy of a group's files, one at a time, and records
// which of them its tests see. What has not changed since the last run is not run again, unless afresh. Exit code 1 where fewer are seen
// than should be.
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { type Group, groupNamed } from "./groups.js";
import { record } from "./record.js";
import { listScores } from "./scores.js";
import { addTensorMethods } from "./tensor-methods.js";

const wanted = 85;

const root = fileURLToPath(new URL("../..", import.meta.url));
process.chdir(root);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    afresh: { type: "boolean", default: false },
    /** Processes that run tests side by side. */
    concurrency: { type: "string", default: "1" },
  },
});
const chosen = (positionals.length > 0 ? positionals : [""]).map((name) => [name, groupNamed(name)] as const);

async function mutate(name: string, { home, files }: Group): Promise<void> {
  // The processes that run the tests read it.
  process.env.PLIANT_MUTATE = name;
  const seen = `mutation/seen/${name}.json`;
  if (values.afresh && !values.only) rmSync(seen, { force: true });
  await new Stryker({
    mutate: (values.only ? [values.only] : files).map((file) => `packages/${home}/src/${file}`),
    ignorePatterns: ["**", "!packages/*/{src,test}/**", "!packages/*/package.json", "!package.json"],
    plugins: [fileURLToPath(new URL("./runner.js", import.meta.url))],
    testRunner: "quick",
    coverageAnalysis: "perTest",
    concurrency: Number(values.concurrency),
    incremental: true,
    incrementalFile: seen,
    force: values.afresh,
    // What never ends is stopped by a count of how often the mutant is passed; a busy machine is only slow.
    timeoutMS: 10_000,
    tempDirName: `mutation/sandbox/${name}`,
    reporters: ["clear-text"],
    clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
    allowConsoleColors: false,
  }).runMutationTest();
  const { score } = record(name, root);
  listScores(root);
  if (score < wanted) process.exitCode = 1;
}

await addTensorMethods();
for (const [name, group] of chosen) await mutate(name, group);
