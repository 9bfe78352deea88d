// How long a browser takes until it shows what was asked for, from an empty tab.
import type { Browser } from "playwright-core";

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
