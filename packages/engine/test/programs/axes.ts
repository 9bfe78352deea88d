// Steps along axes: reductions, the soft-max family, and movements of elements.
import type { NdArray, Tensor } from "@pliant/engine";
import * as p from "@pliant/engine";
import { type Builder, type RandomStep, ranked } from "./builder.js";
import { lead, spread } from "./decisions.js";

const reduction = (name: "sum" | "mean" | "prod" | "max" | "min"): RandomStep => ({
  name,
  add(b) {
    const fits = (v: NdArray) => ranked(1)(v) && (name !== "prod" || v.size <= 40);
    const i = name === "mean" ? b.real(fits, [2, 3]) : b.number(fits, [4, 3]);
    const options = { axis: b.axes(i), keepDims: b.chance(2) };
    const chooses = name === "max" || name === "min";
    if (chooses && !b.clear([i], () => lead(b.value(i), options.axis, name))) return false;
    b.step(name, [i], ([x]) => x[name](options), { exact: chooses });
    return true;
  },
});

const chooser = (name: string, f: (x: Tensor, axis: number) => Tensor): RandomStep => ({
  name,
  add(b) {
    const i = b.number(ranked(1), [3, 4]);
    const axis = b.axis(i);
    if (!b.clear([i], () => lead(b.value(i), [axis], "max"))) return false;
    b.step(name, [i], ([x]) => f(x, axis), { exact: true });
    return true;
  },
});

/** What depends on the order of all elements along an axis. */
const ordering = (
  name: string,
  choose: (b: Builder, n: number) => (x: Tensor, axis: number) => Tensor,
): RandomStep => ({
  name,
  add(b) {
    const i = b.number(ranked(1), [3, 4]);
    const axis = b.axis(i);
    if (!b.clear([i], () => spread(b.value(i), axis))) return false;
    const f = choose(b, b.shape(i).at(axis)!);
    b.step(name, [i], ([x]) => f(x, axis), { exact: true });
    return true;
  },
});

const softmax = (name: "softmax" | "logSoftmax"): RandomStep => ({
  name,
  add(b) {
    const i = b.real(ranked(1), [3, 4]);
    const axis = b.axis(i);
    b.step(name, [i], ([x]) => x[name](axis));
    return true;
  },
});

/** A movement of the elements of a value of `low` to `high` axes. */
const movement = (
  name: string,
  [low, high]: [number, number],
  choose: (b: Builder, x: NdArray, i: number) => (x: Tensor) => Tensor,
): RandomStep => ({
  name,
  add(b) {
    const i = b.any(ranked(low, high), [2, 3, 2]);
    const f = choose(b, b.value(i), i);
    b.step(name, [i], ([x]) => f(x), { exact: true });
    return true;
  },
});

