// Everything that a coordinator receives in a run, looked at.
import type { ClientState } from "@pliant/federated";
import { decodeSummand, emptySummand, memoryBlobs, type SiteDisk, toSummand } from "@pliant/federation";
import { expect, test } from "vitest";
import { inProcess, storeOn } from "./in-process.js";
import { specOf, tablesOf } from "./problem.js";
import { seededNumbers } from "./seeded.js";
import { chiSquared } from "./uniform.js";

test("a coordinator receives masked words, shares and signatures, and no site's number", async () => {
  const spec = specOf({ training: { rounds: 3 } });
  const tables = tablesOf(4);
  const blobs = memoryBlobs();
  const texts: string[] = [];
  const uploads: Buffer[] = [];
  const disks = tables.map((): SiteDisk<ClientState>[] => []);
  const { rows } = await inProcess(spec, tables, {
    blobs,
    stores: disks.map(storeOn),
    siteBlobsOf: () => ({
      get: blobs.get,
      put: (bytes) => {
        uploads.push(bytes);
        return blobs.put(bytes);
      },
    }),
    coordinatorBus: (bus) => ({
      ...bus,
      listen: (hear) =>
        bus.listen((site, text) => {
          texts.push(text);
          hear(site, text);
        }),
    }),
  });

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
