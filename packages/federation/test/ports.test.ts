// One suite over all ledgers, one over all blob stores, one over all buses.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { NdArray } from "@pliant/engine";
import {
  type Blobs,
  type CoordinatorBus,
  certificateFingerprint,
  coordinatorSessions,
  decodePlain,
  digest,
  embeddedServer,
  embeddedSite,
  encodePlain,
  folderBlobs,
  httpsBlobs,
  type Identity,
  identityOf,
  invite,
  type Ledger,
  memoryBlobs,
  memoryBus,
  memoryLedger,
  natsCoordinator,
  natsSite,
  newCertificate,
  newSecret,
  postgresLedger,
  readNatsAddress,
  type SiteBus,
  serve,
  sqliteLedger,
  status,
} from "@pliant/federation";
import { afterAll, describe, expect, test, vi } from "vitest";
import { natsServer, startServer as startNats } from "../../queue/test/nats-server.js";
import { startPostgres } from "./postgres-server.js";
import { specOf } from "./problem.js";
import { seededBytes } from "./seeded.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-ports-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const shown = { step: 0, exchange: 0, model: digest("0"), meanPrice: 0, answers: [] };

const sqlite = () => {
  const file = join(folder, `${files++}.sqlite`);
  return { ledger: sqliteLedger(file), again: (): Ledger => sqliteLedger(file) };
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
  ["SQLite", true, async () => sqlite()],
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
      "has been used; ask for a new one.",
    );
    expect((await ledger.sites())[0]).toEqual({ site: "north", key: "k1" });
  });

  test.skipIf(!there)("what is committed is there again, and nothing else", async () => {
    const { ledger, again } = await make();
    expect(await ledger.state()).toBeUndefined();
    await ledger.begin(shown);
    await ledger.begin({ ...shown, meanPrice: 9 });
    await ledger.open(0, 1);
    await ledger.open(0, 2);
    expect(await again().state()).toEqual({ exchange: 0, attempts: 2, counted: {}, shown });
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
      shown: next,
    });
    await ledger.commit(private_);
    await expect(ledger.commit(private_)).rejects.toThrow("Exchange 1 cannot be written");
    expect(await again().rows()).toEqual([row, private_]);
    await ledger.setValue("x", "1");
    await ledger.setValue("x", "2");
    expect([await kept.value("x"), await kept.value("y")]).toEqual(["2", undefined]);
  });
});

const certificate = newCertificate();

/** A coordinator's server with sites a and b, and what they need to reach it. */
async function served() {
  const ledger = memoryLedger();
  const identities = new Map<string, Identity>();
  for (const site of ["a", "b"]) {
    identities.set(site, identityOf(newSecret(seededBytes(site))));
    await ledger.invite(site, digest(site), Number.MAX_VALUE);
    await ledger.join(site, digest(site), identities.get(site)!.key, 0);
  }
  const spec = specOf({ sites: { number: 3 } });
  const server = await embeddedServer({
    run: "r",
    spec,
    ledger,
    blobs: memoryBlobs(),
    certificate,
    host: "127.0.0.1",
    port: 0,
  });
  const address = {
    host: "127.0.0.1",
    port: server.port,
    run: "r",
    fingerprint: certificateFingerprint(certificate.cert),
  };
  return { server, address, identities, spec, ledger };
}

describe.each([
  ["memory", async () => ({ blobs: memoryBlobs() as Pick<Blobs, "get" | "put">, close: async () => {} })],
  ["folder", async () => ({ blobs: folderBlobs(join(folder, "blobs")), close: async () => {} })],
  [
    "HTTPS",
    async () => {
      const { server, address, identities } = await served();
      return { blobs: httpsBlobs(address, "a", identities.get("a")!), close: () => server.close() };
    },
  ],
])("blobs: %s", (_, make) => {
  test("come back by their hash, to the byte", async () => {
    const { blobs, close } = await make();
    const bytes = seededBytes("blob")(100_000);
    const hash = await blobs.put(bytes);
    expect(hash).toBe(digest(bytes));
    expect((await blobs.get(hash)).equals(bytes)).toBe(true);
    await expect(blobs.get(digest("nothing"))).rejects.toThrow("There is nothing with the hash");
    await close();
  });
});