export const axisSteps: readonly RandomStep[] = [
  reduction("sum"),
  reduction("mean"),
  reduction("prod"),
  reduction("max"),
  reduction("min"),
  chooser("argmax", (x, axis) => x.argmax(axis)),
  chooser("top1", (x, axis) => x.top1(axis).value),
  ordering("argsort", (b) => {
    const descending = b.chance(2);
    return (x, axis) => x.argsort({ axis, descending });
  }),
  ordering("sort", (b) => {
    const descending = b.chance(2);
    return (x, axis) => x.sort({ axis, descending });
  }),
  ordering("topK", (b, n) => {
    const k = 1 + b.pick(n);
    return (x, axis) => x.topK(k, { axis }).values;
  }),
  ordering("cummax", (b) => {
    const reverse = b.chance(2);
    return (x, axis) => x.cummax(axis, { reverse });
  }),
  {
    name: "takeAlong",
    add(b) {
      const i = b.any(ranked(1), [3, 4]);
      const axis = b.axis(i);
      const { shape } = b.value(i);
      const at = (axis + shape.length) % shape.length;
      const k = b.newWhole(
        shape.map((d, a) => (a === at ? 1 + b.pick(4) : d)),
        -1,
        shape[at] + 1,
      );
      b.step("takeAlong", [i, k], ([x, index]) => x.takeAlong(index, axis), { exact: true });
      return true;
    },
  },
  softmax("softmax"),
  softmax("logSoftmax"),
  {
    name: "logSumExp",
    add(b) {
      const i = b.real(ranked(1), [3, 4]);
      const options = { axis: b.axes(i), keepDims: b.chance(2) };
      b.step("logSumExp", [i], ([x]) => x.logSumExp(options));
      return true;
    },
  },
  {
    name: "cumsum",
    add(b) {
      const i = b.number(ranked(1), [3, 4]);
      const axis = b.axis(i);
      const reverse = b.chance(2);
      b.step("cumsum", [i], ([x]) => x.cumsum(axis, { reverse }));
      return true;
    },
  },
  movement("reshape", [0, 5], (b, { size }) => {
    const d = b.among([1, 2, 3, 4, 6].filter((k) => size % k === 0));
    const shape = b.among([[d, -1], [-1, d], [size], [1, d, size / d], [d, 1, size / d, 1]]);
    return (x) => x.reshape(shape);
  }),
  movement("transpose", [1, 5], (b, { shape }) => {
    const order = shape.map((_, a) => a);
    for (let k = order.length - 1; k > 0; k--) {
      const j = b.pick(k + 1);
      [order[k], order[j]] = [order[j], order[k]];
    }
    return b.chance(3) ? (x) => x.transpose() : (x) => x.transpose(order);
  }),
  movement("broadcastTo", [0, 4], (b, { size, shape }) => {
    const wider = shape.map((d) => (d === 1 ? 1 + b.pick(3) : d));
    return (x) => x.broadcastTo(size <= 40 ? [2, ...wider] : wider);
  }),
  movement("expandDims", [0, 4], (b, { shape }) => {
    const axis = b.pick(shape.length + 1);
    return (x) => x.expandDims(axis);
  }),
  movement("squeeze", [0, 5], () => (x) => x.squeeze()),
  movement("flatten", [0, 5], (b, { shape }) => {
    const keep = b.pick(shape.length + 1);
    return (x) => x.flatten(keep);
  }),
  movement("slice", [1, 5], (b, { shape }) => {
    const ranges = shape.map((d) => {
      const start = b.pick(d);
      const stop = start + 1 + b.pick(d - start);
      return b.among([[], [start], [start, stop, 1 + b.pick(3)], [start - d, stop]]);
    });
    return (x) => x.slice(ranges);
  }),
  movement("pad", [1, 4], (b, { shape, dtype }) => {
    const widths = shape.map((): [number, number] => [b.pick(2), b.pick(3)]);
    const value = dtype === "bool" ? b.pick(2) : b.among([0, 0, 1, -2]);
    return (x) => x.pad(widths, value);
  }),
  movement("flip", [1, 5], (b, _, i) => {
    const axes = b.axes(i);
    return (x) => x.flip(axes);
  }),
  {
    name: "concat",
    add(b) {
      const i = b.any(ranked(1), [2, 3]);
      const { shape, dtype } = b.value(i);
      const axis = b.axis(i);
      const along = (axis + shape.length) % shape.length;
      const other = shape.map((d, a) => (a === along ? 1 + b.pick(3) : d));
      const args = [i, b.like(other, dtype), ...(b.chance(3) ? [i] : [])];
      b.step("concat", args, (xs) => p.concat(xs, axis), { exact: true });
      return true;
    },
  },
  {
    name: "stack",
    add(b) {
      const i = b.any(ranked(0, 4), [2, 3]);
      const { shape, dtype } = b.value(i);
      const axis = b.pick(shape.length + 1);
      b.step("stack", [i, b.like(shape, dtype)], (xs) => p.stack(xs, axis), { exact: true });
      return true;
    },
  },
];
