// pliant reproduce all and page: where the plan stands, what is refused, and the page from what is recorded.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { xla } from "@pliant/engine/xla";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { reproduceAll } from "../src/reproduce/all.js";
import { reproducePage } from "../src/reproduce/page.js";

/** The hardware of the XLA plugin that is found here. */
const platform = await xla({ preallocate: false }).then(
  async ({ client, close }) => {
    await close();
    return client.platform;
  },
  () => undefined,
);
if (platform !== "cpu")
  console.log("Skipped: no XLA plugin for processors is here to be mistaken for a GPU.");

let out: string;
beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), "pliant-all-"));
});
afterAll(() => rmSync(out, { recursive: true }));

/** What a command prints. */
async function printed(command: (args: string[]) => Promise<void>, ...args: string[]): Promise<string> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const error = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  try {
    await command(args);
    return log.mock.calls.flat().join("\n");
  } finally {
    log.mockRestore();
    error.mockRestore();
  }
}

describe("pliant reproduce all", () => {
  it("reports the status of every item, as JSON and as a table, and changes nothing", async () => {
    const folder = join(out, "none");
    const asked = ["--status", "--out", folder, "--records", folder];
    const status = JSON.parse(await printed(reproduceAll, ...asked, "--json"));
    const ranks = status.items.find(({ name }: { name: string }) => name === "federated-ranks");
    expect(ranks).toMatchObject({ runs: 16, done: 0, seconds: 0, verdict: "not run" });
    expect(ranks.secondsLeft).toBeGreaterThan(0);
    const text = await printed(reproduceAll, ...asked, "--device", "cuda");
    expect(text).toMatch(/federated-ranks\s+16\s+0\s+.*min|h\s+not run/);
    expect(text).toMatch(/0 of \d+ runs are done; the rest takes about .* here\. Next: /);
    expect(existsSync(folder)).toBe(false);
  });

  it("counts recorded runs, and lists the missing ones, the most useful first", async () => {
    const records = fileURLToPath(new URL("../../lab/results/runs", import.meta.url));
    const asked = ["--status", "--out", join(out, "none"), "--records", records, "--device", "cuda"];
    const { items, done, runs, waiting } = JSON.parse(await printed(reproduceAll, ...asked, "--json"));
    expect(items.find(({ name }: { name: string }) => name === "invariance-mnist")).toMatchObject({
      runs: 60,
      done: 60,
    });
    const listed = waiting.flatMap((stage: { runs: string[] }) => stage.runs);
    expect(listed).toHaveLength(runs - done);
    for (const { secondsLeft } of waiting) expect(secondsLeft).toBeGreaterThan(0);
    const text = await printed(reproduceAll, ...asked);
    expect(text).toContain("Not done, in the order of --missing");
    for (const { name } of waiting) expect(text).toContain(name);
  });

  it.skipIf(platform !== "cpu")("does not mistake a CPU plugin for a GPU", async () => {
    const seconds = async (device: string): Promise<number> => {
      const none = join(out, "none");
      const asked = ["--status", "--json", "--out", none, "--records", none, "--device", device];
      return JSON.parse(await printed(reproduceAll, ...asked)).secondsLeft;
    };
    const cpu = await seconds("cpu");
    expect(await seconds("auto")).toBe(cpu);
    expect(await seconds("cuda")).toBeLessThan(cpu);
    await expect(
      printed(reproduceAll, "--small", "--device", "cuda", "--out", join(out, "no")),
    ).rejects.toThrow(
      /"cuda" is a GPU, and the XLA plugin .* is one for processors; take "auto", which uses it/,
    );
    expect(existsSync(join(out, "no"))).toBe(false);
  });

  it("runs an item until its minutes are used, and reports what is done", async () => {
    const asked = ["--small", "--item", "federated-minority", "--device", "cpu", "--out", join(out, "small")];
    // Time for a single dual step, and not for the second.
    const stopped = JSON.parse(await printed(reproduceAll, ...asked, "--minutes", "0.00001", "--json"));
    expect(stopped.items[0]).toMatchObject({ runs: 1, done: 0 });
    expect(await printed(reproduceAll, ...asked)).toMatch(/All 1 runs are done/);
    const done = JSON.parse(await printed(reproduceAll, ...asked, "--status", "--json"));
    expect(done.items[0]).toMatchObject({
      runs: 1,
      done: 1,
      verdict: "works",
    });
  });

  it("refuses an unknown item and invalid minutes", async () => {
    await expect(printed(reproduceAll, "--item", "federated-rank")).rejects.toThrow(
      /"federated-rank" is not an item; did you mean "federated-ranks"/,
    );
    await expect(printed(reproduceAll, "--minutes", "0")).rejects.toThrow(
      "--minutes must be a number above 0, not 0.",
    );
  });
});

describe("pliant reproduce page", () => {
  it("records nothing from a missing folder, and says so", async () => {
    await expect(reproducePage(["--runs", "not-there"])).rejects.toThrow(
      "there is no folder not-there with runs to record.",
    );
  });

  it("records finished runs, and writes every item with its verdict", async () => {
    const results = join(out, "results");
    const asked = ["--results", results, "--small", "--runs", join(out, "small")];
    expect(await printed(reproducePage, ...asked)).toMatch(/Recorded 1 runs of .*pages and figures are in/);
    const first = readFileSync(join(results, "README.md"), "utf8");
    expect(first).toContain("[federated-minority](items/federated-minority.md)");
    const item = (name: string) => readFileSync(join(results, "items", `${name}.md`), "utf8");
    expect(item("federated-learning-rates")).toMatch(/^1 of 2 runs are on record/m);
    const page = item("federated-minority");
    expect(page).toMatch(/^1 of 1 runs are on record/m);
    expect(page).toContain("npx pliant reproduce all --item federated-minority");
    expect(page).toMatch(/\| float32 \| pliant [\d.]+, node v[\d.]+ \| \d{4}-\d\d-\d\d \|/);
    const figure = /!\[\]\((.*relaxation-minority\.svg)\)/.exec(page)![1];
    expect(readFileSync(join(results, "items", figure), "utf8")).toMatch(/^<svg/);
    const run = /\]\((\.\.\/runs\/strokes-resilient[^)]*)\)/.exec(page)![1];
    expect(existsSync(join(results, "items", decodeURI(run), "report.json"))).toBe(true);
    // The same from the record alone.
    await printed(reproducePage, "--results", results, "--small");
    expect([readFileSync(join(results, "README.md"), "utf8"), item("federated-minority")]).toEqual([
      first,
      page,
    ]);
  });
});
