// "Try your own table" in a browser, from a web host: it trains what the command trains, keeps everything in the tab, and answers bad
// files as the command does.
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { unzipSync, zipSync } from "fflate";
import type { Browser, Download, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inspectCommand } from "../../packages/cli/src/training/inspect.js";
import { trainCommand } from "../../packages/cli/src/training/train.js";
import { serveStudio } from "../../packages/studio/src/index.js";
import {
  browserPath,
  launch,
  openPage,
  operable,
  tabThrough,
  whyNoBrowser,
} from "../../packages/studio/test/browser.js";
import { buildTry } from "../dist/try.js";

if (!browserPath) console.warn(whyNoBrowser);

const types: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** Two groups, of whom one is harder to tell; the same rows every time. */
function rowsCsv(rows = 600): string {
  let seed = 1;
  const noise = (): number => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647 - 0.5;
  };
  const lines = Array.from({ length: rows }, (_, i) => {
    const [x, y] = [noise(), noise()];
    const group = i % 3 === 0 ? "B" : "A";
    return `${x.toFixed(4)},${y.toFixed(4)},${group},${x + y / 2 + (group === "B" ? 1.2 : 0.4) * noise() > 0.1 ? "yes" : "no"}`;
  });
  return `x,y,group,bought\n${lines.join("\n")}\n`;
}

const spec = `name: shop
data:
  file: rows.csv
  target: bought
  positive: yes
  columns:
    group: group
model:
  kind: linear
requirements:
  loss by group:
    metric: loss
    by: group
    level: 0.45
  small:
    metric: size
    level: 3
seed: 1
`;

