// Processes of their own, killed by SIGKILL in every state, one after another; and what they come to nevertheless.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type FederationReport,
  fileLedger,
  invite,
  postgresLedger,
  type SiteReport,
} from "@pliant/federation";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { endLives, type Kill, lives } from "./lives.js";
import { startPostgres } from "./postgres-server.js";
import { csvOf, specOf, tablesOf } from "./problem.js";
import { replayed } from "./replay.js";
import { startS3 } from "./s3-server.js";

const [postgres, s3] = [await startPostgres(), await startS3()];
afterAll(async () => {
  await postgres?.stop();
  s3?.stop();
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pliant-kills-"));
});
afterEach(() => {
  endLives();
  rmSync(folder, { recursive: true });
});

const tables = tablesOf(4);
const names = ["a", "b", "c", "d"];

async function federation(
  coordinatorKills: readonly Kill[],
  siteKills: readonly Kill[],
  {
    rounds = 4,
    standbyKills,
    apart,
  }: {
    readonly rounds?: number;
    readonly standbyKills?: readonly Kill[];
    /** A ledger and a store that both coordinators reach, each from a folder of its own. */
    readonly apart?: { readonly ledger: string; readonly blobs: string };
  } = {},
) {
  const spec = specOf({ training: { rounds, communicationRounds: 2 } });
  const out = join(folder, "coordinator");
  const patience = { training: 120_000, answer: 60_000, again: 500 };
  let listening = () => {};
  const listens = new Promise<void>((resolve) => {
    listening = resolve;
  });
  const standby = standbyKills !== undefined;
  const serving = lives(
    "serve",
    { spec, out, patience, ...apart },
    { out, patience, standby },
    coordinatorKills,
    () => listening(),
  );
  await Promise.race([listens, serving]);
  // Whichever is killed comes back as the one that stands by.
  const other = apart ? join(folder, "other machine") : out;
  if (apart) cpSync(out, other, { recursive: true });
  const again = { out: other, patience, standby };
  const second = standbyKills && lives("serve", again, again, standbyKills);
  const joining = [];
  // A process takes longer to start than a run without it: another site waits, so that there are sums left to come back to.
  const absent = join(folder, "absent");
  for (const [i, name] of names.entries()) {
    const data = join(folder, `${name}.csv`);
    writeFileSync(data, csvOf(tables[i], spec));
    const options = {
      ...{ data, out: join(folder, name) },
      ...(i === 1 && { absent }),
      ...(i === 2 && { waitsWhile: absent }),
    };
    joining.push(
      lives("join", { ...options, code: await invite(out, name) }, options, i === 1 ? siteKills : []),
    );
  }
  const [coordinatorDeaths, standbyDeaths = 0, ...siteDeaths] = await Promise.all([
    serving,
    second,
    ...joining,
  ]);
  const last = [out, other].find((at) => existsSync(join(at, "report.json")))!;
  const report = JSON.parse(readFileSync(join(last, "report.json"), "utf8")) as FederationReport;
  const sites = names.map(
    (name) => JSON.parse(readFileSync(join(folder, name, "site.json"), "utf8")) as SiteReport,
  );
  const ledger = apart ? await postgresLedger(apart.ledger, report.run) : fileLedger(join(out, "ledger.log"));
  const rows = await ledger.rows();
  await ledger.close();
  const wanted = await replayed(spec, names, tables, rows);
  expect(report.finished).toEqual({ sites: 4, of: 4 });
  expect(report.rounds).toBe(rounds);
  expect(report.model).toBe(wanted.model);
  expect(sites.map(({ price }) => price)).toEqual(wanted.states.map(({ price }) => price));
  expect(sites.map(({ relaxation }) => relaxation)).toEqual(
    wanted.states.map(({ relaxation }) => relaxation),
  );
  return { rows, coordinatorDeaths, standbyDeaths, siteDeaths };
}

test("a coordinator killed in every state resumes the same round, and ends bit-identical to an undisturbed run", async () => {
  const kills: Kill[] = [
    ["gathering", 0],
    ["dealing", 1],
    ["uploading", 2],
    ["agreeing", 3],
    ["revealing", 4],
    ["absorbing", 5],
    ["committed", 6],
    ["finished", 8],
  ];
  const { rows, coordinatorDeaths } = await federation(kills, []);
  expect(coordinatorDeaths).toBe(kills.length);
  expect(rows.every(({ survivors }) => survivors.length === 4)).toBe(true);
});

test("a site killed in every state is absent or counted, and moves by what counted it", async () => {
  const kills: Kill[] = [
    ["training", -1],
    ["ready", -1],
    ["shared", 0],
    ["uploaded", 1],
    ["agreed", 1],
    ["revealed", 1],
  ];
  const { rows, siteDeaths } = await federation([], kills);
  expect(siteDeaths).toEqual([0, kills.length, 0, 0]);
  expect(rows.every(({ survivors }) => survivors.length >= 3)).toBe(true);
});

// All sixty: PLIANT_KILLS=60 npx vitest run packages/federation/test/kills.test.ts -t "stands by".
const total = Number(process.env.PLIANT_KILLS ?? 6);
test(`the standby of two coordinators takes over, ${total} kills, bit-identical to an undisturbed run`, async () => {
  const phases = ["revealing", "absorbing", "uploading", "agreeing", "gathering", "dealing", "committed"];
  const sites = ["uploaded", "agreed", "revealed", "shared"];
  // A third each: one coordinator, the other, a site; one kill an exchange.
  const killsOf = (who: number, of: readonly string[], first: number): Kill[] =>
    Array.from({ length: Math.floor((total + 2 - who) / 3) }, (_, i) => [
      of[i % of.length],
      first + 3 * i + who,
    ]);
  const { coordinatorDeaths, standbyDeaths, siteDeaths } = await federation(
    killsOf(0, phases, 1),
    killsOf(2, sites, -1),
    { rounds: Math.ceil((total + 6) / 2), standbyKills: killsOf(1, phases.toReversed(), 1) },
  );
  expect(coordinatorDeaths + standbyDeaths + siteDeaths[1]).toBeGreaterThanOrEqual(total - 1);
}, 3_600_000);

test.runIf(postgres && s3)(
  "coordinators on machines of their own share a Postgres ledger and an S3 store, and take over from each other",
  async () => {
    const apart = { ledger: postgres!.address, blobs: await s3!.address("takeover") };
    const kills: Kill[] = [
      ["revealing", 1],
      ["uploading", 4],
    ];
    const { coordinatorDeaths, standbyDeaths } = await federation(kills, [], {
      ...{
        apart,
        standbyKills: [
          ["absorbing", 2],
          ["agreeing", 5],
        ],
      },
    });
    expect(coordinatorDeaths + standbyDeaths).toBeGreaterThanOrEqual(3);
  },
  600_000,
);