interface Joined {
  readonly bus: SiteBus;
  readonly heard: string[];
  readonly ended: string[];
  connected: number;
}

const joined = (bus: SiteBus): Joined => {
  const site: Joined = { bus, heard: [], ended: [], connected: 0 };
  bus.listen({
    message: (text) => site.heard.push(text),
    connected: () => {
      site.connected++;
    },
    ended: (why) => site.ended.push(why),
  });
  return site;
};

const nats = natsServer ? await startNats([]) : undefined;
afterAll(() => nats?.stop());

/** The same server, with a bus elsewhere. */
async function servedOverNats() {
  const there = await served();
  const options = { run: "r", certificate, sessions: there.server.sessions, announce: 100 };
  const coordinator = await natsCoordinator(nats!.address, options);
  const site = (name: string, identity = there.identities.get(name)!) =>
    natsSite(nats!.address, there.address, name, identity).bus;
  const close = async () => {
    await coordinator.close();
    await there.server.close();
  };
  return { ...there, coordinator: there.server.bus as CoordinatorBus, site, close };
}

interface Bus {
  readonly coordinator: CoordinatorBus;
  readonly site: (name: string) => SiteBus;
  readonly close: () => Promise<void>;
}

const buses: [string, boolean, () => Promise<Bus>][] = [
  [
    "memory",
    true,
    async () => {
      const bus = memoryBus();
      return { coordinator: bus.coordinator, site: (name: string) => bus.site(name), close: async () => {} };
    },
  ],
  [
    "embedded",
    true,
    async () => {
      const { server, address, identities } = await served();
      const site = (name: string) => embeddedSite(address, name, identities.get(name)!).bus;
      return { coordinator: server.bus as CoordinatorBus, site, close: () => server.close() };
    },
  ],
  ["NATS", nats !== undefined, servedOverNats],
];
describe.each(buses)("a bus: %s", (_, there, make) => {
  test.skipIf(!there)(
    "brings messages both ways, by name; the newer of two with one name stays",
    async () => {
      const { coordinator, site, close } = await make();
      const heard: [string, string][] = [];
      coordinator.listen((from, text) => heard.push([from, text]));
      const [a, b] = [joined(site("a")), joined(site("b"))];
      await vi.waitUntil(() => a.connected > 0 && b.connected > 0, { timeout: 60_000 });
      a.bus.send("from a");
      b.bus.send("from b");
      await vi.waitUntil(() => heard.length === 2, { timeout: 60_000 });
      expect(heard.toSorted()).toEqual([
        ["a", "from a"],
        ["b", "from b"],
      ]);
      coordinator.send("a", "to a");
      coordinator.send("nobody", "lost");
      await vi.waitUntil(() => a.heard.length === 1, { timeout: 60_000 });
      expect([a.heard, b.heard]).toEqual([["to a"], []]);

      const newer = joined(site("a"));
      await vi.waitUntil(() => newer.connected > 0 && a.ended.length > 0, { timeout: 60_000 });
      expect(a.ended).toEqual(["Another process has joined with this site's identity."]);
      coordinator.send("a", "again");
      await vi.waitUntil(() => newer.heard.length === 1, { timeout: 60_000 });
      expect(a.heard).toEqual(["to a"]);
      for (const one of [a, b, newer]) await one.bus.close();
      await close();
    },
  );
});

const stolen = "a has another identity here";