describe.skipIf(!browserPath)("Try your own table", () => {
  let folder: string;
  let server: Server;
  let browser: Browser;
  let address: string;
  /** What the host says of its pages. */
  let headers: Record<string, string> = {};

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pliant-try-page-"));
    await buildTry(join(folder, "site/try"));
    await writeFile(join(folder, "rows.csv"), rowsCsv());
    await writeFile(join(folder, "spec.yaml"), spec);
    server = createServer(async (request, response) => {
      const path = new URL(request.url!, "http://page").pathname;
      const at = path.startsWith("/theme/")
        ? join(import.meta.dirname, "..", path)
        : join(folder, "site", path);
      try {
        const body = await readFile(at);
        response.setHeader("content-type", types[extname(path)] ?? "application/octet-stream");
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
        response.end(body);
      } catch {
        response.statusCode = 404;
        response.end();
      }
    }).listen(0, "localhost");
    browser = await launch();
    address = `http://localhost:${(server.address() as AddressInfo).port}/try/index.html`;
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(options = {}) {
    const opened = await openPage(browser, options);
    const asked: string[] = [];
    opened.page.on("request", (request) => asked.push(request.url()));
    await opened.page.goto(address);
    return { ...opened, asked };
  }

  const idle = (page: Page): Promise<void> => page.locator("main[data-work=none]").waitFor();

  async function give(page: Page, file: string): Promise<void> {
    const taken = Number(await page.locator("[data-taken]").getAttribute("data-taken"));
    await page.locator("input[type=file]").setInputFiles(file);
    await page.locator(`[data-taken="${taken + 1}"]`).waitFor();
    await idle(page);
  }

  async function train(page: Page): Promise<void> {
    await give(page, join(folder, "rows.csv"));
    await page.getByRole("button", { name: "Edit as a spec" }).click();
    await page.getByRole("textbox").fill(spec);
    await page.getByRole("button", { name: "Train", exact: true }).click();
    await page.locator("[data-finished=true]").waitFor();
  }

  async function saved(page: Page, label: string): Promise<Uint8Array> {
    const [download] = (await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: label }).click(),
    ])) as [Download, unknown];
    return new Uint8Array(await readFile(await download.path()));
  }

  test("trains what the command trains, asks nobody, and its run folder opens in the Studio", async () => {
    const { page, complaints, asked, close } = await open();
    await train(page);
    const files = unzipSync(await saved(page, "Run folder (zip)"));
    const out = join(folder, "by-command");
    await trainCommand([join(folder, "spec.yaml"), "--out", out, "--device", "reference", "--no-insist"]);
    const own = JSON.parse(new TextDecoder().decode(files["shop/report.json"]));
    const theirs = JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
    expect(numbersOf(own)).toEqual(numbersOf(theirs).map(([path, x]) => [path, closeTo(x)]));
    expect(own.certificate.holds).toBe(true);

    // The verdict is the report's own.
    const verdict = await page.getByLabel("Verdict").innerText();
    expect(verdict).toContain("certified");
    expect(await page.locator("[data-requirement]").count()).toBe(Object.keys(theirs.requirements).length);
    await page.getByRole("button", { name: "Model", exact: true }).click();
    await page.getByText("Reliability").first().waitFor();

    const names = Object.keys(files);
    for (const name of [
      "run.json",
      "metrics.jsonl",
      "report.json",
      "spec.yaml",
      "checkpoint.safetensors",
      "model.onnx",
    ])
      expect(names).toContain(`shop/${name}`);
    expect(new TextDecoder().decode(files["rows.csv"])).toBe(rowsCsv());
    const runs = join(folder, "unpacked");
    await mkdir(join(runs, "shop"), { recursive: true });
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(runs, name), bytes);
    const studio = await serveStudio({ runs, port: 0 });
    try {
      const response = await fetch(`${studio.url}api/run?name=shop`);
      expect(await response.json()).toMatchObject({ summary: { status: "finished", certified: true } });
    } finally {
      await studio.close();
    }
    // A small table needs no runtime.
    expect(asked.filter((url) => url.endsWith("runtime.js"))).toEqual([]);
    expect(
      asked.filter((url) => !url.startsWith("blob:") && !url.startsWith(new URL("..", address).href)),
    ).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test.each([
    ["", {}],
    [
      " and in threads, because its host isolates it",
      { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" },
    ],
  ])(
    "a larger table is trained in WebAssembly from the page's own host, with the command's numbers%s",
    async (_, isolating) => {
      headers = isolating;
      const { page, complaints, asked, close } = await open();
      await writeFile(join(folder, "many.csv"), rowsCsv(8000));
      const many = spec.replace("rows.csv", "many.csv").replace("shop", "many");
      await writeFile(join(folder, "many.yaml"), many);
      await give(page, join(folder, "many.csv"));
      // While the person states what to train.
      await expect.poll(() => asked.filter((url) => url.endsWith("runtime.js"))).toHaveLength(1);
      await page.getByRole("button", { name: "Edit as a spec" }).click();
      await page.getByRole("textbox").fill(many);
      await page.getByRole("button", { name: "Train", exact: true }).click();
      await page.locator("[data-finished=true]").waitFor({ timeout: 250_000 });
      const files = unzipSync(await saved(page, "Run folder (zip)"));
      const read = (name: string) => JSON.parse(new TextDecoder().decode(files[`many/${name}`]));
      expect(read("run.json").device).toBe("auto");
      const out = join(folder, "many-by-command");
      await trainCommand([join(folder, "many.yaml"), "--out", out, "--device", "reference", "--no-insist"]);
      const theirs = JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
      // Bounds of errors come from a gradient that is nearly 0, and keep fewer of its digits.
      expect(numbersOf(read("report.json"))).toEqual(
        numbersOf(theirs).map(([path, x]) => [
          path,
          Number.isInteger(x) ? x : expect.closeTo(x, path.includes(".errors.") ? 4 : 5),
        ]),
      );
      expect(asked.filter((url) => url.endsWith("runtime.js"))).toHaveLength(1);
      const isolated = await page.evaluate(() => crossOriginIsolated);
      expect(isolated).toBe("cross-origin-opener-policy" in isolating);
      const cores = await page.evaluate(() => navigator.hardwareConcurrency);
      // The one that trains, and a worker for each further thread of the runtime.
      expect(page.workers()).toHaveLength(isolated ? Math.min(4, Math.max(1, cores - 1)) : 1);
      headers = {};
      expect(
        asked.filter((url) => !url.startsWith("blob:") && !url.startsWith(new URL("..", address).href)),
      ).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test("loads less than 400 kB, compressed, before the first click", async () => {
    // As the site is built: tests build Svelte's parts with its warnings.
    const { NODE_ENV } = process.env;
    process.env.NODE_ENV = "production";
    await buildTry(join(folder, "published")).finally(() => {
      process.env.NODE_ENV = NODE_ENV;
    });
    const files = ["index.html", "try.css", "try.js"].map((name) =>
      readFileSync(join(folder, "published", name)),
    );
    const size = files.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0);
    console.log(`Try your own table: ${Math.round(size / 1e3)} kB compressed`);
    expect(size).toBeLessThan(400_000);
  });

  test("the page may not connect to anything", async () => {
    const { page, close } = await open();
    // What the policy stops never comes to a server.
    const reached: string[] = [];
    server.on("request", ({ url = "" }) => {
      // The icon is the browser's own wish.
      if (url !== "/theme/icon.svg") reached.push(url);
    });
    const refused = await page.evaluate(async (here) => {
      const tries = [
        () => fetch(here),
        () => fetch("https://example.com"),
        () =>
          new Promise((_, reject) => {
            const socket = new WebSocket("ws://localhost:1");
            socket.onerror = () => reject(new Error());
          }),
      ];
      const outcomes = await Promise.allSettled(tries.map(async (one) => one()));
      navigator.sendBeacon(`${here}?beacon`);
      return outcomes.map(({ status }) => status);
    }, address);
    expect(refused).toEqual(["rejected", "rejected", "rejected"]);
    expect(reached).toEqual([]);
    await close();
  });

  test("shows the same summary of a table as pliant inspect", async () => {
    const { page, close } = await open();
    await give(page, join(folder, "rows.csv"));
    const said: string[] = [];
    const log = console.log;
    console.log = (text: string) => said.push(text);
    await inspectCommand([join(folder, "rows.csv")]).finally(() => {
      console.log = log;
    });
    const cells = await page.locator("[data-column] > *").allInnerTexts();
    for (const cell of cells.filter((text) => text !== "" && !/, (target|group)$/.test(text)))
      expect(said.join("\n")).toContain(cell);
    await close();
  });

  test.each([
    ["duplicate.csv", "a,a\n1,2\n"],
    ["ragged.csv", "a,b\n1,2,3\n"],
    ["latin.csv", Buffer.from("name,b\nK\u00f6ln,2\n", "latin1")],
    ["book.xlsx", Buffer.from([0x50, 0x4b, 3, 4, 0, 0])],
    ["broken.jsonl", '{"x": 1}\n{"x": \n'],
    ["cut.parquet", "PAR1 and no more"],
  ])("%s is answered as the command answers it", async (name, content) => {
    const file = join(folder, name);
    await writeFile(file, content);
    const sentence = await inspectCommand([file]).then(
      () => undefined,
      (reason: Error) => reason.message,
    );
    expect(sentence).toBeDefined();
    const { page, close } = await open();
    await give(page, file);
    const shown = await page.getByRole("alert").innerText();
    // The command was given the whole path; DuckDB words its own refusals.
    const own = sentence!.replaceAll(file, name);
    const words = (text: string): string => text.replace(/(cannot be read as \w+( lines)?):.*/i, "$1");
    // A file's name is not a word that begins a sentence.
    expect(words(shown)).toBe(own.startsWith(name) ? words(own) : words(own[0].toUpperCase() + own.slice(1)));
    await close();
  });

  test("a refusal to train scrolls into view, with the words of the command", async () => {
    const { page, close } = await open({ viewport: { width: 900, height: 400 } });
    const file = join(folder, "alike.csv");
    await writeFile(file, `x,y\n${"1,yes\n2,yes\n".repeat(20)}`);
    await writeFile(join(folder, "alike.yaml"), spec.replace("rows.csv", "alike.csv").replace("bought", "y"));
    await give(page, file);
    await page.getByRole("button", { name: "Edit as a spec" }).click();
    await page.getByRole("textbox").fill(readFileSync(join(folder, "alike.yaml"), "utf8"));
    await page.getByRole("button", { name: "Train", exact: true }).click();
    const alert = page.getByRole("alert");
    await alert.waitFor();
    const y = async () => (await alert.boundingBox())!.y;
    await expect.poll(async () => (await y()) >= 0 && (await y()) < 400).toBe(true);
    const own = await trainCommand([join(folder, "alike.yaml"), "--device", "reference", "--no-insist"]).then(
      () => "",
      (reason: Error) => reason.message,
    );
    expect(own).toContain("alike.csv");
    expect(await alert.innerText()).toBe(own.replaceAll(`${folder}/`, ""));
    await close();
  });

  test("JSON lines, TSV and a run folder that the command made are opened", async () => {
    const { page, close } = await open();
    await writeFile(join(folder, "rows.tsv"), rowsCsv().replaceAll(",", "\t"));
    await give(page, join(folder, "rows.tsv"));
    expect(await page.locator("[data-rows]").getAttribute("data-rows")).toBe("600");
    const lines = rowsCsv().trimEnd().split("\n").slice(1);
    await writeFile(
      join(folder, "rows.jsonl"),
      lines
        .map((line) => JSON.stringify({ x: Number(line.split(",")[0]), bought: line.split(",")[3] }))
        .join("\n"),
    );
    await give(page, join(folder, "rows.jsonl"));
    await expect.poll(() => page.locator("[data-column]").count()).toBe(2);
    const out = join(folder, "zipped");
    await trainCommand([join(folder, "spec.yaml"), "--out", out, "--device", "reference", "--no-insist"]);
    const names = ["run.json", "metrics.jsonl", "report.json", "spec.yaml", "checkpoint.safetensors"];
    const inside = Object.fromEntries(
      names.map((name) => [`zipped/${name}`, new Uint8Array(readFileSync(join(out, name)))]),
    );
    await writeFile(join(folder, "zipped.zip"), zipSync(inside));
    await page.locator("input[type=file]").setInputFiles(join(folder, "zipped.zip"));
    await page.locator("[data-run=zipped][data-finished=true]").waitFor();
    expect((await saved(page, "Model (ONNX)")).length).toBeGreaterThan(100);
    await writeFile(join(folder, "no-run.zip"), zipSync({ "a.txt": new Uint8Array([1]) }));
    await page.locator("input[type=file]").setInputFiles(join(folder, "no-run.zip"));
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("holds no run");
    await close();
  });

  test("a form asks for the same as a spec; cancel stops the run; a reload keeps table, form and run", async () => {
    const { page, complaints, close } = await open();
    await give(page, join(folder, "rows.csv"));
    await page.getByLabel("group", { exact: true }).first().check();
    await idle(page);
    await page.getByRole("button", { name: "Add a requirement" }).click();
    await page.getByLabel("Level").fill("0.2");
    await page.getByRole("button", { name: "Edit as a spec" }).click();
    const written = await page.locator("textarea").inputValue();
    for (const line of ["target: bought", "group: group", "metric: false-negative-rate", "level: 0.2"])
      expect(written).toContain(line);
    await page
      .getByRole("textbox")
      .fill(`${written}budget:\n  steps: 1000000\n  optimizer: sgd\n  rate: 1e-9\n`);
    // The way to the form and back loses nothing.
    await page.getByRole("button", { name: "Back to the form" }).click();
    await page.getByRole("button", { name: "Edit as a spec" }).click();
    expect(await page.locator("textarea").inputValue()).toContain("rate: 1e-9");
    await page.getByRole("button", { name: "Train", exact: true }).click();
    await page.locator("[data-run]").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator("main[data-work=none][data-status=stopped]").waitFor();
    await page.getByRole("textbox").fill(spec);
    await page.getByRole("button", { name: "Train", exact: true }).click();
    await page.locator("[data-finished=true]").waitFor();
    await idle(page);
    await page.reload();
    await page.locator("[data-finished=true]").waitFor();
    await expect.poll(() => page.locator("[data-rows]").getAttribute("data-rows")).toBe("600");
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe(spec);
    expect(complaints).toEqual([]);
    await close();
  });

  test("at 360 px nothing is wider than the page, every control is reached by Tab, and axe finds nothing", async () => {
    const { page, complaints, close } = await open({ viewport: { width: 360, height: 740 } });
    const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const faults = async (): Promise<string[]> => {
      await page.evaluate(axe);
      return page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
        };
        const { violations } = await axe.run({ resultTypes: ["violations"], preload: false });
        return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
      });
    };
    const wide = (): Promise<number> =>
      page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth));
    expect([await faults(), await wide()]).toEqual([[], 0]);
    await page.getByRole("button", { name: "Example: Clouds" }).click();
    await page.locator("[data-rows]").waitFor();
    await idle(page);
    await page.getByRole("button", { name: "Back to the form" }).click();
    await page.getByRole("button", { name: "Add a requirement" }).click();
    expect([await faults(), await wide()]).toEqual([[], 0]);
    const reached = await tabThrough(page);
    expect((await operable(page)).filter(({ place }) => !reached.has(place)).map(({ what }) => what)).toEqual(
      [],
    );
    await train(page);
    expect([await faults(), await wide()]).toEqual([[], 0]);
    await page.getByRole("button", { name: "Model", exact: true }).click();
    await page.locator("section[aria-label='Rates by group'] [data-rate]").first().waitFor();
    expect([await faults(), await wide()]).toEqual([[], 0]);
    expect(complaints).toEqual([]);
    await close();
  });
});

const closeTo = (x: number): unknown => (Number.isInteger(x) ? x : expect.closeTo(x, 6));

/** Every number of a report, by its path, but for how long it took. */
function numbersOf(value: unknown, path = ""): [string, number][] {
  if (typeof value === "number") return /\.seconds/.test(path) ? [] : [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => numbersOf(inner, `${path}.${key}`));
}
