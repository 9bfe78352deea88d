// A coordinator that tells sites different histories, or writes a model that no sums lead to.

import { reference } from "@pliant/engine";
import { flattenSums, initialParams, type Sums, unflattenSums, zerosLike } from "@pliant/federated";
import { firstPast, networkOptions, outcomeOf, pastAfter } from "@pliant/federation";
import { describe, expect, test } from "vitest";
import { cameTo, sinceFor } from "../src/protocol/past.js";
import { checkModel, seedAnchor } from "../src/run/anchor.js";
import { attemptSum, reading, type Story, type Victim, victims } from "./malicious.js";
import { specOf } from "./problem.js";

const names = [..."abcdefg"];
const shown = { step: 0, exchange: 0, model: "ab".repeat(32), meanPrice: 0, answers: [], past: "" };
const first = { exchange: 0, attempt: 1, shown };
const second = { exchange: 1, attempt: 1, shown: { ...shown, exchange: 1, model: "cd".repeat(32) } };
const all = (sites: Map<string, Victim>): Victim[] => [...sites.values()];

describe("whether a site was counted", () => {
  const outcome = (survivors: readonly string[] | null, ended: Victim["ended"]) => {
    const { attempt, statement } = ended.get(0)!;
    return new Map([[0, outcomeOf(0, { attempt, statement, groups: survivors && [survivors] })]]);
  };
  /** The second sum, where d is told that the first one ended so. */
  function telling(survivors: readonly string[] | null) {
    const sites = victims(names);
    expect(attemptSum(all(sites), first).sum).toBeDefined();
    const d = sites.get("d")!;
    const next = survivors ? second.shown : { ...shown, step: 1 };
    const story: Story = { ended: outcome(survivors, d.ended), shown: next };
    const tried = attemptSum(all(sites), { ...second, stories: { d: story } });
    return { tried, d };
  }

  test("is told to all alike, and then the next sum is taken", () => {
    const { tried } = telling(names);
    expect(tried.refusals).toEqual([]);
    expect(tried.sum).toBeDefined();
  });
  test("is not told to one site alone: the others see that it was told something else", () => {
    // d did not agree to that; given up is the only ending that it cannot tell from a lie.
    expect(telling(names.filter((name) => name !== "d")).tried.refusals.join()).toContain(
      "d: The coordinator tells this site another history than it has seen",
    );
    const { tried, d } = telling(null);
    expect(tried.refusals.join()).toContain("d did not sign these keys for this statement");
    expect(tried.sum).toBeUndefined();
    expect(tried.uploads.size).toBe(0);
    expect(reading(tried, d)).toBeNaN();
  });
  test("is part of the statement: what it is told beside it must lead to that", () => {
    const sites = victims(names);
    attemptSum(all(sites), first);
    for (const lie of [
      { root: null },
      { survivors: ["a", "b", "c"] },
      { attempt: 2 },
      { after: ["00".repeat(32)] },
    ]) {
      const story: Story = { since: (honest) => ({ ...honest, ...lie }) };
      const tried = attemptSum(all(sites), { ...second, attempt: 2 + tries++, stories: { d: story } });
      expect(tried.refusals.join()).toContain("d: The coordinator tells this site another history");
    }
  });
  let tries = 0;

  test("is told the same in all attempts at an exchange, also after uploads that came to nothing", () => {
    const sites = victims(names);
    attemptSum(all(sites), first);
    const { ended } = sites.get("d")!;
    attemptSum(all(sites), { ...second, until: "uploads" });
    const others = Object.fromEntries(names.map((name) => [name, { ended: outcome(null, ended) }]));
    const tried = attemptSum(all(sites), { ...second, attempt: 2, stories: others });
    expect(tried.uploads.size).toBe(0);
    expect(tried.refusals).toHaveLength(7);
  });
});

