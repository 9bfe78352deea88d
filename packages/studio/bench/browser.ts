// A browser, and pages that have everything they show.
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

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

/** A page to make a picture of: nothing moves, and nothing is awaited. */
export async function wholePage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions,
): Promise<Page> {
  const page = await browser.newPage({ ...options, reducedMotion: "reduce" });
  await page.goto(address);
  await page.locator("main h1").first().waitFor();
  await page.locator("html[data-awaited='0']").waitFor();
  return page;
}
