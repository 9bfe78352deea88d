// Who is drawn for a round, and who sums together: by a hash that every site can check; and what groups make possible.
import { NdArray } from "@pliant/engine";
import {
  checkSpec,
  digest,
  drawnGroups,
  largestGroup,
  memberText,
  memoryBlobs,
  newDisk,
  realCrypto,
  type SignedMember,
  shownHash,
  siteMachine,
  statementHash,
} from "@pliant/federation";
import { describe, expect, test } from "vitest";
import { across } from "../src/run/across-groups.js";
import { inProcess, rosterOf, sitesOf } from "./in-process.js";
import { specOf, tablesOf } from "./problem.js";
import { seededBytes } from "./seeded.js";

const roster = rosterOf(sitesOf(20));

describe("the draw", () => {
  test("has as many groups as there can be, and no group is smaller than asked or larger than announced", () => {
    for (const [sample, group] of [
      [20, 6],
      [11, 3],
      [7, 7],
      [13, 4],
    ]) {
      const groups = drawnGroups("run", 3, roster, { sample, group });
      expect(groups.flat().length).toBe(sample);
      expect(new Set(groups.flat()).size).toBe(sample);
      expect(groups).toHaveLength(Math.floor(sample / group));
      for (const { length } of groups) {
        expect(length).toBeGreaterThanOrEqual(group);
        expect(length).toBeLessThanOrEqual(largestGroup({ sample, group }, 20));
      }
    }
  });
  test("is another in every round and for every roster, and the same for all who ask", () => {
    const text = (step: number, of = roster) => String(drawnGroups("run", step, of, { sample: 8, group: 4 }));
    expect(text(1)).toBe(text(1));
    expect(new Set(Array.from({ length: 50 }, (_, step) => text(step))).size).toBe(50);
    expect(text(1, { ...roster, a: "0".repeat(64) })).not.toBe(text(1));
  });
  test("follows from identities, whatever sites are called and in whatever order they are told", () => {
    const drawn = (of: Record<string, string>) =>
      drawnGroups("run", 1, of, { sample: 12, group: 4 }).map((group) =>
        group.map((name) => of[name]).sort(),
      );
    const entries = Object.entries(roster);
    const others = Object.fromEntries(entries.map(([name, key]) => [`other-${name}`, key]));
    expect(drawn(Object.fromEntries(entries.toReversed()))).toEqual(drawn(roster));
    expect(drawn(others)).toEqual(drawn(roster));
  });
  test("takes every site about equally often", () => {
    const counts = new Map<string, number>();
    for (let step = 0; step < 2000; step++)
      for (const site of drawnGroups("run", step, roster, { sample: 5 }).flat())
        counts.set(site, (counts.get(site) ?? 0) + 1);
    // 500 each, with a deviation of 19.
    for (const count of counts.values()) expect(Math.abs(count - 500)).toBeLessThan(100);
  });
  test("is all sites in one group unless asked for", () => {
    expect(drawnGroups("run", 1, roster, {})).toEqual([Object.keys(roster)]);
  });
});

test("a site refuses a cohort with a member that was not drawn into its group, however well that one signs", () => {
  const who = sitesOf(9);
  const all = rosterOf(who);
  const draw = { group: 4 };
  const groups = drawnGroups("r", 0, all, draw);
  const [me] = groups[0];
  const identityOf = (site: string) => who.find(({ name }) => name === site)!.identity;
  const shown = {
    step: 0,
    exchange: 0,
    model: digest("0"),
    meanPrice: 0,
    answers: [],
    past: "00".repeat(32),
  };
  const statement = statementHash({
    run: "r",
    exchange: 0,
    attempt: 1,
    spec: digest("s"),
    roster: all,
    shown,
  });
  const answersTo = (names: readonly string[]) => {
    const machine = siteMachine<number>(
      {
        ...{ run: "r", site: me, session: "1", identity: identityOf(me), spec: digest("s"), roster: all },
        ...{ bound: 16, least: 3, draw, plain: false, random: seededBytes("me") },
      },
      7,
      newDisk(0),
    );
    const id = { run: "r", exchange: 0, attempt: 1 };
    machine.handle({ kind: "message", message: { kind: "work", ...id, shown, statement } });
    const prepared = { values: Float64Array.of(1), numbers: [0], next: 1 };
    const said = machine.handle({ kind: "trained", shown: shownHash(shown), prepared });
    const ready = said.flatMap((effect) => (effect.kind === "send" ? [effect.message] : []))[0];
    const members = names.map((site) => {
      if (site === me) return (ready as { member: SignedMember }).member;
      const member = realCrypto.memberOf(site, realCrypto.newSecrets(seededBytes(site)), 3);
      return { ...member, signature: identityOf(site).sign(memberText(member, statement)) };
    });
    const heard = machine.handle({ kind: "message", message: { kind: "cohort", ...id, members } });
    return heard.flatMap((effect) => (effect.kind === "send" ? [effect.message] : []));
  };
  expect(answersTo(groups[0])).toMatchObject([{ kind: "boxes" }]);
  expect(answersTo([...groups[0].slice(0, 3), groups[1][0]].sort())).toMatchObject([
    {
      kind: "refuse",
      reason: expect.stringContaining("which was not drawn to sum with this site in this round"),
    },
  ]);
});