describe.skipIf(!nats)("a bus on a NATS server", () => {
  test("takes nobody's word unsigned, and does not let one site in with another's identity", async () => {
    const { coordinator, site, identities, close } = await servedOverNats();
    const heard: string[] = [];
    coordinator.listen((_, text) => heard.push(text));
    const a = joined(site("a"));
    await vi.waitUntil(() => a.connected > 0, { timeout: 60_000 });
    const other = await connect({ servers: nats!.address });
    const sessions = new Set<string>();
    other.subscribe("pliant.federation.r.up.*", { callback: (_, { subject }) => void sessions.add(subject) });
    await other.flush();
    a.bus.send("from a");
    await vi.waitUntil(() => heard.length === 1 && sessions.size === 1, { timeout: 60_000 });
    const [up] = sessions;
    const forged = JSON.stringify({
      text: "from nobody",
      signature: identities.get("b")!.sign("from nobody"),
    });
    other.publish(up, forged);
    other.publish(up.replace(".up.", ".down."), forged);
    other.publish(up, "no envelope");
    await other.flush();
    a.bus.send("again");
    coordinator.send("a", "to a");
    await vi.waitUntil(() => heard.length > 1 && a.heard.length > 0, { timeout: 60_000 });
    expect([heard, a.heard]).toEqual([["from a", "again"], ["to a"]]);

    const thief = joined(site("a", identities.get("b")!));
    await vi.waitUntil(() => thief.ended.length > 0, { timeout: 60_000 });
    expect(thief.ended[0]).toContain(stolen);
    expect(a.ended).toEqual([]);
    await other.close();
    await a.bus.close();
    await close();
  });

  test("brings sites back to a coordinator that was started again", async () => {
    const first = await servedOverNats();
    const a = joined(first.site("a"));
    await vi.waitUntil(() => a.connected === 1, { timeout: 60_000 });
    await first.close();
    const sessions = coordinatorSessions("r", 3, first.ledger);
    const second = await natsCoordinator(nats!.address, { run: "r", certificate, sessions, announce: 100 });
    await vi.waitUntil(() => a.connected === 2, { timeout: 60_000 });
    sessions.bus.send("a", "to a");
    await vi.waitUntil(() => a.heard.length === 1, { timeout: 60_000 });
    await a.bus.close();
    await second.close();
  });
});

test("a bus that is none or not there is a sentence, without its password", async () => {
  expect(() => readNatsAddress("http://u:secret@x")).toThrow(
    "A bus elsewhere is nats://HOST:PORT or tls://HOST:PORT, not http://u:…@x.",
  );
  const options = { run: "r", certificate, sessions: coordinatorSessions("r", 3, memoryLedger()) };
  await expect(natsCoordinator("nats://u:secret@127.0.0.1:1", options)).rejects.toThrow(
    /^There is no NATS server at nats:\/\/u:…@127.0.0.1:1: /,
  );
});

describe("the embedded server", () => {
  test("does not let one site in with another's identity", async () => {
    const { server, address, identities } = await served();
    const thief = joined(embeddedSite(address, "a", identities.get("b")!).bus);
    await vi.waitUntil(() => thief.ended.length > 0, { timeout: 60_000 });
    expect(thief.ended[0]).toContain(stolen);
    await server.close();
  });

  test("gives models to sites of the federation, who sign what they ask for", async () => {
    const { server, address, identities } = await served();
    const hash = await httpsBlobs(address, "a", identities.get("a")!).put(Buffer.from("model"));
    expect(String(await httpsBlobs(address, "b", identities.get("b")!).get(hash))).toBe("model");
    for (const [site, identity] of [
      ["a", "b"],
      ["nobody", "a"],
    ])
      await expect(httpsBlobs(address, site, identities.get(identity)!).get(hash)).rejects.toThrow(
        "This is for sites of the federation",
      );
    await server.close();
  });

  test("is left alone when its certificate is another", async () => {
    const { server, address, identities } = await served();
    const elsewhere = { ...address, fingerprint: digest("another") };
    const site = joined(embeddedSite(elsewhere, "a", identities.get("a")!).bus);
    await vi.waitUntil(() => site.ended.length > 0, { timeout: 60_000 });
    expect(site.ended[0]).toContain("has another certificate than the join code names; nothing was sent.");
    await server.close();
  });

  test("says that its port is in use", async () => {
    const { server, spec, ledger } = await served();
    const second = embeddedServer({
      run: "r",
      spec,
      ledger,
      blobs: memoryBlobs(),
      certificate,
      host: "127.0.0.1",
      port: server.port,
    });
    await expect(second).rejects.toThrow(`Port ${server.port} is in use; choose another with --port.`);
    await server.close();
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
