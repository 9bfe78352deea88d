// What a certificate says in words: which number is off, by how much, and whose.
import { describe, expect, test } from "vitest";
import { type Certificate, isSettled, residualOf } from "../src/certificate/certificate.js";
import { type Failure, sentences } from "../src/certificate/words.js";

describe("a failure in words", () => {
  test.each<[Failure, string[]]>([
    [{ what: "objective", by: 0.01234 }, ["objective", "1.2%"]],
    [{ what: "parameters", by: 2.5 }, ["parameters", "250%"]],
    [{ what: "parameters", by: Number.NaN }, ["parameters", "an unknown amount"]],
    [{ what: "unsolved", by: 0.3 }, ["ill-conditioned"]],
    [{ what: "missed", names: ["late"] }, ["even the relaxed level is missed", "late"]],
    [{ what: "prices", names: ["early", "late"] }, ["prices", '"early", "late"']],
    [{ what: "relaxations", names: ["late"] }, ["relaxations", "late"]],
    [{ what: "values", names: ["late"] }, ["values", "late"]],
    [{ what: "counted", names: ["rate"] }, ["counted", "rate"]],
    [{ what: "saddle" }, ["saddle point"]],
    [{ what: "not lowest" }, ["lower nearby"]],
    [{ what: "flat" }, ["no curvature"]],
    [{ what: "falls without bound" }, ["falls without bound", "add a decay"]],
    [{ what: "falls towards a bound" }, ["falls as long as the parameters grow", "add a decay"]],
  ])("%j names what is wrong", (failure, parts) => {
    const [sentence] = sentences([failure]);
    for (const part of parts) expect(sentence).toContain(part);
    expect(sentence).not.toMatch(/NaN|undefined|object Object/);
  });

  test("comes one for each failure, in order, and none for none", () => {
    expect(sentences([])).toEqual([]);
    const both = sentences([{ what: "saddle" }, { what: "objective", by: 0.1 }]);
    expect(both).toHaveLength(2);
    expect([both[0], both[1]]).toEqual([expect.stringContaining("saddle"), expect.stringContaining("10%")]);
  });

  test("lists eight names at most, and how many more there are", () => {
    const names = Array.from({ length: 11 }, (_, i) => `r${i}`);
    const of = (count: number): string => sentences([{ what: "prices", names: names.slice(0, count) }])[0];
    expect(of(8)).toMatch(/"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"$/);
    expect(of(11)).toMatch(/"r6", "r7", 3 more$/);
  });
});

describe("a certificate", () => {
  const none = { objective: 0, prices: 0, relaxations: 0, values: 0, parameters: 0 };

  test.each(Object.keys(none) as (keyof typeof none)[])(
    "has one number for a person: the largest error, here of %s",
    (what) => {
      const rest = { objective: 0.1, prices: 0.1, relaxations: 0.1, values: 0.1, parameters: 0.1 };
      expect(residualOf({ errors: { ...rest, [what]: 0.2 } })).toBe(0.2);
    },
  );

  test("has the largest error that is known where one is NaN", () => {
    expect(residualOf({ errors: { ...none, prices: Number.NaN, parameters: 0.3, values: 0.1 } })).toBe(0.3);
    expect(residualOf({ errors: none })).toBe(0);
  });

  test("is settled where it holds, or where there is no minimum to reach", () => {
    const certificate: Certificate = {
      tolerance: 3e-3,
      holds: false,
      kind: "local",
      errors: none,
      objectiveError: 0,
      gap: 0,
      short: [],
    };
    expect(isSettled(certificate)).toBe(false);
    expect(isSettled({ ...certificate, holds: true })).toBe(true);
    expect(isSettled({ ...certificate, withoutMinimum: true })).toBe(true);
  });
});
