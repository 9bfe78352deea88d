// One suite over all ledgers, and a coordinator whose ledger is elsewhere.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NdArray } from "@pliant/engine";
import {
  decodePlain,
  digest,
  encodePlain,
  fileLedger,
  invite,
  type Ledger,
  memoryLedger,
  outcomeOf,
  postgresLedger,
  serve,
  status,
} from "@pliant/federation";
import { afterAll, describe, expect, test } from "vitest";
import { startPostgres } from "./postgres-server.js";
import { specOf } from "./problem.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-ports-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const shown = { step: 0, exchange: 0, model: digest("0"), meanPrice: 0, answers: [], past: "00".repeat(32) };

const inFile = () => {
  const file = join(folder, `${files++}.log`);
  return { ledger: fileLedger(file), again: (): Ledger => fileLedger(file) };
};
const memory = () => {
  const ledger = memoryLedger();
  return { ledger, again: (): Ledger => ledger };
};
const server = await startPostgres();
const opened: Ledger[] = [];
afterAll(async () => {
  for (const ledger of opened) await ledger.close();
  await server?.stop();
});
const inPostgres = async () => {
  const run = `run-${files++}`;
  const [ledger, other] = [
    await postgresLedger(server!.address, run),
    await postgresLedger(server!.address, run),
  ];
  opened.push(ledger, other);
  return { ledger, again: (): Ledger => other };
};

const ledgers: [string, boolean, () => Promise<{ ledger: Ledger; again: () => Ledger }>][] = [
  ["memory", true, async () => memory()],
  ["file", true, async () => inFile()],
  ["Postgres", server !== undefined, inPostgres],
];
describe.each(ledgers)("a ledger: %s", (_, there, make) => {
  test.skipIf(!there)("a code opens one place, once, in time", async () => {
    const { ledger } = await make();
    await ledger.invite("north", digest("code"), 1000);
    await ledger.invite("east", digest("other"), 1000);
    await expect(ledger.join("north", digest("wrong"), "k1", 10)).rejects.toThrow(
      "The join code for north is not right",
    );
    await expect(ledger.join("west", digest("code"), "k1", 10)).rejects.toThrow(
      "The join code for west is not right",
    );
    await expect(ledger.join("north", digest("code"), "k1", 1001)).rejects.toThrow(
      "has expired; ask for a new one.",
    );
    await ledger.join("north", digest("code"), "k1", 10, true);
    expect(await ledger.sites()).toEqual([
      { site: "north", key: null },
      { site: "east", key: null },
    ]);
    await ledger.join("north", digest("code"), "k1", 10);
    // The answer may have been lost: the same site asks again.
    await ledger.join("north", digest("code"), "k1", 10);
    await expect(ledger.join("north", digest("code"), "k2", 10)).rejects.toThrow(
      "has been used. A site goes on from the folder",
    );
    expect((await ledger.sites())[0]).toEqual({ site: "north", key: "k1" });
    // A place is given back until all are taken; one that nobody took, always.
    expect(await ledger.revoke("north", 1)).toBe(false);
    expect(await ledger.revoke("south", 3)).toBe(false);
    expect(await ledger.revoke("east", 1)).toBe(true);
    expect(await ledger.sites()).toEqual([{ site: "north", key: "k1" }]);
    expect(await ledger.revoke("north", 2)).toBe(true);
    expect(await ledger.sites()).toEqual([]);
  });

  test.skipIf(!there)("committed entries are restored, and nothing else", async () => {
    const { ledger, again } = await make();
    expect(await ledger.state()).toBeUndefined();
    await ledger.begin(shown);
    await ledger.begin({ ...shown, meanPrice: 9 });
    await ledger.open(0, 1);
    await ledger.open(0, 2);
    const none = { voids: 0, suspects: [] };
    expect(await again().state()).toEqual({
      exchange: 0,
      attempts: 2,
      counted: {},
      outcomes: [],
      shown,
      ...none,
    });
    await ledger.settle(0, 2, digest("settled"));
    expect((await again().state())!.settled).toBe(digest("settled"));
    const next = { ...shown, exchange: 1, model: digest("1"), answers: [0.1] };
    const row = { exchange: 0, attempt: 2, survivors: ["b", "a"], shown: next, meanLoss: 0.1 + 0.2 };
    const private_ = { ...row, exchange: 1, spent: { a: 0.1 + 0.2, b: 2 } };
    await ledger.commit(row);
    await expect(ledger.commit(row)).rejects.toThrow("Exchange 0 cannot be written after 1 exchanges.");
    await ledger.open(1, 1);
    const kept = again();
    expect(await kept.rows()).toEqual([row]);
    expect(await kept.state()).toEqual({
      exchange: 1,
      attempts: 1,
      counted: { a: { exchange: 0, attempt: 2 }, b: { exchange: 0, attempt: 2 } },
      outcomes: [outcomeOf(0, { attempt: 2, statement: "", groups: [["b", "a"]] })],
      shown: next,
      ...none,
    });
    await ledger.commit(private_);
    await expect(ledger.commit(private_)).rejects.toThrow("Exchange 1 cannot be written");
    expect(await again().rows()).toEqual([row, private_]);
    await ledger.setValue("x", "1");
    await ledger.setValue("x", "2");
    expect([await kept.value("x"), await kept.value("y")]).toEqual(["2", undefined]);
  });
});

test.skipIf(!server)("a coordinator keeps its ledger in a database, and finds it again", async () => {
  const out = join(folder, "in-postgres");
  const stop = new AbortController();
  const spec = specOf();
  let serving: Promise<unknown> | undefined;
  await new Promise<void>((listening, failed) => {
    serving = serve({
      spec,
      out,
      ledger: server!.address,
      onListening: () => listening(),
      signal: stop.signal,
    });
    serving.catch(failed);
  });
  await invite(out, "north");
  expect((await status(out)).sites).toEqual([
    { site: "north", joined: false, counted: 0, lastCounted: null },
  ]);
  stop.abort(new Error("stopped"));
  await expect(serving).rejects.toThrow("stopped");
  expect((await status(out)).sites).toHaveLength(1);
  await expect(serve({ spec, out })).rejects.toThrow("has a federation already");
});

test("a database that is not there is a sentence, without its password", async () => {
  await expect(postgresLedger("postgres://u:secret@127.0.0.1:1/x", "r")).rejects.toThrow(
    /^The ledger at postgres:\/\/u:…@127.0.0.1:1\/x cannot be opened: /,
  );
});

test("state as text comes back to the bit", () => {
  const state = { a: new NdArray(Float32Array.of(0.1, -1e-30), [2]), b: { c: 0.1 + 0.2, d: null, e: [1] } };
  expect(decodePlain(encodePlain(state))).toEqual(state);
});
