import { array, infiniteSlopes, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";

test.each<[string, (x: Tensor) => Tensor, number[], string[]]>([
  ["a root at 0", (x) => x.pow(2).sum().sqrt(), [0, 0], ["sqrt"]],
  ["a root elsewhere", (x) => x.pow(2).sum().sqrt(), [0, 1], []],
  ["a power below 1 at 0", (x) => x.pow(0.5).sum(), [1, 0], ["pow"]],
  ["a logarithm at 0", (x) => x.log().sum(), [1, 0], ["log"]],
  ["what comes after something infinite is not blamed", (x) => x.log().neg().mul(3).sum(), [1, 0], ["log"]],
  ["a quotient", (x) => x.div(x.sub(x)).sum(), [1, 2], ["div"]],
  ["nothing", (x) => x.exp().add(1).log().sigmoid().sum(), [-3, 5], []],
])("%s", (_, fn, at, names) => {
  expect(infiniteSlopes(fn, [array(at)])).toEqual(names);
});

test("each result of several has its own", () => {
  const found = infiniteSlopes((x: Tensor) => ({ a: x.sqrt(), b: x.mul(2) }), [array([0])]);
  expect(found).toEqual({ a: ["sqrt"], b: [] });
});
