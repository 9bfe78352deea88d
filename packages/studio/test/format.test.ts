// Numbers and times as the page writes them, beside what the browser's own ways would write.
import { expect, test } from "vitest";
import { ago, date, fine, held, level, mark, number, whole } from "../page/src/lib/format.js";

test.each([0, 7, 999, 1000, -1234, 65_536, 1_234_567, 12_345_678.9])("%d in groups of three digits", (x) => {
  expect(whole(x)).toBe(Math.round(x).toLocaleString("en"));
});

test("a number of thousands has groups and a real minus", () => {
  expect(number(-12_345.6)).toBe("−12,346");
});

test("a number that is compared with a tolerance is printed however small it is", () => {
  expect([1e-12, -3.2e-9, 0, 0.25, Number.NaN].map((x) => fine(x))).toEqual([
    "1e−12",
    "−3.2e−9",
    "0",
    "0.25",
    "–",
  ]);
  expect([1e-12, 1e-3].map((x) => number(x))).toEqual(["0", "0.001"]);
  expect([9.99e-4, -9.96e-4, 9.9e-4].map((x) => number(x))).toEqual(["0.000999", "−0.000996", "9.9e−4"]);
});

test("a number that is compared with a level is printed as 0 if it is negligible beside it", () => {
  expect([3e-9, 2e-14].map((x) => held(x, 1e-9))).toEqual(["3e−9", "0"]);
  expect([3e-9, 0.25049].map((x) => held(x, 0.1))).toEqual(["0", "0.25"]);
  expect(held(1e-9, 0)).toBe("0");
  expect(held(3e-9, [0, 1e-9])).toBe("3e−9");
  expect([1e-9, 0].map((x) => level(x))).toEqual(["1e−9", "0"]);
});

test("a large number has as many digits as are asked for", () => {
  expect([number(2.25e9, 3), number(-1e9), number(1_234_567, 3)]).toEqual(["2.25e+9", "−1e+9", "1.23e+6"]);
});

test("marks of an axis are distinct, and noise is 0", () => {
  const small = [0, 1e-9, 2e-9];
  expect(small.map((at) => mark(at, small))).toEqual(["0", "1e−9", "2e−9"]);
  const large = [-0.1, 2.7e-17, 0.1];
  expect(large.map((at) => mark(at, large))).toEqual(["−0.1", "0", "0.1"]);
  const powers = [1e-8, 1e-4, 1];
  expect(powers.map((at) => mark(at, powers, true))).toEqual(["1e−8", "1e−4", "1"]);
});

const now = Date.UTC(2026, 10, 16, 12);
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
test.each([
  [90, 2, "minute"],
  [60, 1, "minute"],
  [3600, 1, "hour"],
  [3 * 3600, 3, "hour"],
  [86_400, 1, "day"],
  [5 * 86_400, 5, "day"],
  [2_592_000, 1, "month"],
  [4 * 2_592_000, 4, "month"],
  [31_536_000, 1, "year"],
  [3 * 31_536_000, 3, "year"],
] as const)("%d s ago", (seconds, count, unit) => {
  expect(ago(now - 1000 * seconds, now)).toBe(relative.format(-count, unit));
});
test("future times, the present and invalid times", () => {
  expect(ago(now + 3 * 3_600_000, now)).toBe(relative.format(3, "hour"));
  expect(ago(now + 2 * 86_400_000, now)).toBe(relative.format(2, "day"));
  expect(ago(now - 5000, now)).toBe("just now");
  expect([ago(null, now), ago("soon", now), date(null), date("soon")]).toEqual(["–", "–", "–", "–"]);
});

const full = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
/** Newer tables have a narrow space before AM. */
const plain = (text: string): string => text.replace(/\s/g, " ");
test.each([0, 1, 11, 12, 13, 23])("a date at %d o'clock", (hour) => {
  const at = new Date(2026, hour % 12, 3 + hour, hour, 5);
  expect(date(at.getTime())).toBe(plain(full.format(at)));
});
