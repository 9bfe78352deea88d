// How long a browser takes until it shows what was asked for, from an empty tab.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const places = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

export interface PageTimes {
  readonly list: number;
  readonly runs: readonly number[];
}

/** Undefined where there is no browser. */
export async function pageTimes(url: string, names: readonly string[]): Promise<PageTimes | undefined> {
  const executablePath = places.find((path) => path && existsSync(path));
  if (!executablePath) return undefined;
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  const shown = async (route: string, what: string): Promise<number> => {
    const page = await browser.newPage();
    const begun = performance.now();
    await page.goto(`${url}${route}`);
    await page.locator(what).first().waitFor();
    const taken = Math.round(performance.now() - begun);
    await page.close();
    return taken;
  };
  try {
    // The first tab of a browser pays for its start.
    await shown("#/playground", "h1");
    const list = await shown("#/runs", "[data-run]");
    const runs: number[] = [];
    for (const name of names)
      runs.push(await shown(`#/run/${encodeURIComponent(name)}`, "[data-chart=Price] [data-line]"));
    return { list, runs };
  } finally {
    await browser.close();
  }
}
