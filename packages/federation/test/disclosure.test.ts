// A coordinator that tries to read one site's update out of ordinary-looking sums, with honest sites and the real crypto.
import { fractionBits, fromWords } from "@pliant/federated";
import { quorumOf, type Revealed, readSum, realCrypto, survivorsText } from "@pliant/federation";
import { describe, expect, test } from "vitest";
import { attemptSum, restart, victims } from "./malicious.js";

const names = ["a", "b", "c", "d", "e", "f", "g"];
const shown = {
  step: 0,
  exchange: 0,
  model: "ab".repeat(32),
  meanPrice: 0,
  answers: [],
  past: "00".repeat(32),
};
const first = { exchange: 0, attempt: 1, shown };

test("a sum over all comes out: what the attacks begin with", () => {
  const sites = victims(names);
  const { sum, refusals } = attemptSum([...sites.values()], first);
  expect(refusals).toEqual([]);
  const total = names.reduce((all, name) => all + sites.get(name)!.values[0], 0);
  expect(readSum(sum!, 7, 16, 16).values[0]).toBeCloseTo(total, 5);
});

describe("another bound for one site than for the others", () => {
  const boundOf = (name: string) => (name === "d" ? 16 : 2 ** 20);
  test("is known to each of them before anything is masked", () => {
    const { refusals, sum } = attemptSum([...victims(names, { boundOf }).values()], first);
    expect(sum).toBeUndefined();
    expect(refusals).toHaveLength(7);
    expect(refusals[0]).toContain("did not sign these keys for this statement: it was told something else");
  });
  test("gives noise even where nobody looks at signatures", () => {
    const blind = { ...realCrypto, signed: () => true };
    const sites = victims(names, { boundOf, crypto: blind });
    const { sum, refusals } = attemptSum([...sites.values()], first);
    // The boxes of shares are bound to the statement as well.
    expect(refusals).toContain("a complains of d");
    if (sum) expect(() => readSum(sum, 7, 16, 16)).toThrow("The masks do not cancel");
    // Masks alone: what is left of d's own without the masks of the others is nowhere near its update.
    const d = sites.get("d")!;
    if (sum) expect(fromWords(sum.words, fractionBits(16, 16))[0]).not.toBeCloseTo(d.values[0], 3);
  });
});

describe("a revealed sum is final", () => {
  const sites = victims(names);
  const all = [...sites.values()];
  const six = all.slice(0, 6);
  const final = "has helped to open the sum of exchange 0: it is final, and this site helps no second one.";
  test("seven are summed, and then no six of them", () => {
    expect(attemptSum(all, first).sum).toBeDefined();
    const again = attemptSum(six, { ...first, attempt: 2 });
    expect(again.sum).toBeUndefined();
    expect(again.refusals).toHaveLength(6);
    for (const refusal of again.refusals) expect(refusal).toContain(final);
  });
  test("nor after they were killed and started again", () => {
    for (const victim of six) restart(victim);
    expect(attemptSum(six, { ...first, attempt: 3 }).refusals.join()).toContain(final);
  });
  test("nor under the number of another exchange", () => {
    const tried = attemptSum(six, { ...first, exchange: 1, attempt: 1 });
    expect(tried.sum).toBeUndefined();
    expect(tried.refusals).toHaveLength(6);
  });
  test("and the next exchange is summed as ever", () => {
    const next = { ...shown, exchange: 1, model: "cd".repeat(32) };
    expect(attemptSum(all, { exchange: 1, attempt: 2, shown: next }).sum).toBeDefined();
  });
  test("an attempt that nobody revealed may be tried again with others", () => {
    const fresh = [...victims(names).values()];
    expect(attemptSum(fresh, { ...first, until: "signatures" }).sum).toBeUndefined();
    expect(attemptSum(fresh.slice(0, 6), { ...first, attempt: 2 }).sum).toBeDefined();
  });
});

test("a site that was killed after it agreed opens the sum it agreed to, and no other", () => {
  const all = [...victims(names).values()];
  attemptSum(all, { ...first, until: "signatures" });
  const [a] = all;
  const { agreed } = a.machine.disk;
  restart(a);
  const ask = (signatures: { site: string; signature: string }[], attempt = 1) =>
    a.machine
      .handle({ kind: "message", message: { kind: "agreed", run: "r", exchange: 0, attempt, signatures } })
      .map((effect) => (effect.kind === "send" ? effect.message : { kind: effect.kind }));
  const signatures = all.map(({ name, identity }) => ({
    site: name,
    signature: identity.sign(agreed!.text),
  }));
  expect(ask(signatures.slice(0, 4))).toMatchObject([{ kind: "refuse" }]);
  expect(ask(signatures, 2)).toMatchObject([{ kind: "refuse" }]);
  // On its disk first.
  expect(ask(signatures)).toMatchObject([
    { kind: "save" },
    { kind: "reveal", selves: agreed!.shares.selves },
  ]);
});

