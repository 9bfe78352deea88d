// Records that are private: what is spent is on the ledger and at the site, is never forgotten and never spent twice for the same,
// and where it is all spent the site tells nothing more.
import { parseCsv } from "@pliant/data/table";
import type { ClientState } from "@pliant/federated";
import {
  digest,
  type FederationSpec,
  namedDraws,
  newDisk,
  type SiteDisk,
  type SiteEffect,
  shownHash,
  siteMachine,
  siteTable,
  statementHash,
} from "@pliant/federation";
import { describe, expect, test } from "vitest";
import { inProcess, rosterOf, sitesOf, storeOn } from "./in-process.js";
import { specOf, tablesOf } from "./problem.js";
import { seededBytes } from "./seeded.js";

const privacy = { epsilon: 6, delta: 1e-3, clip: 1, lossClip: 2 };
const privately = (more: object = {}, rounds = 2): FederationSpec =>
  specOf({ training: { rounds, batch: 8, clip: undefined }, privacy: { ...privacy, ...more } });

const who = sitesOf(4);
const names = who.map(({ name }) => name);
const identities = who.map(({ identity }) => identity);
const roster = rosterOf(who);

/** The ledger and the disks may be those of a run before. */
async function federated(
  spec: FederationSpec,
  {
    disks = names.map((): SiteDisk<ClientState>[] => []),
    ...around
  }: { disks?: SiteDisk<ClientState>[][] } & Parameters<typeof inProcess>[2] = {},
) {
  return { disks, ...(await inProcess(spec, tablesOf(4, 32), { ...around, stores: disks.map(storeOn) })) };
}

test("a run spends its budget and not more; the ledger has what each site said, and only more with time", async () => {
  const { rows, sites, ended, disks } = await federated(privately());
  expect(rows).toHaveLength(4);
  expect(ended).toBeUndefined();
  for (const [i, name] of names.entries()) {
    const spent = rows.map((row) => row.spent![name]);
    for (const [k, value] of spent.entries()) expect(value).toBeGreaterThan(k === 0 ? 0 : spent[k - 1]);
    expect(sites[i].privacy).toEqual({
      epsilon: spent.at(-1),
      budget: 6,
      delta: 1e-3,
      unit: "a record of this site",
    });
    expect(spent.at(-1)).toBeLessThanOrEqual(6);
    expect(spent.at(-1)).toBeGreaterThan(5.9);
    // 32 rows in batches of 8, two exchanges of updates in each of two rounds, a loss in each round.
    expect(disks[i].at(-1)?.spent?.all).toEqual({ steps: 16, losses: 2 });
  }
});

test("what is shown to the same site again gets the same noise, and something else another", async () => {
  const [one, two] = [await federated(privately()), await federated(privately())];
  expect(one.rows.map(({ shown }) => shown.model)).toEqual(two.rows.map(({ shown }) => shown.model));
  const draws = namedDraws("r", identities[0], tablesOf(1)[0]);
  const state = { price: 0, relaxation: 0, own: {}, sentWeight: 0 };
  const first = (at: ReturnType<typeof draws>) => [at.name, at.draw(), at.draw()];
  const base = first(draws("s", state));
  expect(first(draws("s", state))).toEqual(base);
  const others = [
    draws("t", state),
    draws("s", { ...state, price: 0.1 }),
    namedDraws("q", identities[0], tablesOf(1)[0])("s", state),
    namedDraws("r", identities[1], tablesOf(1)[0])("s", state),
    namedDraws("r", identities[0], tablesOf(1, 16, 2)[0])("s", state),
  ];
  const firsts = others.map((one) => String(one.draw()));
  expect(new Set([String(base[1]), ...firsts]).size).toBe(6);
  // Another site has another secret; names are of what it is used on.
  expect(new Set([base[0], ...others.map(({ name }) => name)]).size).toBe(5);
});

test("with budgets spent the run ends in a sentence, and started again says the same", async () => {
  const spec = privately({ epsilon: 3, noise: 2 }, 6);
  const { rows, ended, sites, said, ...kept } = await federated(spec);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.length).toBeLessThan(12);
  expect(ended).toBe(
    `The federation ends after ${rows.length / 2} of 6 rounds: 4 sites take part no more (a, b, c, d), 0 are left, and a sum takes 3.`,
  );
  expect(said.join("\n")).toContain(
    "The privacy budget ε = 3 at δ = 0.001 is spent; this site tells nothing more.",
  );
  for (const { privacy: one } of sites) expect(one!.epsilon).toBeLessThanOrEqual(3);
  // Sites that know that it is over do not wait to be told.
  const again = await federated(spec, { ...kept, patience: { training: 250_000, answer: 100 } });
  expect(again.ended).toBe(ended);
  expect(again.rows).toEqual(rows);
  expect(again.sites.map((site) => site.privacy)).toEqual(sites.map((site) => site.privacy));
});

