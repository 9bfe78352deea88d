// Everything that a coordinator receives in a run, looked at.
import type { ClientState } from "@pliant/federated";
import {
  coordinate,
  decodeSummand,
  emptySummand,
  identityOf,
  memoryBlobs,
  memoryBus,
  memoryLedger,
  newSecret,
  type SiteDisk,
  takePart,
  toSummand,
} from "@pliant/federation";
import { expect, test } from "vitest";
import { specOf, tablesOf } from "./problem.js";
import { seededBytes, seededNumbers } from "./seeded.js";
import { chiSquared } from "./uniform.js";

test("what a coordinator receives is masked words, shares and signatures; no site's number is in it", async () => {
  const spec = specOf({ training: { rounds: 3 } });
  const tables = tablesOf(4);
  const bus = memoryBus();
  const blobs = memoryBlobs();
  const texts: string[] = [];
  const uploads: Buffer[] = [];
  const received = { ...bus.coordinator };
  received.listen = (hear) =>
    bus.coordinator.listen((site, text) => {
      texts.push(text);
      hear(site, text);
    });
  const names = ["a", "b", "c", "d"];
  const identities = names.map((name) => identityOf(newSecret(seededBytes(name))));
  const roster = Object.fromEntries(names.map((name, i) => [name, identities[i].key]));
  const disks = names.map((): SiteDisk<ClientState>[] => []);
  const sites = names.map((site, i) =>
    takePart({
      run: "r",
      spec,
      site,
      identity: identities[i],
      roster,
      data: tables[i],
      store: { load: () => undefined, save: (disk) => void disks[i].push(disk) },
      bus: bus.site(site),
      blobs: {
        get: blobs.get,
        put: (bytes) => {
          uploads.push(bytes);
          return blobs.put(bytes);
        },
      },
    }),
  );
  // However slow the machine is, nobody is left out.
  const patience = { training: 250_000, answer: 250_000 };
  const ledger = memoryLedger();
  const { rows } = await coordinate({ run: "r", spec, roster, ledger, blobs, bus: received, patience });
  await Promise.all(sites);

  expect(uploads).toHaveLength(4 * rows.length);
  expect(chiSquared(uploads.map((bytes) => decodeSummand(bytes).words))).toBeLessThan(75);
  // The same test sees at once what is not masked.
  const draw = seededNumbers("plain");
  const plain = uploads.map((bytes) => {
    const { words } = decodeSummand(bytes);
    const values = Float64Array.from(words, () => 0.01 * (draw() - 0.5));
    return toSummand({ values, numbers: [] }, 16, 4).words;
  });
  expect(chiSquared(plain)).toBeGreaterThan(1000);
  expect(chiSquared([emptySummand(22, 0).words])).toBeGreaterThan(1000);

  const all = texts.join("\n");
  const own = disks.flat().flatMap(({ state }) => [state.price, state.relaxation, state.round?.loss ?? 0]);
  const secret = own.filter((value) => value !== 0);
  expect(secret.length).toBeGreaterThan(20);
  for (const value of secret) expect(all).not.toContain(String(value));
  const kinds = new Set(texts.map((text) => (JSON.parse(text) as { kind: string }).kind));
  expect([...kinds].sort()).toEqual(["agree", "boxes", "done", "hello", "ready", "reveal", "uploaded"]);
});