test("specs whose groups cannot be are sentences", () => {
  const spec = (sites: object, sums = {}) => specOf({ sites: { number: 9, ...sites }, sums });
  expect(() => spec({ group: 2 })).toThrow("sites.group is 2; it is at least sites.least");
  expect(() => spec({ sample: 2 })).toThrow("sites.sample is 2; it is at least sites.least");
  expect(() => spec({ group: 3 }, { kind: "plain" })).toThrow("sites.group is for secure sums");
  expect(() => spec({ group: 4 }, { across: "median" })).toThrow("takes at least 3 groups");
});

test("groups add up to the sum of all, to the bit of fixed point", async () => {
  const tables = tablesOf(9);
  const training = { rounds: 2, communicationRounds: 2 };
  // Without room for larger sums: the bound leaves the same bits behind the point for 5 sites as for 9.
  const grouped = await inProcess(specOf({ sites: { number: 9, group: 3 }, training }), tables);
  const one = await inProcess(specOf({ sites: { number: 9 }, training }), tables);
  for (const row of grouped.rows) expect(row.survivors).toHaveLength(9);
  expect(grouped.state.meanPrice).toBeCloseTo(one.state.meanPrice, 6);
  for (const [i, { loss }] of grouped.sites.entries()) expect(loss).toBeCloseTo(one.sites[i].loss!, 4);
}, 60_000);

test("a round asks those that were drawn, and others move on when they are", async () => {
  const spec = specOf({
    sites: { number: 9, sample: 4 },
    training: { rounds: 6, communicationRounds: 2 },
  });
  const { rows } = await inProcess(spec, tablesOf(9));
  const who = rosterOf(sitesOf(9));
  for (const [i, { survivors }] of rows.entries())
    expect(survivors.toSorted()).toEqual(
      drawnGroups("r", Math.floor(i / 2), who, { sample: 4 })
        .flat()
        .toSorted(),
    );
  expect(new Set(rows.flatMap(({ survivors }) => survivors)).size).toBeGreaterThan(6);
}, 60_000);

test("the median of groups leaves a poisoned update out; their sum does not", () => {
  const group = (value: number, sites = 3) => ({
    ...{ values: Float64Array.of(sites * value), means: [value], scaled: 0, sites },
  });
  const sums = [group(1), group(1.2), group(0.8), group(1.1), group(16)];
  expect(across(sums, "median").values[0] / 15).toBeCloseTo(1.1, 12);
  expect(across(sums, "sum").values[0] / 15).toBeCloseTo(4.02, 12);
  // Numbers are means over all sites either way.
  expect(across(sums, "median").means[0]).toBeCloseTo(4.02, 12);
});

test("one poisoned site of twelve ruins a sum and not a median", async () => {
  const tables = tablesOf(12);
  // It learns from turned labels with rows a hundred times as large.
  const poisoned = tables.map(({ x, y }, i) =>
    i === 4
      ? {
          x: new NdArray(
            (x.data as Float32Array).map((value) => 100 * value),
            [...x.shape],
          ),
          y: new NdArray(
            (y.data as Int32Array).map((label) => 1 - label),
            [...y.shape],
          ),
        }
      : { x, y },
  );
  const meanOf = async (sums: object, from: typeof tables) => {
    const spec = checkSpec({
      ...specOf({ sites: { number: 12, group: 3, loss: undefined }, sums }),
      model: { hidden: [] },
      training: { rounds: 8, communicationRounds: 1, rate: 0.5 },
    });
    const { sites } = await inProcess(spec, from, { blobs: memoryBlobs() });
    const honest = sites.filter((_, i) => i !== 4).map(({ loss }) => loss!);
    return honest.reduce((a, b) => a + b, 0) / honest.length;
  };
  const clean = await meanOf({ across: "sum" }, tables);
  const sum = await meanOf({ across: "sum" }, poisoned);
  const median = await meanOf({ across: "median" }, poisoned);
  expect(sum - clean).toBeGreaterThan(0.1);
  expect(median - clean).toBeLessThan(0.05);
}, 120_000);
