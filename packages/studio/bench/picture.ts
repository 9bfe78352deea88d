// The picture of the Studio in the README: the first screen of the loans example, trained anew. npm run picture -w @pliant/studio
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBrowser, wholePage } from "./browser.js";
import { pliant } from "./pliant.js";
import { startServer } from "./server.js";

const place = fileURLToPath(new URL("../../../../docs/studio.webp", import.meta.url));
const browser = await openBrowser();
if (!browser) throw new Error("No Chromium was found; name one in CHROMIUM.");
const folder = mkdtempSync(join(tmpdir(), "pliant-picture-"));
try {
  pliant(folder, "example", "loans");
  pliant(folder, "train", join("loans", "spec.yaml"), "--device", "cpu");
  const server = await startServer(join(folder, "runs"));
  try {
    const page = await wholePage(browser, `${server.url}#/run/loans`, {
      viewport: { width: 1440, height: 900 },
      colorScheme: "light",
    });
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 88 });
    writeFileSync(place, Buffer.from(data, "base64"));
    console.log(`${place}: ${Math.round(Buffer.byteLength(data, "base64") / 1000)} kB`);
  } finally {
    await server.close();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
