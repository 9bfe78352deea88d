// How long a browser takes until it shows what was asked for, from an empty tab.
import type { Browser, Page } from "playwright-core";

/** Tells how many milliseconds of a processor the page itself has taken so far. */
async function workMeter(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
  };
}

export interface TimeToShow {
  readonly milliseconds: number;
  /** Milliseconds of them in which the page itself was at work: what else the machine does adds little to these. */
  readonly pageWork: number;
}

/** The time until so many of what is looked for are on the page. */
export async function timeToShow(
  browser: Browser,
  address: string,
  what: string,
  count = 1,
): Promise<TimeToShow> {
  const page = await browser.newPage();
  const work = await workMeter(page);
  const begun = performance.now();
  await page.goto(address);
  await page
    .locator(what)
    .nth(count - 1)
    .waitFor();
  const milliseconds = Math.round(performance.now() - begun);
  const pageWork = Math.round(await work());
  await page.close();
  return { milliseconds, pageWork };
}

/**
 * Moves the threshold for two seconds, a step a frame: frames a second, the longest frame, and the milliseconds that the page was at work for
 * each. Of the 16.7 that a frame has at 60 a second, the rest is the machine's.
 */
export async function dragSlider(
  browser: Browser,
  address: string,
): Promise<{ framesPerSecond: number; longest: number; pageWork: number }> {
  const page = await browser.newPage();
  const workOf = await workMeter(page);
  await page.goto(address);
  await page.getByRole("slider", { name: "Threshold" }).waitFor();
  const before = await workOf();
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
  const work = (await workOf()) - before;
  await page.close();
  const gaps = times.slice(1).map((at, i) => at - times[i]);
  return {
    framesPerSecond: Math.round((1000 * gaps.length) / (times[times.length - 1] - times[0])),
    longest: Math.round(Math.max(...gaps)),
    pageWork: Number((work / gaps.length).toFixed(1)),
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
