// An axis is a number or { axis }, wherever there is one.
import * as p from "@pliant/engine";
import { array, evaluate, type NdArray, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";
import { constant } from "../src/tensor.js";

const x = constant(
  array([
    [3, 1, 2],
    [6, 5, 4],
  ]),
);
const places = constant(
  array(
    [
      [1, 0, 0],
      [0, 1, 1],
    ],
    { dtype: "int32" },
  ),
);
const place = constant(array([1, 0], { dtype: "int32" }));
type Given = number | { axis: number };

const uses: Record<string, (axis: Given) => Tensor> = {
  sum: (o) => x.sum(o),
  mean: (o) => x.mean(o),
  max: (o) => x.max(o),
  min: (o) => x.min(o),
  prod: (o) => x.prod(o),
  logSumExp: (o) => x.logSumExp(o),
  argmax: (o) => x.argmax(o),
  argmin: (o) => x.argmin(o),
  top1: (o) => x.top1(o).value,
  any: (o) => x.any(o),
  all: (o) => x.all(o),
  var: (o) => x.var(o),
  std: (o) => x.std(o),
  norm: (o) => x.norm(o),
  median: (o) => x.median(o),
  quantile: (o) => p.quantile(x, 0.5, o),
  cvar: (o) => p.cvar(x, 0.5, o),
  cumsum: (o) => x.cumsum(o),
  cumprod: (o) => x.cumprod(o),
  cummax: (o) => x.cummax(o),
  cummin: (o) => x.cummin(o),
  softmax: (o) => x.softmax(o),
  logSoftmax: (o) => x.logSoftmax(o),
  sort: (o) => x.sort(o),
  argsort: (o) => x.argsort(o),
  topK: (o) => x.topK(1, o).values,
  flip: (o) => x.flip(o),
  expandDims: (o) => x.expandDims(o),
  squeeze: (o) => x.slice([[0, 1]]).squeeze(o),
  concat: (o) => p.concat([x, x], o),
  stack: (o) => p.stack([x, x], o),
  gather: (o) => x.gather(place, o),
  takeAlong: (o) => x.takeAlong(places, o),
  repeat: (o) => x.repeat(2, o),
  roll: (o) => x.roll(1, o),
  split: (o) => x.slice([[], [0, 2]]).split(2, o)[0],
  diff: (o) => p.diff(x, 1, o),
};

test.each(Object.keys(uses))("%s", (name) => {
  const given = (axis: Given) => evaluate(uses[name](axis)) as NdArray;
  const [bare, option, back] = [given(0), given({ axis: 0 }), given({ axis: -2 })];
  expect(option).toEqual(bare);
  // A new axis counts from the back of the result, which has one more.
  if (name !== "expandDims" && name !== "stack") expect(back).toEqual(bare);
});

test("a direction may stand beside the axis or behind it", () => {
  for (const f of [p.cumsum, p.cummax, p.cumprod, p.cummin])
    expect(evaluate(f(x, { axis: 1, reverse: true }))).toEqual(evaluate(f(x, 1, { reverse: true })));
});
