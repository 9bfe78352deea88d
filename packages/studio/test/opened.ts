// The Studio over a folder of runs that the real command makes, open in a real browser.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { builtCommand } from "../../cli/test/fixtures/command.js";
import { smallLoans } from "../../cli/test/fixtures/loans.js";
import { once } from "../../cli/test/fixtures/once.js";
import { ensurePage, type ServeOptions, type Serving, serveStudio } from "../src/index.js";
import { browserPath, launch, openPage, visit, whyNoBrowser } from "./browser.js";
import { temporaryFolder } from "./fixtures.js";

if (!browserPath) console.warn(whyNoBrowser);

export { browserPath };

export interface Opened {
  readonly folder: string;
  /** The runs folder. */
  readonly runs: string;
  /** The loans example at a reduced size. */
  readonly loans: string;
  readonly server: Serving;
  readonly browser: Browser;
  /** Runs the command beside the runs folder. Exit codes other than 0 are thrown. */
  pliant(...args: string[]): Promise<string>;
  /** The loans example trained to its end by the command, once for all tests, as a run of that name. */
  trained(name: string): Promise<void>;
  /** A federation of four that gives way and one that does not, once for all tests, under that name; tells the names of both. */
  federated(name: string): Promise<{ resilient: string; constrained: string }>;
  /** The same of images that are turned: one that is asked for nothing, and one that must hold and does not. */
  invariance(name: string): Promise<{ unconstrained: string; constrained: string }>;
  /** A sweep of the loans example's cost, of which nothing is known yet, once for all tests: the runs of the group swept-cost. */
  swept(): Promise<void>;
  /** Part of a finished run as a run of its own that is at work: its first lines of metrics and no report. Tells its folder. */
  begun(of: string, name: string, lines: number): string;
  /** Begins the command and leaves it to the test to end it. */
  begin(...args: string[]): ChildProcess;
  /** A new page at a route, with everything it asked for; `complaints` are what its console said. */
  at(
    route: string,
    options?: BrowserContextOptions,
  ): Promise<{ page: Page; complaints: string[]; close(): Promise<void> }>;
  close(): Promise<void>;
}

/** The lines of a run's metrics. */
export const linesOf = (folder: string): string[] =>
  readFileSync(join(folder, "metrics.jsonl"), "utf8").trimEnd().split("\n");

/** As the printed address has it, behind the hash. */
const withToken = (address: string, token: string): string =>
  `${address}${address.includes("#") ? "" : "#/"}${/#.*\?/.test(address) ? "&" : "?"}page=${token}`;

export async function openStudio(options: Partial<ServeOptions> = {}): Promise<Opened> {
  const temporary = temporaryFolder();
  const runs = join(temporary.path, "runs");
  mkdirSync(runs);
  const [main, page, browser] = await Promise.all([builtCommand(), ensurePage(), launch()]);
  const server = await serveStudio({ runs, port: 0, page, command: [process.execPath, main], ...options });
  const loans = smallLoans().spec;
  const pliant: Opened["pliant"] = (...args) =>
    new Promise((done, failed) => {
      execFile(process.execPath, [main, ...args], { cwd: temporary.path }, (error, stdout, stderr) =>
        error ? failed(new Error(`pliant ${args.join(" ")}: ${stderr}`)) : done(stdout),
      );
    });
  /** One of the paper's experiments on built-in data, as runs under that name, each found by its method. */
  const reproduced = async <Method extends string>(what: string, name: string, options: string) => {
    const made = await once(what, async (folder) => {
      const asked = `--dataset strokes --device cpu ${options} --out`.split(" ");
      await pliant("reproduce", what, ...asked, join(folder, "runs"));
    });
    cpSync(join(made, "runs"), join(runs, name), { recursive: true, preserveTimestamps: true });
    const found = readdirSync(join(runs, name), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith("run.json"))
      .map((file) => join(name, dirname(file)));
    const methods = (/--method (\S+)/.exec(options)?.[1] ?? "").split(",");
    return Object.fromEntries(
      methods.map((method) => [method, found.find((run) => new RegExp(`\\b${method}`).test(run)) ?? ""]),
    ) as Record<Method, string>;
  };
  return {
    folder: temporary.path,
    runs,
    loans,
    server,
    browser,
    pliant,
    async federated(name) {
      return reproduced("federated", name, "--method resilient,constrained --clients 4 --rounds 10");
    },
    async invariance(name) {
      return reproduced("invariance", name, "--method unconstrained,constrained --subset 100 --epochs 3");
    },
    async swept() {
      const made = await once("swept", async (folder) => {
        await pliant(
          ...["train", loans, "--device", "cpu", "--out", join(folder, "swept"), "--no-insist"],
          ...["--sweep", "cost=0.5,2,8", "--set", "budget.steps=25"],
        );
      });
      cpSync(made, runs, { recursive: true, preserveTimestamps: true });
    },
    begun(of, name, lines) {
      const folder = join(runs, name);
      cpSync(join(runs, of), folder, { recursive: true });
      rmSync(join(folder, "report.json"));
      writeFileSync(
        join(folder, "metrics.jsonl"),
        linesOf(join(runs, of))
          .slice(0, lines)
          .map((line) => `${line}\n`)
          .join(""),
      );
      return folder;
    },
    async trained(name) {
      const made = await once("loans", async (folder) => {
        await pliant("train", loans, "--device", "cpu", "--out", join(folder, "run"));
      });
      cpSync(join(made, "run"), join(runs, name), { recursive: true, preserveTimestamps: true });
    },
    begin: (...args) => spawn(process.execPath, [main, ...args], { cwd: temporary.path, stdio: "ignore" }),
    async at(route, contextOptions) {
      const { page, ...opened } = await openPage(browser, contextOptions);
      await visit(page, withToken(`${server.url}${route}`, server.pageToken));
      return { page, ...opened };
    },
    async close() {
      await browser.close();
      await server.close();
      temporary.remove();
    },
  };
}
