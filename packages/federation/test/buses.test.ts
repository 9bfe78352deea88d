// One suite over all buses, and what is special on a NATS server.
import { connect } from "@nats-io/transport-node";
import {
  type CoordinatorBus,
  coordinatorSessions,
  embeddedSite,
  memoryBus,
  memoryLedger,
  natsCoordinator,
  natsSite,
  readNatsAddress,
  type SiteBus,
} from "@pliant/federation";
import { afterAll, describe, expect, test, vi } from "vitest";
import { natsServer, startServer as startNats } from "../../queue/test/nats-server.js";
import { certificate, joined, served } from "./served.js";

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
    expect(thief.ended[0]).toContain("a has another identity here");
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
