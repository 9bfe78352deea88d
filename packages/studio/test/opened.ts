// The Studio over a folder of runs that the real command makes, open in a real browser.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { builtCommand } from "../../cli/test/fixtures/command.js";
import { smallLoans } from "../../cli/test/fixtures/loans.js";
import { ensurePage, type ServeOptions, type Serving, serveStudio } from "../src/index.js";
import { browserPath, launch, openPage, settled, whyNoBrowser } from "./browser.js";
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
  /** Begins the command and leaves it to the test to end it. */
  begin(...args: string[]): ChildProcess;
  /** A new page at a route, with everything it asked for; `complaints` are what its console said. */
  at(
    route: string,
    options?: BrowserContextOptions,
  ): Promise<{ page: Page; complaints: string[]; close(): Promise<void> }>;
  close(): Promise<void>;
}

export async function openStudio(options: Partial<ServeOptions> = {}): Promise<Opened> {
  const temporary = temporaryFolder();
  const runs = join(temporary.path, "runs");
  mkdirSync(runs);
  const [main, page, browser] = await Promise.all([builtCommand(), ensurePage(), launch()]);
  const server = await serveStudio({ runs, port: 0, page, ...options });
  return {
    folder: temporary.path,
    runs,
    loans: smallLoans().spec,
    server,
    browser,
    pliant: (...args) =>
      new Promise((done, failed) => {
        execFile(process.execPath, [main, ...args], { cwd: temporary.path }, (error, stdout, stderr) =>
          error ? failed(new Error(`pliant ${args.join(" ")}: ${stderr}`)) : done(stdout),
        );
      }),
    begin: (...args) => spawn(process.execPath, [main, ...args], { cwd: temporary.path, stdio: "ignore" }),
    async at(route, contextOptions) {
      const { page, ...opened } = await openPage(browser, contextOptions);
      await page.goto(`${server.url}${route}`);
      await page.locator("main h1").first().waitFor();
      await settled(page);
      return { page, ...opened };
    },
    async close() {
      await browser.close();
      await server.close();
      temporary.remove();
    },
  };
}