describe("what a site is told of an outcome with groups", () => {
  const groups = Array.from({ length: 7 }, (_, g) => ["x", "y", "z"].map((name) => `${name}${g}`));
  const outcomes = [0, 1, 2].map((e) => outcomeOf(e, { attempt: e + 1, statement: "00".repeat(32), groups }));
  const past = outcomes.reduce(pastAfter, firstPast("r"));
  const last = (group: number) => ({
    ...{ exchange: 0, attempt: 1, step: 0, part: 0, next: 0, statement: "00".repeat(32), model: "" },
    ...{ past: firstPast("r"), group, groups: groups.length },
  });
  const came = (group: number, site: string, since = sinceFor(outcomes, 0, group)) =>
    cameTo(last(group), { revealed: false }, { exchange: 3, past }, since, site);
  test("is its own group, and follows from one hash over all", () => {
    for (const [g, [, own]] of groups.entries()) expect(came(g, own)?.counted).toBe(true);
    expect(came(2, "absent")?.counted).toBe(false);
    // Another group is not taken for its own.
    expect(came(2, "y2", sinceFor(outcomes, 0, 3))).toBeUndefined();
    expect(() => came(2, "y2", { ...sinceFor(outcomes, 0, 3)!, group: 2 })).toThrow(
      "its group had other sites",
    );
    expect(came(2, "y2", undefined)?.counted).toBe(true);
    expect(came(2, "y2", sinceFor(outcomes, 1, 2))).toBeUndefined();
    // Its own attempt may have had other groups than the one that was counted, where the roster changed in between.
    const before = { ...last(4), attempt: 0, groups: 9 };
    expect(
      cameTo(before, { revealed: false }, { exchange: 3, past }, sinceFor(outcomes, 0, 4), "y4"),
    ).toEqual({
      counted: false,
      void: false,
    });
  });
});

describe("a model that a coordinator writes", () => {
  const spec = specOf();
  const update = initialParams(networkOptions(spec, reference())) as Sums["update"];
  const honest: Sums = { update, shared: zerosLike(update) };
  const moved = (by: number): Sums => {
    const flat = flattenSums(honest);
    flat[3] += by;
    return unflattenSums(flat, honest);
  };
  const past = firstPast("r");
  const check =
    (exchange: number, step: number, part: number, model: Sums, from = seedAnchor(honest)) =>
    () =>
      checkModel(
        ...([spec, "r", exchange] as const),
        { step, exchange: part, model: "ab".repeat(32), meanPrice: 0, answers: [], past },
        ...([model, honest, from] as const),
      );
  test("is not the one to begin with: that follows from the spec's seed", () => {
    expect(check(0, 0, 0, honest)).not.toThrow();
    expect(check(0, 0, 0, moved(1e-6))).toThrow(
      "begins with another model than the one that the spec's seed gives",
    );
    expect(check(1, 0, 1, moved(1))).not.toThrow();
  });
  test("moves by no more than a mean of updates can between two exchanges", () => {
    expect(check(2, 1, 0, moved(31.9))).not.toThrow();
    for (const by of [33, Number.NaN])
      expect(check(2, 1, 0, moved(by))).toThrow(
        "has moved further than sums.bound, 16, in each of 2 exchanges",
      );
  });
  test.each([
    ["a later round as the first exchange", 0, 1, 0],
    ["more rounds than exchanges", 1, 2, 0],
    ["more exchanges than the rounds have", 5, 2, 0],
    ["another sum than the next", 2, 0, 1],
  ])("is not shown at a place where no run comes: %s", (_, exchange, step, part) => {
    expect(check(exchange, step, part, honest)).toThrow("no run comes there");
  });
  test("is the one before where a round was given up, and no exchange is left out", () => {
    const sites = victims(names);
    attemptSum(all(sites), { ...first, until: "signatures" });
    const after = (next: object) => attemptSum(all(sites), { ...second, shown: { ...shown, ...next } });
    expect(after({ step: 1, model: "cd".repeat(32) }).refusals.join()).toContain(
      "does not follow, or its model does not",
    );
    const sums = victims(names);
    attemptSum(all(sums), first);
    const skipped = { ...second, shown: { ...shown, step: 3, model: "cd".repeat(32) } };
    expect(attemptSum(all(sums), skipped).refusals.join()).toContain("round 4, sum 1 does not follow");
  });
});
