// Counts in words, that miss or meet a level by less than one example.
import { describe, expect, test } from "vitest";
import { gaveOf } from "../src/report/requirement-view.js";
import type { RequirementWords } from "../src/report/sentences.js";
import { certified, first, moving, plain, told } from "./judged.js";

describe("what is counted", () => {
  const counted = {
    pricedBy: "strict",
    status: "at its level",
    level: 0.02,
    resolution: 1 / 30,
    allowance: 1 / 30 + 0.001,
  } as const;

  test("and misses its level by less than one example is not said to hold as if it did", () => {
    const over = { ...counted, reached: 1 / 30, relaxation: 0.0133, price: 0.05 };
    expect(told(over)).toBe(
      "misses: counts as at its level (asked at most 0.020, reached 0.033). It misses it by 0.013, no more than one example (0.033). Its cost was not measured.",
    );
    expect(first(over)).toBe("Certified. The requirement holds to within one example (0.013 at most).");
    expect(told(over, moving)).toContain("is within its resolution (one example is 0.033) (");
    // Within the tolerance it is at its level.
    expect(told({ ...over, reached: 0.0205 })).toContain(": at its level, within its resolution");
  });

  test("and misses its level by more than one example is not said to miss it by one", () => {
    const [resolution, allowance] = [0.0028, 0.0038];
    const over = { ...counted, resolution, allowance, reached: 0.0233, relaxation: 0.0033, price: 0.05 };
    expect(told(over)).toContain(
      "It misses it by 0.0033, within 0.0038, the sum of one example (0.0028) and the tolerance of training.",
    );
    expect(first(over)).toBe("Certified. The requirement holds to within 0.0033.");
    expect(
      gaveOf(
        { certificate: certified, judgedOn: "train" },
        { ...plain, ...over, cost: "quadratic(2)", hard: false },
      ),
    ).toBe("≤ 0.0038");
    expect(told(over, moving)).toBe(
      "misses: misses its level by 0.0033, within 0.0038, the sum of one example (0.0028) and the tolerance of training (asked at most 0.020, reached 0.023). The run is not certified.",
    );
    // One example as single precision has it.
    expect(told({ ...over, reached: 0.02 + 0.0028 * (1 + 1e-5) })).toContain(
      "no more than one example (0.0028)",
    );
  });

  test("and met by less than one example names the example alone", () => {
    const [resolution, allowance] = [1 / 36, 1 / 36 + 0.001];
    expect(told({ ...counted, resolution, allowance, reached: 0 })).toContain(
      ": met, by less than its resolution (one example is 0.028) (asked",
    );
  });

  test("with too few examples is not reported to hold if training gave way", () => {
    const one = { ...counted, sense: "at least", level: -0.05, resolution: 1, allowance: 1.001 } as const;
    const missed = { ...one, reached: -0.0909, relaxation: 0.0403, price: 0.161 };
    expect(told(missed)).toBe(
      "misses: too few examples to tell whether it holds: one example is 1.000 of it (asked at least -0.050, reached -0.091). In training it gave way by 0.040 at a price of 0.16, which changes the model for all rows.",
    );
    expect(first(missed)).toBe('Certified. There are too few examples to tell whether "misses" holds.');
    // Nor where the count is on the right side by chance.
    expect(told({ ...missed, reached: -0.01 })).toContain("too few examples to tell whether it holds");
    expect(told({ ...missed, reached: 0, relaxation: 0, price: 0 })).toContain(
      "met, by less than its resolution",
    );
    const known = { certificate: certified, judgedOn: "train" } as const;
    const cell = (r: Partial<RequirementWords>) =>
      gaveOf(known, { ...plain, ...r, cost: "quadratic(2)", hard: false });
    expect([missed, { ...counted, reached: 1 / 30 }, { ...counted, reached: 0.02 }].map(cell)).toEqual([
      "?",
      "≤ 1 example",
      "0",
    ]);
  });
});
