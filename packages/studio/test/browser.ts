// A real browser for tests: the one named in CHROMIUM and no other, or one that is installed.
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const places = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:/Program Files/Google/Chrome/Application/chrome.exe",
];

const named = process.env.CHROMIUM;

export const browserPath = (named ? [named] : places).find((path) => existsSync(path));

export const whyNoBrowser =
  "These tests need a browser: install Chromium (apt-get install chromium), or name one in CHROMIUM.";

/**
 * What a browser has around its pages: it opens pages of its own for it, in processes of their own, and half its time
 * goes there. The rest is Playwright's own list, since of two such lists a browser takes the last.
 */
const off = [
  ...["SpareRendererForSitePerProcess", "WebUIOmniboxAimPopup", "WebUIOmniboxPopup"],
  ...["AimEnabled", "DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades"],
  ...["LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding"],
  ...["PreconnectToSearch", "ThirdPartyStoragePartitioning"],
];

/** Without its sandbox, which containers do not allow; it only opens pages of these tests. */
export const launch = (...flags: string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath,
    timeout: 100_000,
    args: ["--no-sandbox", "--disable-dev-shm-usage", `--disable-features=${off}`, ...flags],
  });

/** A page, and what went wrong on it: console errors, warnings and exceptions. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  // However late a busy machine is, a test waits for what it waits for until its own time is over.
  page.setDefaultTimeout(Number(process.env.PLIANT_PATIENCE ?? 100_000));
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, complaints, close: () => context.close() };
}

/** Once the page has every answer it asked the server for: parts of it may come one after another. */
export const settled = (page: Page): Promise<void> => page.locator("html[data-awaited='0']").waitFor();

/** Opens an address as a page of its own, so that nothing of the page before is taken for the new one. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(address);
  await page.locator("main h1").first().waitFor();
  await settled(page);
}

/** Two frames later: what watches the sizes of elements has seen the new ones. */
export const painted = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );

/** What Tab reaches, one after another, from the top of the page until it comes round. */
export async function tabThrough(page: Page, most = 400): Promise<Set<string>> {
  // Boxes that scroll take the focus once they have been measured.
  await painted(page);
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    let count = 0;
    for (const element of document.querySelectorAll("*")) element.setAttribute("data-place", String(count++));
    const reached: string[] = [];
    Object.assign(globalThis, { reached });
    document.addEventListener("focusin", ({ target }) => {
      reached.push((target as Element).getAttribute("data-place") ?? "");
    });
  });
  const reached = () => page.evaluate(() => (globalThis as unknown as { reached: string[] }).reached);
  // Many at a time: asking after each takes longer than the key.
  for (let pressed = 0; pressed < most; pressed += 20) {
    for (let i = 0; i < 20; i++) await page.keyboard.press("Tab");
    const places = await reached();
    if (new Set(places).size < places.length) break;
  }
  return new Set(await reached());
}

/** Everything on the page that does something, by the same marks; of a group of radio buttons the chosen one. */
export const operable = (page: Page): Promise<{ place: string; what: string }[]> =>
  page.evaluate(() => {
    const all = document.querySelectorAll<HTMLElement>(
      "a[href], button, input, select, textarea, summary, [tabindex='0']",
    );
    return [...all]
      .filter(
        (element) =>
          !(element as HTMLButtonElement).disabled && element.checkVisibility({ visibilityProperty: true }),
      )
      .filter(
        (element) => (element as HTMLInputElement).type !== "radio" || (element as HTMLInputElement).checked,
      )
      .map((element) => ({
        place: element.getAttribute("data-place") ?? "",
        what: `${element.tagName} ${element.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 40)}`,
      }));
  });
