// How long a browser takes until it shows what was asked for, from an empty tab.
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const places = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** Undefined where there is none. */
export async function openBrowser(): Promise<Browser | undefined> {
  const executablePath = places.find((path) => path && existsSync(path));
  return executablePath === undefined
    ? undefined
    : chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** Milliseconds until so many of what is looked for are on the page. */
export async function timeToShow(
  browser: Browser,
  address: string,
  what: string,
  count = 1,
): Promise<number> {
  const page = await browser.newPage();
  const begun = performance.now();
  await page.goto(address);
  await page
    .locator(what)
    .nth(count - 1)
    .waitFor();
  const taken = Math.round(performance.now() - begun);
  await page.close();
  return taken;
}
