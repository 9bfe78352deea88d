// npm run bench -- try [--rows 10000] [--json]: seconds from the click to the finished run in a browser's page, linear and mlp, 20 columns and
// two requirements, and of them the processor's; the same with the command; and seconds to read ten times as many rows.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { parseArgs } from "node:util";
import { openBrowser } from "../../packages/studio/bench/dist/browser.js";
import { home, root } from "./place.js";
import { buildTry } from "./try.js";

const { values: options } = parseArgs({
  options: { rows: { type: "string", default: "10000" }, json: { type: "boolean", default: false } },
});
const rows = Number(options.rows);
const folder = mkdtempSync(join(tmpdir(), "pliant-bench-try-"));

/** Two groups of whom one is harder to tell, and an interaction that a linear model misses. */
function csv(count: number): string {
  let seed = 1;
  const noise = (): number => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647 - 0.5;
  };
  const lines = Array.from({ length: count }, (_, i) => {
    const x = Array.from({ length: 19 }, noise);
    const group = i % 3 === 0 ? "B" : "A";
    const score = x.reduce((sum, v, k) => sum + v * Math.sin(k + 1), 3 * x[0] * x[1]);
    const bought = score + (group === "B" ? 1.6 : 0.8) * noise() > 0.1 ? "yes" : "no";
    return [group, ...x.map((v) => v.toFixed(4)), bought].join(",");
  });
  const head = ["group", ...Array.from({ length: 19 }, (_, i) => `x${i}`), "bought"];
  return `${head.join(",")}\n${lines.join("\n")}\n`;
}

const specOf = (kind: string): string => `name: ${kind}
data:
  file: rows.csv
  target: bought
  positive: yes
  columns:
    group: group
model:
  kind: ${kind}
requirements:
  missed:
    metric: false-negative-rate
    level: 0.15
  loss by group:
    metric: loss
    by: group
    level: 0.35
`;

const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
process.env.NODE_ENV = "production";
await buildTry(join(folder, "try"));
writeFileSync(join(folder, "rows.csv"), csv(rows));
writeFileSync(join(folder, "more.csv"), csv(10 * rows));
const server = createServer(async (request, response) => {
  const path = new URL(request.url!, "http://page").pathname;
  const file = path.startsWith("/theme/") ? join(home, path) : join(folder, path);
  // An isolated page, whose runtime has threads.
  response.setHeader("cross-origin-opener-policy", "same-origin");
  response.setHeader("cross-origin-embedder-policy", "require-corp");
  response.setHeader("content-type", types[extname(path)] ?? "image/svg+xml");
  response.end(await readFile(file).catch(() => ""));
}).listen(0, "localhost");
const browser = await openBrowser();
if (!browser) throw new Error("There is no Chromium here (apt-get install chromium).");
const patience = 600_000;
const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return Math.round(performance.now() - began) / 1000;
};

const devtools = await browser.newBrowserCDPSession();
/** Seconds of processor time that pages and their workers have taken. */
async function processorSeconds(): Promise<number> {
  const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
  return processInfo.reduce((sum, { type, cpuTime }) => (type === "renderer" ? sum + cpuTime : sum), 0);
}

async function opened() {
  const page = await browser!.newPage();
  page.setDefaultTimeout(patience);
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/try/index.html`);
  const give = async (file: string): Promise<void> => {
    await page.locator("input[type=file]").setInputFiles(join(folder, file));
    await page.locator("[data-rows]").waitFor();
    await page.locator("main[data-work=none]").waitFor();
  };
  return { page, give };
}

const result: Record<string, unknown> = { rows, columns: 20 };
try {
  for (const kind of ["linear", "mlp"]) {
    const { page, give } = await opened();
    await give("rows.csv");
    await page.getByRole("button", { name: "Edit as a spec" }).click();
    await page.getByRole("textbox").fill(specOf(kind));
    const before = await processorSeconds();
    const inPage = await seconds(async () => {
      await page.getByRole("button", { name: "Train", exact: true }).click();
      await page.locator("[data-finished=true]").waitFor();
    });
    const processor = Math.round(1e3 * ((await processorSeconds()) - before)) / 1e3;
    const certified = (await page.getByLabel("Verdict").innerText()).includes("certified");
    await page.close();
    writeFileSync(join(folder, `${kind}.yaml`), specOf(kind));
    const command = [join(root, "packages/cli/bin/pliant.js"), "train", join(folder, `${kind}.yaml`)];
    const byCommand = await seconds(async () => {
      spawnSync(process.execPath, [...command, "--out", join(folder, kind), "--no-insist"]);
    });
    result[kind] = { inPage, processor, byCommand, certified };
  }
  const { page, give } = await opened();
  result.reading = { rows: 10 * rows, seconds: await seconds(() => give("more.csv")) };
  await page.close();
} finally {
  await browser.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(JSON.stringify(result, null, options.json ? undefined : 2));
