// Thousands of seeded schedules of drops, delays, repetitions, reordering and crashes: the fault table's outcomes, every time.
import { identityOf, newSecret, realCrypto } from "@pliant/federation";
import { describe, expect, test } from "vitest";
import { base, roughly } from "./rough.js";
import { seededBytes } from "./seeded.js";
import { live } from "./world.js";
import { broken } from "./world-checks.js";

const calm = { until: 0, drop: 0, twice: 0, crash: 0 };

test("without faults every exchange takes one attempt and counts all", () => {
  const world = live({ ...base, seed: 1, faults: calm });
  expect(broken(world, { ...base, seed: 1, faults: calm })).toEqual([]);
  expect(world.attempts).toBe(4);
  for (const { survivors } of world.rows) expect(survivors).toHaveLength(5);
});

// All ten thousand: PLIANT_SCHEDULES=10000 npx vitest run packages/federation/test/schedules.test.ts; or a part: 2000-4000.
const [last, first = 0] = (process.env.PLIANT_SCHEDULES ?? "200").split("-").map(Number).reverse();
const count = last - first;
test(
  `${count} schedules, 0 violations`,
  () => {
    const failures: string[] = [];
    let [crashes, aborted, spent, without, takeovers, voids, excluded] = [0, 0, 0, 0, 0, 0, 0];
    for (let seed = first; seed < last; seed++) {
      const options = roughly(seed);
      const world = live(options);
      crashes += world.crashes;
      aborted += world.attempts - world.rows.length;
      spent += Number(world.ended !== undefined);
      takeovers += world.takeovers;
      voids += world.rows.filter((row) => row.void).length;
      excluded += Number(options.liars?.every((site) => world.removed.has(site)) ?? false);
      without += Number(world.rows.some(({ present }) => present < options.sites));
      const wrong = broken(world, options);
      if (wrong.length > 0) failures.push(`seed ${seed}: ${wrong.slice(0, 3).join("; ")}`);
    }
    console.log(
      `${count} schedules: ${crashes} crashes, ${aborted} attempts beyond the first, ${spent} ended with budgets spent, ${without} went on without sites that left, ${takeovers} takeovers, ${voids} rounds given up, ${excluded} liars excluded, ${failures.length} violations`,
    );
    expect(failures).toEqual([]);
    // Schedules in which nothing happens would show nothing.
    expect(crashes).toBeGreaterThan(count / 2);
    expect(aborted).toBeGreaterThan(count / 2);
    expect(spent).toBeGreaterThan(count / 20);
    expect(without).toBeGreaterThan(count / 20);
    expect(takeovers).toBeGreaterThan(count / 10);
    expect(voids).toBeGreaterThan(count / 10);
    expect(excluded).toBeGreaterThan(count / 20);
  },
  300_000 + 300 * count,
);

describe("with the real crypto", () => {
  test("a dozen schedules", () => {
    const secrets = new Map<string, string>();
    const identity = (site: string) => {
      if (!secrets.has(site)) secrets.set(site, newSecret(seededBytes(site)));
      return identityOf(secrets.get(site)!);
    };
    for (let seed = 1; seed <= 12; seed++) {
      const options = { ...roughly(seed), plain: false, crypto: realCrypto, identity };
      expect(broken(live(options), options)).toEqual([]);
    }
  });
});

test("one lost site of eight costs one wait, and then nobody waits for it", () => {
  const eight = { ...base, sites: 8, exchanges: 30, seed: 3, faults: calm };
  const calmly = live(eight);
  // It is never removed: the operator comes later than the end.
  const lost = live({ ...eight, leavers: { s5: 300 } });
  const [before, after] = [calmly, lost].map(({ rows, time }) => rows.length / time);
  expect(lost.rows).toHaveLength(30);
  expect(lost.rows.at(-1)!.survivors).toHaveLength(7);
  expect(after / before).toBeGreaterThan(0.8);
});

test("a crashed and an undisturbed run with the same survivors end in the same model", () => {
  const calmly = live({ ...base, seed: 1, faults: calm });
  let same = 0;
  for (let seed = 100; seed < 200; seed++) {
    const world = live({ ...base, seed, faults: { until: 3000, drop: 0, twice: 0, crash: 0.01 } });
    if (!world.rows.every(({ survivors }) => survivors.length === 5)) continue;
    same++;
    expect(world.shown.model).toBe(calmly.shown.model);
  }
  expect(same).toBeGreaterThan(5);
});

test("seeds that found a fault hold: sites waited for in vain, an earlier attempt's group, a late request after a crash", () => {
  for (const seed of [1799, 2422, 3254, 3334, 4963, 7847, 8974, 453, 1913, 2093, 2493, 3293, 3353, 9919])
    expect(broken(live(roughly(seed)), roughly(seed))).toEqual([]);
});
