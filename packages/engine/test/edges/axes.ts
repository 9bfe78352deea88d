// Operations along axes and those that move elements, at their edges.
import * as p from "@pliant/engine";
import { everything, floats, numbers, type Use, use } from "./use.js";

const rows = "1,61 | 61,3 | 7,8 | 40,17 | 2,3";
const none = "0,3 | 3,0 | 0,0";

const reducing = (name: "sum" | "mean" | "max" | "min" | "prod" | "logSumExp"): Use[] => {
  const dtypes = name === "mean" || name === "logSumExp" ? floats : numbers;
  const overEmpty = name !== "max" && name !== "min";
  return [
    ...[[0], [1], [0, 1]].map((axis) =>
      use(name, dtypes, overEmpty ? `${rows} | ${none}` : rows, ([x]) => x[name]({ axis }), {
        detail: `over ${axis}`,
      }),
    ),
    use(name, dtypes, "0,3 | 0,0", ([x]) => x[name]({ axis: 1 }), { detail: "of no rows" }),
  ];
};

const along = (axis: number): Use[] => [
  use("argmax", numbers, axis === 1 ? `${rows} | 0,3` : rows, ([x]) => x.argmax(axis)),
  use("top1", numbers, rows, ([x]) => x.top1(axis).value),
  use("cumsum", numbers, `${rows} | ${none}`, ([x]) => x.cumsum(axis)),
  use("cumsum", numbers, `${rows} | ${none}`, ([x]) => x.cumsum(axis, { reverse: true }), {
    detail: "reverse",
  }),
  use("cummax", numbers, `${rows} | ${none}`, ([x]) => x.cummax(axis)),
  use("cummax", numbers, `${rows} | ${none}`, ([x]) => x.cummax(axis, { reverse: true }), {
    detail: "reverse",
  }),
  use("argsort", numbers, `${rows} | ${none}`, ([x]) => x.argsort({ axis })),
  use("argsort", numbers, `${rows} | ${none}`, ([x]) => x.argsort({ axis, descending: true }), {
    detail: "descending",
  }),
  use("sort", numbers, `${rows} | ${none}`, ([x]) => x.sort({ axis })),
  ...[0, 1].flatMap((k) => [
    use("topK", numbers, rows, ([x]) => x.topK(k, { axis }).indices, { detail: `of ${k}` }),
    use("topK", numbers, rows, ([x]) => x.topK(x.shape[axis] - k, { axis }).values, { detail: `but ${k}` }),
    use("topK", numbers, rows, ([x]) => x.topK(k, { axis, smallest: true }).values, { detail: "smallest" }),
  ]),
  use("takeAlong", everything, "7,8 7,8 | 0,3 0,3", ([x, i]) => x.takeAlong(i, axis), {
    as: [undefined, "int32"],
  }),
  use("softmax", floats, `${rows} | ${none}`, ([x]) => x.softmax(axis)),
  use("logSoftmax", floats, `${rows} | ${none}`, ([x]) => x.logSoftmax(axis)),
];

const moving = (name: string, shapes: string, f: (x: p.Tensor) => p.Tensor): Use =>
  use(name, everything, shapes, ([x]) => f(x));

export const axisUses: readonly Use[] = [
  ...(["sum", "mean", "max", "min", "prod", "logSumExp"] as const).flatMap(reducing),
  ...[0, 1].flatMap(along),
  ...floats.map((to) => use("oneHot", ["int32"], "18 | 0 | 2,0", ([x]) => x.oneHot(4, to))),
  moving("reshape", "4,15", (x) => x.reshape([6, -1])),
  moving("reshape", "0,4 | 4,0,3", (x) => x.reshape([0, 7])),
  moving("transpose", "4,15 | 0,4 | 4,0,3", (x) => x.transpose()),
  moving("broadcastTo", "1,61 | 0 | 1,0", (x) => x.broadcastTo([3, ...x.shape])),
  moving("broadcastTo", "1 | -", (x) => x.broadcastTo([0, 3, 1])),
  moving("expandDims", "61 | 0", (x) => x.expandDims(1)),
  moving("squeeze", "1,61,1 | 0,1", (x) => x.squeeze()),
  moving("flatten", "4,15 | 0,4", (x) => x.flatten()),
  moving("slice", "9,15 | 9,0", (x) => x.slice([[1, -1, 2]])),
  moving("slice", "9,15", (x) =>
    x.slice([
      [4, 4],
      [2, 9, 3],
    ]),
  ),
  moving("flip", "9,15 | 0,4 | 4,0", (x) => x.flip([0, 1])),
  moving("pad", "4,15 | 0,4 | 4,0", (x) =>
    x.pad(
      [
        [1, 0],
        [0, 2],
      ],
      x.dtype === "bool" ? 1 : -3,
    ),
  ),
  ...[-0, NaN, Infinity].map((value) =>
    use(
      "pad",
      floats,
      "4,15 | 0,4",
      ([x]) =>
        x.pad(
          [
            [1, 0],
            [0, 2],
          ],
          value,
        ),
      { detail: `with ${value}` },
    ),
  ),
  use("concat", everything, "4,15 3,15 | 0,5 2,5 | 0,5 0,5 | 2,0 3,0", (xs) => p.concat(xs)),
  use("stack", everything, "4,15 4,15 | 0,5 0,5", (xs) => p.stack(xs, 1)),
];
