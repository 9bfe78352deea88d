// What a single member may do to all others: nothing that stops them, and nothing that has an honest one excluded.
import { contextOf, identityOf, newSecret, realCrypto, type ToCoordinator } from "@pliant/federation";
import { describe, expect, test } from "vitest";
import { boxHash, complaintText } from "../src/protocol/transcript.js";
import { cheapCrypto, cheapIdentity } from "./cheap-crypto.js";
import { seededBytes } from "./seeded.js";
import { live, type WorldOptions } from "./world.js";
import { broken } from "./world-checks.js";

const calm = { until: 0, drop: 0, twice: 0, crash: 0 };
const eight = { sites: 8, least: 3, crypto: cheapCrypto, identity: cheapIdentity, faults: calm };
function lived(options: WorldOptions) {
  const world = live(options);
  expect(broken(world, options)).toEqual([]);
  return world;
}

test("a complaint that comes too late for its dealer to answer excludes nobody", () => {
  const identity = (site: string) => identityOf(newSecret(seededBytes(site)));
  for (let seed = 0; seed < 8; seed++) {
    let statement = "";
    let context = "";
    const { removed, rows } = lived({
      ...{ seed, sites: 5, least: 3, exchanges: 2, crypto: realCrypto, identity, faults: calm },
      instead: {
        site: "s2",
        says: (message) => {
          if (message.kind === "ready") statement = message.statement;
          // It has uploaded, and does not say so: the others wait for it as long as they wait for anyone.
          return message.kind === "uploaded" ? undefined : message;
        },
        hears: (message, say) => {
          if (message.kind === "cohort") context = contextOf(statement, message.members);
          if (message.kind !== "dealt") return;
          for (const { from, opened: _, ...box } of message.boxes) {
            const { exchange, attempt, run } = message;
            const signature = identity("s2").sign(complaintText(context, "s2", from, boxHash(box)));
            const complaint = {
              kind: "complain" as const,
              run,
              exchange,
              attempt,
              of: from,
              box: boxHash(box),
            };
            // Patience is 200.
            say({ ...complaint, signature }, 165 + 5 * seed);
          }
        },
      },
    });
    expect([...removed.keys()]).toEqual([]);
    expect(rows).toHaveLength(2);
  }
});

test("a member that answers just in time, every time, rests more and more, and the others go on without it", () => {
  const held = (message: ToCoordinator, say: (more: ToCoordinator, delay?: number) => void) => {
    if (!["boxes", "uploaded", "agree"].includes(message.kind)) return message;
    // Patience is 200.
    say(message, 150);
    return undefined;
  };
  const options = { ...eight, seed: 2, exchanges: 40 };
  const calmly = lived(options);
  const slowly = lived({ ...options, instead: { site: "s2", says: held } });
  expect(slowly.rows).toHaveLength(40);
  expect(slowly.removed.size).toBe(0);
  expect(slowly.rows.some(({ survivors }) => survivors.includes("s2"))).toBe(true);
  expect(slowly.time / calmly.time).toBeLessThan(2);
});

describe("a floor that the others cannot meet leaves its site out, by name, and the others go on", () => {
  const roundsOf = (rows: readonly { void: boolean }[]) => rows.filter((row) => !row.void).length;

  test("because there are not that many sites", () => {
    const { rows, attempts, said } = lived({ ...eight, seed: 1, exchanges: 6, floors: { s2: 1e9 } });
    expect(attempts).toBe(6);
    for (const { survivors, without } of rows) {
      expect(survivors).toHaveLength(7);
      expect(without).toEqual(["s2"]);
    }
    expect(said).toContain(
      "s2 is left out of the sum: it sums with 1000000000 sites or more, and here are 8 in a sum.",
    );
  });

  test("because one of them is lost", () => {
    const options = { ...eight, seed: 3, exchanges: 40, floors: { s2: 8 }, leavers: { s5: 330 } };
    const { rows, attempts, said } = lived(options);
    expect(roundsOf(rows)).toBe(40);
    expect(attempts).toBeLessThan(40 + 6);
    expect(rows[0].survivors).toContain("s2");
    expect(rows.at(-1)!.survivors).toHaveLength(6);
    expect(rows.at(-1)!.without).toEqual(["s2"]);
    expect(said.join()).toMatch(
      /The floor of s2, 8, could not be met: 7 of 8 sites answered|s2 is left out of the sum/,
    );
  });

  const drops = (kind: ToCoordinator["kind"]) => ({
    site: "s2",
    says: (message: ToCoordinator) => (message.kind === kind ? undefined : message),
  });
  test.each(["uploaded", "agree", "reveal"] as const)(
    "because it does not itself say what it takes: %s",
    (kind) => {
      const { rows, attempts } = lived({
        ...{ ...eight, seed: 5, exchanges: 40, floors: { s2: 8 } },
        instead: drops(kind),
      });
      expect(roundsOf(rows)).toBeGreaterThanOrEqual(40);
      // Twice as long with every time: 1 + 2 + 4 + 8 + 16 exchanges.
      expect(attempts).toBeLessThan(40 + 14);
      expect(rows.filter((row) => row.void).length).toBeLessThan(8);
    },
  );

  test("because sums are taken in halves, or in groups", () => {
    const { removed, rows } = lived({
      ...{ ...eight, seed: 7, exchanges: 12, floors: { s3: 8, s4: 7 }, liars: ["s1"] },
    });
    expect([...removed.keys()]).toEqual(["s1"]);
    expect(rows.filter((row) => row.void).length).toBeLessThanOrEqual(2);
    const grouped = lived({
      ...{ ...eight, seed: 7, sites: 12, exchanges: 12, floors: { s3: 12 }, draw: { group: 4 } },
    });
    expect(grouped.attempts).toBe(12);
    expect(grouped.rows.every(({ survivors }) => survivors.length === 11)).toBe(true);
  });
});
