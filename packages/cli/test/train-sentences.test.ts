// Requirements in words, where they are not simply met or relaxed.
import { describe, expect, test } from "vitest";
import { sentences, type Told } from "../src/sentences.js";

const certificate = {
  equilibrium: 0,
  feasibility: 0,
  complementarity: 0,
  stationarity: 0,
  gap: 0,
  tolerance: 1e-3,
  holds: false,
  short: [],
};
const told = (more: Partial<Told>): string =>
  sentences({
    certificate,
    requirements: {
      misses: {
        status: "at its level",
        pricedBy: "loss",
        loss: 0.1,
        hard: false,
        scale: 1,
        allowance: 1e-3,
        sense: "at most",
        level: 0.1,
        reached: 0.1,
        relaxation: 0,
        price: 0,
        cost: "quadratic(1)",
        ...more,
      },
    },
  })[0];

describe("a sentence", () => {
  test("says that one that must hold does not, where the steps ended before", () => {
    expect(told({ reached: 0.3, price: 41, cost: "hard" })).toBe(
      "misses: asked at most 0.100, reached 0.300, still missed by 0.200 though it must hold, its price risen to 41: the steps ended before it was met, or it cannot be.",
    );
    expect(told({ reached: 0.3, relaxation: 0.1, price: 2 })).toContain(
      "still missed by 0.100 beyond what it gave",
    );
  });

  test("tells a relative level by its words and its number", () => {
    expect(
      told({ level: 0.12, asked: "overall + 0.02 (0.120)", reached: 0.15, relaxation: 0.03, price: 0.06 }),
    ).toMatch(
      /^misses: asked at most overall \+ 0\.02 \(0\.120\), reached 0\.150, gave way by 0\.030 at price 0\.060/,
    );
  });

  test("counts the examples of a requirement on each", () => {
    expect(told({ reached: 2, relaxation: 3.5, price: 8, examples: { all: 20, gave: 6 } })).toBe(
      "misses: asked at most 0.100 of every example, at worst 2.000, gave way on 6 of 20 examples, by 3.500 in all, at prices of 8.0 in all.",
    );
  });

  test("has no minus before nothing", () => {
    expect(told({ reached: -1e-9 })).toContain("reached 0.000, met with room to spare");
  });
});