test("a ledger that was restored from an old copy does not get a second sum of what was revealed since", () => {
  const all = [...victims(names).values()];
  const second = { exchange: 1, attempt: 1, shown: { ...shown, exchange: 1, model: "cd".repeat(32) } };
  expect(attemptSum(all, first).sum).toBeDefined();
  expect(attemptSum(all, second).sum).toBeDefined();
  for (const attempt of [1, 2, 7]) {
    expect(attemptSum(all.slice(1), { ...first, attempt }).sum).toBeUndefined();
    expect(attemptSum(all.slice(1), { ...second, attempt: attempt + 1 }).sum).toBeUndefined();
  }
});

describe("two sets of survivors, which colluders sign both", () => {
  /** Seven sites, of which e, f and g collude with the coordinator, and what they get out of a, b, c and d. */
  function trying(
    least: number,
    all: readonly string[] = names,
    sets = [
      ["a", "b"],
      ["c", "d"],
    ],
  ) {
    const sites = victims(all, { leastOf: () => least });
    const tried = attemptSum([...sites.values()], { ...first, until: "uploads" });
    const context = tried.contextOf(all[0]);
    const colluders = all.filter((name) => !sets.flat().includes(name));
    const refusals: string[] = [];
    const reveals = new Map<string, Revealed>();
    for (const honest of sets) {
      const survivors = [...honest, ...colluders];
      const id = { run: "r", exchange: 0, attempt: 1 };
      const text = survivorsText(context, survivors);
      const signatures = survivors.map((site) => ({ site, signature: sites.get(site)!.identity.sign(text) }));
      for (const name of honest)
        for (const message of [
          { kind: "survivors" as const, ...id, survivors },
          { kind: "agreed" as const, ...id, signatures },
        ])
          for (const effect of sites.get(name)!.machine.handle({ kind: "message", message })) {
            if (effect.kind !== "send") continue;
            if (effect.message.kind === "refuse") refusals.push(effect.message.reason);
            if (effect.message.kind === "reveal") reveals.set(name, effect.message);
          }
    }
    return { refusals, reveals };
  }

  test("open updates of honest sites where more than a third collude, as the guide says", () => {
    const { reveals } = trying(3);
    // Both secrets of a: its own mask from a and b, its pairwise masks from c and d; the colluders add three shares to each.
    expect(["a", "b"].every((name) => reveals.get(name)!.selves.a !== undefined)).toBe(true);
    expect(["c", "d"].every((name) => reveals.get(name)!.masks.a !== undefined)).toBe(true);
    expect(2 + 3).toBe(quorumOf(3, 7));
  });

  test("are refused by sites whose floor is the colluders and three", () => {
    const { refusals, reveals } = trying(6);
    expect(reveals.size).toBe(0);
    expect(refusals[0]).toBe("There are 5 survivors; this site sums with 6 or more.");
    // Six of twelve collude; both sets have the nine sites that the floor asks for.
    const [one, other] = [
      ["a", "b", "c"],
      ["d", "e", "f"],
    ];
    const twelve = trying(9, [..."abcdefghijkl"], [one, other]);
    expect(twelve.reveals.size).toBe(0);
    expect(twelve.refusals[0]).toBe("There are 9 survivors; by the floors of these 12 sites it takes 10.");
  });
});

describe("an exact sum is opened once", () => {
  const survey = { ...first, once: "survey" };
  const again = (exchange: number) => ({
    ...{ exchange, attempt: 1, once: "survey" },
    shown: { ...shown, step: exchange, model: "cd".repeat(32) },
  });
  test("not over other sites: the difference would be one site's", () => {
    const all = [...victims(names).values()];
    expect(attemptSum(all, survey).sum).toBeDefined();
    const without = attemptSum(all.slice(0, 6), again(1));
    expect(without.sum).toBeUndefined();
    expect(without.refusals.join()).toContain(
      "has helped to open the survey. With or without g it would tell",
    );
    // Nor after a restart, nor with one more.
    for (const victim of all) restart(victim);
    expect(attemptSum(all.slice(0, 6), again(1)).sum).toBeUndefined();
    const fresh = [...victims(names).values()];
    expect(attemptSum(fresh.slice(0, 6), survey).sum).toBeDefined();
    expect(attemptSum(fresh, again(1)).sum).toBeUndefined();
  });
  test("nor after a site was removed for all to see, and then for good", () => {
    const all = [...victims(names).values()];
    expect(attemptSum(all, survey).sum).toBeDefined();
    const six = all.slice(0, 6);
    const roster = Object.fromEntries(Object.entries(six[0].roster).slice(0, 6));
    for (const victim of six) {
      victim.roster = roster;
      victim.machine.handle({ kind: "roster", roster });
    }
    const without = attemptSum(six, again(1));
    expect(without.sum).toBeUndefined();
    expect(without.refusals.join()).toContain(
      "With or without g it would tell the difference; start another run.",
    );
  });
  test("again over the same sites, of the same model", () => {
    const all = [...victims(names).values()];
    expect(attemptSum(all, survey).sum).toBeDefined();
    const { model } = first.shown;
    expect(attemptSum(all, { ...again(1), shown: { ...again(1).shown, model } }).sum).toBeDefined();
    const another = attemptSum(all, again(2));
    expect(another.sum).toBeUndefined();
    expect(another.refusals.join()).toContain("the survey, of another model; it helps no second one.");
  });
});
