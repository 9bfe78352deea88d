// Pictures of every page at three widths in both colours, to be looked at: npm run screenshots -w @pliant/studio -- [--out DIR] [--runs DIR]
// [--only TEXT]. The runs are made by the real commands, once where --runs keeps them.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openBrowser, wholePage } from "./browser.js";
import { command, pliant as pliantIn } from "./pliant.js";
import { startServer } from "./server.js";

const { values } = parseArgs({
  options: {
    out: { type: "string" },
    runs: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const out = resolve(values.out ?? mkdtempSync(join(tmpdir(), "pliant-screenshots-")));
const runs = resolve(values.runs ?? join(out, "runs"));

const pliant = (...args: string[]): void => pliantIn(runs, ...args);
function makeRuns(): void {
  mkdirSync(runs, { recursive: true });
  pliant("example", "loans", "--out", ".example");
  const train = (name: string, ...more: string[]) =>
    pliant("train", join(".example", "spec.yaml"), "--device", "cpu", "--out", name, ...more);
  train("loans");
  train("strict", "--hard", "missed defaults [group=B]", "--set", "budget.steps=100");
  for (const seed of [2, 3])
    train(`seed-${seed}`, "--set", `seed=${seed}`, "--set", "budget.steps=200", "--no-insist");
  train("sweep", "--sweep", "cost=0.5,2,8", "--set", "budget.steps=100", "--no-insist");
  // Of 40 groups, each has a requirement of its own.
  const [head, ...rows] = readFileSync(join(runs, ".example", "loans.csv"), "utf8")
    .trim()
    .split("\n");
  const at = head.split(",").indexOf("group");
  const grouped = rows.map((row, i) =>
    row
      .split(",")
      .with(at, `g${i % 40}`)
      .join(","),
  );
  writeFileSync(join(runs, ".example", "many.csv"), [head, ...grouped, ""].join("\n"));
  train("many", "--set", "data.file=many.csv", "--set", "budget.steps=75", "--no-insist");
  const asked = "--dataset strokes --device cpu".split(" ");
  pliant("reproduce", "federated", ...asked, ..."--clients 12 --rounds 20 --out federated".split(" "));
  pliant("reproduce", "invariance", ...asked, ..."--subset 100 --epochs 5 --out invariance".split(" "));
}
if (!existsSync(runs)) makeRuns();

rmSync(join(runs, "running"), { recursive: true, force: true });
const running = spawn(
  process.execPath,
  [command, "train", join(".example", "spec.yaml"), "--device", "cpu", "--out", "running"].concat(
    ["budget.steps=1000000", "budget.tolerance=1e-12"].flatMap((setting) => ["--set", setting]),
  ),
  { cwd: runs, stdio: "ignore" },
);
while (!existsSync(join(runs, "running", "metrics.jsonl"))) await setTimeout(100);

const browser = await openBrowser();
if (!browser) throw new Error("No Chromium was found; name one in CHROMIUM.");
const server = await startServer(runs);
try {
  const listed: { runs: { name: string; clients: number | null; sweep: { group: string } | null }[] } =
    await (await fetch(`${server.url}api/runs`)).json();
  const names = listed.runs.map(({ name }) => name);
  const of = (prefix: string): string[] => names.filter((name) => name.startsWith(prefix));
  const run = (name: string | undefined): string => `#/run/${encodeURIComponent(name ?? "")}`;
  const compared = (list: readonly string[]): string =>
    `#/compare?${new URLSearchParams(list.map((name) => ["run", name]))}`;
  const group = listed.runs.find(({ sweep }) => sweep)?.sweep?.group ?? "";
  const pages: Record<string, string> = {
    runs: "#/runs",
    loans: run("loans"),
    strict: run("strict"),
    invariance: run(of("invariance")[0]),
    federated: run(of("federated")[0]),
    compare: compared(["loans", "strict", ...of("seed-")]),
    sweep: `#/compare?sweep=${encodeURIComponent(group)}`,
    federation: "#/federation",
    playground: "#/playground",
    many: run("many"),
    running: run("running"),
    empty: "#/compare",
  };
  for (const [name, route] of Object.entries(pages).filter(([page]) => page.includes(values.only)))
    for (const width of [390, 1024, 1440])
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await wholePage(browser, `${server.url}${route}`, {
          viewport: { width, height: 900 },
          colorScheme,
        });
        if (name === "playground") await page.locator("[data-settled=true]").waitFor();
        await page.screenshot({ path: join(out, `${name}-${width}-${colorScheme}.png`), fullPage: true });
        await page.close();
      }
  console.log(`The pictures are in ${out}`);
} finally {
  running.kill("SIGKILL");
  await server.close();
  await browser.close();
}