describe("a site that is killed", () => {
  const shown = {
    step: 0,
    exchange: 0,
    model: "ab".repeat(32),
    meanPrice: 0,
    answers: [],
    past: "00".repeat(32),
  };
  const hash = shownHash(shown);
  const spec = digest("spec");
  const budget = {
    epsilonAt: ({ steps }: { steps: number }) => steps,
    refusal: ({ steps }: { steps: number }) => (steps > 2 ? "all of it is spent" : undefined),
  };
  /** In the open, as far as its upload, from this disk; what it saved, and what it said. */
  function until(saved: SiteDisk<number>, attempt: number, name: string): SiteEffect<number>[] {
    const machine = siteMachine<number>(
      {
        run: "r",
        site: "a",
        session: String(attempt),
        identity: identities[0],
        roster,
        spec,
        bound: 16,
        least: 1,
        plain: true,
        random: seededBytes("a"),
        privacy: budget,
      },
      4,
      saved,
    );
    const id = { run: "r", exchange: 0, attempt };
    const statement = statementHash({ ...id, spec, roster, shown });
    machine.handle({ kind: "message", message: { kind: "work", ...id, shown, statement } });
    const prepared = {
      values: Float64Array.of(1),
      numbers: [],
      next: 1,
      tells: { name, spends: { steps: 1, losses: 0 } },
    };
    const ready = machine.handle({ kind: "trained", shown: hash, prepared });
    const [said] = ready.flatMap((effect) => (effect.kind === "send" ? [effect.message] : []));
    if (said.kind !== "ready") return ready;
    const members = [said.member];
    return [...ready, ...machine.handle({ kind: "message", message: { kind: "cohort", ...id, members } })];
  }
  const savedIn = (effects: SiteEffect<number>[]) =>
    effects.flatMap((effect) => (effect.kind === "save" ? [effect.disk] : [])).at(-1);
  const kinds = (effects: SiteEffect<number>[]) =>
    effects.map((effect) => (effect.kind === "send" ? effect.message.kind : effect.kind));

  test("has what it tells on its disk before it leaves, and tells the same again for nothing", () => {
    const first = until(newDisk(0), 1, "x");
    expect(kinds(first)).toEqual(["ready", "save", "upload"]);
    const disk = savedIn(first)!;
    expect(disk.spent).toEqual({ all: { steps: 1, losses: 0 }, last: "x" });
    const again = savedIn(until(disk, 2, "x"))!;
    expect(again.spent).toEqual(disk.spent);
    const other = savedIn(until(again, 3, "y"))!;
    expect(other.spent).toEqual({ all: { steps: 2, losses: 0 }, last: "y" });
  });

  test("and has nothing left says so for good, and nothing leaves it", () => {
    const disk = { ...newDisk(0), spent: { all: { steps: 2, losses: 0 }, last: "y" } };
    const refused = until(disk, 4, "z");
    expect(kinds(refused)).toEqual(["refuse"]);
    expect(refused[0]).toMatchObject({ message: { reason: "all of it is spent", final: true } });
    expect(kinds(until(disk, 5, "y"))).toEqual(["ready", "save", "upload"]);
  });
});

describe("requests that cannot be private are refused", () => {
  test("a clip of the whole gradient beside that of each record", () => {
    expect(() => specOf({ privacy })).toThrow(
      "The spec: with privacy the gradient of each record is clipped, by privacy.clip; leave out training.clip.",
    );
  });
  test("a δ that is no promise for so few rows, before anything is sent", () => {
    const spec = privately({ delta: 0.5 });
    const table = parseCsv("a,b,class\n1,2,no\n2,1,yes\n1,1,no\n", { source: "north.csv" });
    expect(() => siteTable(table, spec)).toThrow(/3 rows needs it below 0\.333/);
  });
  test("no noise", () => {
    expect(() => privately({ noise: 0 })).toThrow(/privacy\.noise/);
  });
});
