// A coordinator that tells each site another story, and the members that collude with it: what it reads of one honest update.
import { survivorsText } from "@pliant/federation";
import { describe, expect, test } from "vitest";
import { attemptSum, reading, restart, type Story, tell, type Victim, victims } from "./malicious.js";

const lettersOf = (count: number): string[] => [..."abcdefghijklmnop"].slice(0, count);
const shown = {
  step: 0,
  exchange: 0,
  model: "ab".repeat(32),
  meanPrice: 0,
  answers: [],
  past: "00".repeat(32),
};
const first = { exchange: 0, attempt: 1, shown };
const all = (sites: Map<string, Victim>): Victim[] => [...sites.values()];
const some = (sites: Map<string, Victim>, names: string): Victim[] => [...names].map((n) => sites.get(n)!);

test("a coordinator that has every secret of the others reads an update: what these tests measure with", () => {
  const sites = victims(lettersOf(5));
  const tried = attemptSum(all(sites), first);
  const d = sites.get("d")!;
  expect(reading(tried, d, some(sites, "abce"))).toBeCloseTo(d.values[0], 5);
  expect(reading(tried, d)).not.toBeCloseTo(d.values[0], 3);
});

describe("a site that is shown fewer dealers than the others", () => {
  test("uploads nothing, and complains of nobody", () => {
    const names = lettersOf(8);
    const sites = victims(names);
    const story: Story = { dealers: [..."abcdfg"] };
    const tried = attemptSum(all(sites), { ...first, stories: { d: story } });
    expect(tried.refusals).toHaveLength(1);
    expect(tried.refusals[0]).toMatch(/^d: The shares of [eh] were not passed on\.$/);
    expect(tried.uploads.has("d")).toBe(false);
  });

  test("nor in sums in halves, where its half would be smaller than the others believe", () => {
    const names = lettersOf(12);
    const sites = victims(names);
    const story: Story = { dealers: names.slice(0, 9) };
    const tried = attemptSum(all(sites), { ...first, suspects: ["a", "b"], stories: { d: story } });
    expect(tried.uploads.size).toBe(11);
    expect(tried.uploads.has("d")).toBe(false);
  });
});

test("a second sum of what was revealed is not had from sites that were all started again", () => {
  const sites = victims(lettersOf(7));
  const everybody = all(sites);
  expect(attemptSum(everybody, first).sum).toBeDefined();
  // They agree to the next sum, which is not opened: that is what they remember of agreements.
  const next = { ...first, exchange: 1, shown: { ...shown, exchange: 1, model: "cd".repeat(32) } };
  expect(attemptSum(everybody, { ...next, until: "signatures" }).refusals).toEqual([]);
  for (const site of everybody) restart(site);
  const again = attemptSum(everybody.slice(0, 6), first);
  expect(again.sum).toBeUndefined();
  expect(again.uploads.size).toBe(0);
  expect(again.refusals.join()).toContain("it is final, and this site helps no second one");
});

test("an attempt that sites agreed to is not begun a second time by sites that were started again", () => {
  const sites = victims(lettersOf(7));
  attemptSum(all(sites), { ...first, until: "signatures" });
  attemptSum(all(sites), { ...first, attempt: 2, until: "signatures" });
  for (const site of all(sites)) restart(site);
  for (const attempt of [1, 2]) {
    const again = attemptSum(all(sites).slice(0, 6), { ...first, attempt });
    expect(again.uploads.size).toBe(0);
    expect(again.refusals).toHaveLength(6);
  }
  expect(attemptSum(all(sites), { ...first, attempt: 3 }).sum).toBeDefined();
});

describe("a floor of one site holds for every sum that it is in", () => {
  test("also if the others are told to continue with fewer sites without asking it", () => {
    const names = lettersOf(9);
    const sites = victims(names, { leastOf: (name) => (name === "d" ? 9 : 3) });
    const eight = names.slice(0, 8);
    const stories = Object.fromEntries(names.map((name) => [name, { survivors: eight }]));
    const tried = attemptSum(all(sites), { ...first, stories });
    expect(tried.shares.size).toBe(0);
    expect(tried.refusals).toContain("a: There are 8 survivors; d sums with 9 or more.");
  });

  test("also in the halves of a sum", () => {
    const names = lettersOf(12);
    const sites = victims(names, { leastOf: (name) => (name === "d" ? 6 : 3) });
    const tried = attemptSum(all(sites), { ...first, suspects: ["a", "b"], until: "uploads" });
    expect(tried.uploads.size).toBe(12);
    const id = { run: "r", exchange: 0, attempt: 1 };
    const refusals: string[] = [];
    // Without a site of d's half it has five.
    for (const gone of names.filter((name) => name !== "d" && name !== "a")) {
      const survivors = names.filter((name) => name !== gone);
      tell(sites.get("a")!, { kind: "survivors", ...id, survivors: [...survivors] }, (effect) => {
        if (effect.kind === "send" && effect.message.kind === "refuse") refusals.push(effect.message.reason);
      });
    }
    expect(refusals.join()).toContain("Half of a sum would have 5 sites; d sums with 6 or more.");
  });

  test("and stands as many colluders as it says, who hold shares of it", () => {
    // Nine of twelve collude: more than two thirds, and three less than the floor.
    const names = lettersOf(12);
    const sites = victims(names, { leastOf: (name) => (name === "a" ? 12 : 3) });
    const tried = attemptSum(all(sites), { ...first, until: "uploads" });
    const [a, colluders] = [sites.get("a")!, some(sites, "defghijkl")];
    expect(tried.uploads.has("a")).toBe(true);
    expect(reading(tried, a, colluders)).not.toBeCloseTo(a.values[0], 3);
  });

  test("and who sign a second set of survivors", () => {
    // d stands six colluders of thirteen; the other honest sites ask for three sites in a sum, and none for colluders.
    const names = lettersOf(13);
    const sites = victims(names, { leastOf: (name) => (name === "d" ? 9 : 3) });
    const tried = attemptSum(all(sites), { ...first, until: "uploads" });
    const colluders = some(sites, "hijklm");
    const id = { run: "r", exchange: 0, attempt: 1 };
    const context = tried.contextOf("a");
    const shares = new Map(tried.shares);
    for (const [honest, survivors] of [
      ["abc", [..."abchijklm"]],
      ["efg", [..."defghijklm"]],
    ] as const) {
      const signatures: { site: string; signature: string }[] = colluders.map(({ name, identity }) => ({
        site: name,
        signature: identity.sign(survivorsText(context, survivors)),
      }));
      for (const site of some(sites, honest))
        tell(site, { kind: "survivors", ...id, survivors: [...survivors] }, (effect) => {
          if (effect.kind === "send" && effect.message.kind === "agree")
            signatures.push({ site: site.name, signature: effect.message.signature });
        });
      for (const site of some(sites, honest))
        tell(site, { kind: "agreed", ...id, signatures }, (effect) => {
          if (effect.kind === "send" && effect.message.kind === "reveal")
            shares.set(site.name, effect.message);
        });
    }
    const d = sites.get("d")!;
    expect(reading({ ...tried, shares }, d, colluders)).not.toBeCloseTo(d.values[0], 3);
    expect(shares.size).toBe(0);
  });
});
