// The playground's setting in an address, there and back; nonsense is as if it were not said.
import fc from "fast-check";
import { expect, test } from "vitest";
import { linkQuery, settingFrom } from "../page/src/playground/link.js";

const thousandth = fc.integer({ min: -1000, max: 1000 }).map((k) => k / 1000);
const ask = fc.record({
  level: fc.integer({ min: 0, max: 100 }).map((k) => k / 100),
  alpha: fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
  hard: fc.boolean(),
});
const description = fc.record({
  points: fc.array(fc.record({ x: thousandth, y: thousandth, sick: fc.boolean() }), { maxLength: 40 }),
  asks: fc.record({ "sick missed": ask, "false alarms": ask }),
});

test("the state of the board is restored", () => {
  fc.assert(
    fc.property(description, (setting) => {
      const read = settingFrom(new URLSearchParams(linkQuery(setting, undefined).toString()));
      expect(read.asks).toEqual(setting.asks);
      expect(read.points).toEqual(setting.points.map(({ x, y, sick }) => ({ x: x + 0, y: y + 0, sick })));
    }),
  );
});

test.each([
  "people=x",
  "people=s1",
  "people=s5000_1",
  "missed=2_1&alarms=0.1_1",
  "missed=0.1_-1&alarms=0_1",
  "missed=0.1_1",
])("%s says nothing", (text) => {
  expect(settingFrom(new URLSearchParams(text))).toEqual({
    preset: undefined,
    points: undefined,
    asks: undefined,
  });
});
