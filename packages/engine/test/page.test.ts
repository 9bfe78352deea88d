// The engine in a page of Chromium: on WebGPU where the browser has an adapter, which SwiftShader is here, else in WebAssembly;
// training gives what the reference gives. The page loads the sources themselves, stripped of their types.
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as engine from "@pliant/engine";
import { transformWithEsbuild } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, launch } from "../../studio/test/browser.js";
import type { Outcome } from "./page/main.js";
import { trained } from "./page/training.js";
import { web } from "./web.js";

const runs = browserPath !== undefined && web !== undefined;
if (!runs) console.log("Skipped: these tests need Chromium (apt-get install chromium) and onnxruntime-web.");

const home = fileURLToPath(new URL("..", import.meta.url));
const runtime = fileURLToPath(new URL("../../../node_modules/onnxruntime-web/dist", import.meta.url));

/** On a busy machine, the awaited event may be late. */
const patience = 250_000;

const html = `<!doctype html><title>engine</title><script type="module">
  import("/test/page/main.js").catch((reason) => { globalThis.failed = String(reason?.stack ?? reason); });
</script>`;

function serve(): Server {
  return createServer(async (request, response) => {
    const path = new URL(request.url!, "http://page").pathname;
    const answer = (type: string, body: string | Buffer): void => {
      response.setHeader("content-type", type);
      response.end(body);
    };
    if (path.startsWith("/src/") || path.startsWith("/test/")) {
      const file = join(home, path.replace(/\.js$/, ".ts"));
      answer("text/javascript", (await transformWithEsbuild(readFileSync(file, "utf8"), file)).code);
    } else if (path.startsWith("/ort/")) {
      const type = path.endsWith(".wasm") ? "application/wasm" : "text/javascript";
      answer(type, readFileSync(join(runtime, path.slice(5))));
    } else answer("text/html", html);
  }).listen(0, "localhost");
}

const gpu = [
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--enable-features=Vulkan",
  "--use-vulkan=swiftshader",
];

describe.skipIf(!runs)("in a page", () => {
  let server: Server;
  beforeAll(() => {
    server = serve();
  });
  afterAll(() => {
    server?.close();
  });

  /** What came of it in a browser with these flags. */
  async function inPage(...flags: string[]): Promise<Outcome> {
    const browser = await launch(...flags);
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(patience);
      await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
      await page.waitForFunction(() => "outcome" in globalThis || "failed" in globalThis);
      const failed = await page.evaluate(() => (globalThis as { failed?: string }).failed);
      if (failed !== undefined) throw new Error(failed);
      return await page.evaluate(() => (globalThis as unknown as { outcome: Outcome }).outcome);
    } finally {
      await browser.close();
    }
  }

  const close = async (numbers: readonly number[], within: number): Promise<void> => {
    const wanted = await trained(engine);
    expect(numbers).toHaveLength(wanted.length);
    for (const [i, v] of wanted.entries())
      expect(Math.abs(numbers[i] - v)).toBeLessThan(within * (1 + Math.abs(v)));
  };

  test("without a GPU it trains in WebAssembly", async () => {
    const { used, accelerator, numbers, submitted } = await inPage("--disable-gpu");
    expect([used, accelerator, submitted]).toEqual([["ort.bundle.min.mjs"], undefined, 0]);
    await close(numbers, 1e-5);
  });

  test("with one it trains on WebGPU", async ({ skip }) => {
    const { used, accelerator, numbers, submitted } = await inPage(...gpu);
    if (accelerator === undefined) skip("This Chromium gives no WebGPU adapter, not even SwiftShader.");
    expect(used).toEqual(["ort.webgpu.bundle.min.mjs"]);
    console.log(`WebGPU on ${accelerator}: work handed over ${submitted} times`);
    // At least once a step.
    expect(submitted).toBeGreaterThanOrEqual(5);
    await close(numbers, 1e-4);
  });
});
