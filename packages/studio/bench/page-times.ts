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

/** Moves the threshold for two seconds, a step a frame, and tells how many frames a second were drawn, and the longest one. */
export async function dragSlider(
  browser: Browser,
  address: string,
): Promise<{ framesPerSecond: number; longest: number }> {
  const page = await browser.newPage();
  await page.goto(address);
  await page.getByRole("slider", { name: "Threshold" }).waitFor();
  const times = await page.evaluate(async () => {
    const slider = document.querySelector<HTMLInputElement>("input[type=range][aria-label=Threshold]");
    if (!slider) return [];
    const most = Number(slider.max);
    const drawn: number[] = [];
    const end = performance.now() + 2000;
    while (performance.now() < end) {
      slider.value = String((Number(slider.value) + 7) % most);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      drawn.push(await new Promise<number>((next) => requestAnimationFrame(next)));
    }
    return drawn;
  });
  await page.close();
  const gaps = times.slice(1).map((at, i) => at - times[i]);
  return {
    framesPerSecond: Math.round((1000 * gaps.length) / (times[times.length - 1] - times[0])),
    longest: Math.round(Math.max(...gaps)),
  };
}

/** What the list of an empty folder loads, as it goes over the wire. */
export async function firstLoad(browser: Browser, address: string): Promise<{ kilobytes: number }> {
  const page = await browser.newPage();
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(address);
  await page.locator("main h1").first().waitFor();
  await page.locator("html[data-awaited='0']").waitFor();
  await page.close();
  return { kilobytes: Math.round(bytes / 100) / 10 };
}
