// What a site must not forget or misread is under a hash.
import { PliantError } from "@pliant/core";
import { expect, test } from "vitest";
import { sealed, unsealed } from "../src/ports/files.js";

test("every flipped bit is found, and what an earlier release wrote is read", () => {
  const text = JSON.stringify({ revealed: { exchange: 3 }, name: "ü" });
  const whole = Buffer.from(sealed(text));
  expect(unsealed(whole, "state")).toBe(text);
  expect(unsealed(Buffer.from(text), "state")).toBe(text);
  for (let bit = 0; bit < 8 * whole.length; bit++) {
    const flipped = Buffer.from(whole);
    flipped[bit >> 3] ^= 1 << (bit & 7);
    expect(() => unsealed(flipped, "state")).toThrow(PliantError);
  }
});
