// A browser's tab as a site: beside five processes, through a reload, with nothing but masked sums leaving it.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  decodeSummand,
  type FederationReport,
  fileLedger,
  invite,
  type Ledger,
  linkOf,
  postgresLedger,
  type SiteReport,
} from "@pliant/federation";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { natsServer, startServer as startNats } from "../../queue/test/nats-server.js";
import { ensurePage, serveStudio } from "../../studio/src/index.js";
import { browserPath, launch, openPage, settled, whyNoBrowser } from "../../studio/test/browser.js";
import { endLives, lives } from "./lives.js";
import { startPostgres } from "./postgres-server.js";
import { csvOf, specOf, tablesOf } from "./problem.js";
import { replayed } from "./replay.js";
import { chiSquared } from "./uniform.js";

if (!browserPath) console.log(`Skipped: ${whyNoBrowser}`);

const names = ["a", "b", "c", "d", "e", "tab"];
const tables = tablesOf(6);
const spec = specOf({
  sites: { number: 6 },
  model: { hidden: [16] },
  training: { rounds: 3, communicationRounds: 2 },
});
const rounds = 6;

const nats = browserPath && natsServer ? await startNats([]) : undefined;
const postgres = nats && (await startPostgres());
afterAll(async () => {
  nats?.stop();
  await postgres?.stop();
});

interface Place {
  readonly name: string;
  readonly there: boolean;
  readonly where: { readonly bus?: string; readonly ledger?: string };
}

const places: Place[] = [
  { name: "over the coordinator's own server", there: browserPath !== undefined, where: {} },
  {
    name: "over NATS, the tab over the coordinator's own server, with a ledger in Postgres",
    there: nats !== undefined && postgres !== undefined,
    where: { bus: nats?.address, ledger: postgres?.address },
  },
];

/** Wherever the folder says that it is. */
async function ledgerOf(out: string): Promise<Ledger> {
  if (existsSync(join(out, "ledger.log"))) return fileLedger(join(out, "ledger.log"));
  const { address, run } = JSON.parse(readFileSync(join(out, "ledger.json"), "utf8"));
  return postgresLedger(address, run);
}

