// A coordinator that tries to read one site's update out of ordinary-looking sums, with honest sites and the real crypto.
import { fractionBits, fromWords } from "@pliant/federated";
import { readSum, realCrypto } from "@pliant/federation";
import { describe, expect, test } from "vitest";
import { attemptSum, restart, victims } from "./malicious.js";

const names = ["a", "b", "c", "d", "e", "f", "g"];
const shown = { step: 0, exchange: 0, model: "ab".repeat(32), meanPrice: 0, answers: [] };
const first = { exchange: 0, attempt: 1, shown };

test("a sum over all comes out: what the attacks begin with", () => {
  const sites = victims(names);
  const { sum, refusals } = attemptSum([...sites.values()], first);
  expect(refusals).toEqual([]);
  const total = names.reduce((all, name) => all + sites.get(name)!.values[0], 0);
  expect(readSum(sum!, 7, 16, 8).values[0]).toBeCloseTo(total, 5);
});

describe("another bound for one site than for the others", () => {
  const boundOf = (name: string) => (name === "d" ? 16 : 2 ** 20);
  test("is known to each of them before anything is masked", () => {
    const { refusals, sum } = attemptSum([...victims(names, boundOf).values()], first);
    expect(sum).toBeUndefined();
    expect(refusals).toHaveLength(7);
    expect(refusals[0]).toContain("did not sign these keys for this statement: it was told something else");
  });
  test("gives noise even where nobody looks at signatures", () => {
    const blind = { ...realCrypto, signed: () => true };
    const sites = victims(names, boundOf, blind);
    const { sum, refusals } = attemptSum([...sites.values()], first);
    // The boxes of shares are bound to the statement as well.
    expect(refusals.join()).toContain("do not open: they are not for this site, model or attempt.");
    if (sum) expect(() => readSum(sum, 7, 16, 8)).toThrow("The masks do not cancel");
    // Masks alone: what is left of d's own without the masks of the others is nowhere near its update.
    const d = sites.get("d")!;
    if (sum) expect(fromWords(sum.words, fractionBits(8, 16))[0]).not.toBeCloseTo(d.values[0], 3);
  });
});

describe("what was revealed is final", () => {
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
    expect(attemptSum(fresh, first, false).sum).toBeUndefined();
    expect(attemptSum(fresh.slice(0, 6), { ...first, attempt: 2 }).sum).toBeDefined();
  });
});

test("a site that was killed after it agreed opens the sum it agreed to, and no other", () => {
  const all = [...victims(names).values()];
  attemptSum(all, first, false);
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