describe.each(places)("five processes and a tab $name", ({ there, where }) => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-tab-"));
  const out = join(folder, "coordinator");
  let browser: Browser | undefined;
  let coordinator: Promise<number>;
  beforeAll(async () => {
    if (!there) return;
    browser = await launch();
    await new Promise<void>((listening, failed) => {
      const patience = { training: 240_000, answer: 120_000, again: 500 };
      coordinator = lives("serve", { spec, out, patience, ...where }, {}, [], listening);
      coordinator.catch(failed);
    });
  });
  afterAll(async () => {
    await browser?.close();
    endLives();
    rmSync(folder, { recursive: true });
  });

  test.skipIf(!there)(
    "train together, through a reload, to the model of all that was counted; nothing of the tab's own leaves it",
    async () => {
      const sites = [];
      for (const [i, name] of names.slice(0, 5).entries()) {
        const data = join(folder, `${name}.csv`);
        writeFileSync(data, csvOf(tables[i], spec));
        sites.push(lives("join", { data, out: join(folder, name), code: await invite(out, name) }, {}, []));
      }
      const context = await browser!.newContext({ ignoreHTTPSErrors: true });
      const page = await context.newPage();
      page.setDefaultTimeout(200_000);
      const left = watch(page);
      await page.goto(linkOf(await invite(out, "tab")));

      const csv = csvOf(tables[5], spec);
      const choose = (text: string) =>
        page
          .locator("#file")
          .setInputFiles({ name: "tab.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
      await page.locator("#choose").waitFor();
      await choose("a,b,class\n1,2,maybe\n");
      await page.locator("#note", { hasText: 'tab.csv, line 2: "class" is "maybe"' }).waitFor();
      await choose(csv);
      await page.locator("#counted", { hasText: `of ${rounds}` }).waitFor();
      expect(await page.locator("#table").textContent()).toBe("tab.csv: 16 rows, 8 no, 8 yes");
      await page.reload();
      await page.locator("body[data-phase='done']").waitFor();
      const [price, relaxation, model, counted] = await page.evaluate(() => [
        Number(document.body.dataset.price),
        Number(document.body.dataset.relaxation),
        document.body.dataset.model,
        document.getElementById("counted")?.textContent,
      ]);
      await Promise.all([coordinator, ...sites]);

      const report = JSON.parse(readFileSync(join(out, "report.json"), "utf8")) as FederationReport;
      const ledger = await ledgerOf(out);
      const rows = await ledger.rows();
      await ledger.close();
      const wanted = await replayed(spec, names, tables, rows);
      expect(report).toMatchObject({ rounds: 3, finished: { sites: 6, of: 6 }, model: wanted.model });
      expect(model).toBe(wanted.model);
      expect(counted).toBe(`${report.counted.tab} of ${rounds} sums`);
      const others = names.slice(0, 5).map((name) => {
        const site = JSON.parse(readFileSync(join(folder, name, "site.json"), "utf8")) as SiteReport;
        return [site.price, site.relaxation];
      });
      expect([...others, [price, relaxation]]).toEqual(
        wanted.states.map((one) => [one.price, one.relaxation]),
      );
      expect(price).toBeGreaterThan(0);

      const { uploads, texts, paths } = left;
      expect(uploads.length).toBeGreaterThanOrEqual(report.counted.tab);
      expect(chiSquared(uploads.map((bytes) => decodeSummand(bytes).words))).toBeLessThan(75);
      const all = texts.join("\n");
      const cells = csv.split(/[\n,]/).filter((cell) => cell.length > 6);
      for (const own of [...cells, price, relaxation]) expect(all).not.toContain(String(own));
      const sent = texts.filter((text) => text.includes('"kind"')).map((text) => JSON.parse(text));
      // A reload in the middle of a round costs a tab that round, and it says so; whether it does is chance.
      const refusals = sent.filter((message) => message.kind === "refuse").map((message) => message.reason);
      for (const reason of refusals)
        expect([
          "was not there when the round began; takes part from the next one on",
          // Reloaded after its upload, and the others agreed without it.
          "This site did not agree to these survivors; it has nothing to reveal.",
        ]).toContain(reason);
      const kinds = new Set(sent.map((message) => message.kind).filter((kind) => kind !== "refuse"));
      expect([...kinds].sort()).toEqual(["agree", "boxes", "done", "hello", "ready", "reveal", "uploaded"]);
      expect([...paths].sort()).toEqual(["/", "/assets", "/blobs", "/join"]);
      await context.close();

      const studio = await serveStudio({ runs: folder, port: 0, page: await ensurePage() });
      const { page: watched, complaints } = await openPage(browser!);
      await watched.goto(`${studio.url}#/federation/coordinator`);
      await watched.locator("[data-phase='finished']").waitFor();
      await settled(watched);
      for (const text of ["3 of 3", ...names, `${report.counted.tab} of ${rounds}`])
        await expect.poll(() => watched.locator("main").innerText()).toContain(text);
      expect(complaints).toEqual([]);
      await studio.close();
    },
  );
});

/** Everything that leaves a page: requests of page and worker, and messages over its sockets. */
function watch(page: Page) {
  const [uploads, texts, paths] = [[] as Buffer[], [] as string[], new Set<string>()];
  page.context().on("request", (request) => {
    paths.add(new URL(request.url()).pathname.replace(/^(\/\w*).*$/, "$1"));
    const body = request.postDataBuffer();
    if (!body) return;
    if (request.method() === "PUT") uploads.push(body);
    else texts.push(body.toString());
  });
  page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => texts.push(String(payload))));
  return { uploads, texts, paths };
}
