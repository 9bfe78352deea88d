// Operations that bring together elements from many places, at their edges.
import * as p from "@pliant/engine";
import { everything, floats, numbers, type Use, use } from "./use.js";

const products =
  "7,5 5,6 | 3 3 | 2,3,4 4,2 | 2,1,3,4 5,4,2 | 0,4 4,3 | 3,0 0,4 | 3,4 4,0 | 0,3,4 0,4,2 | 0,1,3,4 5,4,2 | 2,1,3,0 5,0,2 | 0,3,4 4,2";

const windows: readonly [string, p.PoolOptions][] = [
  ["side by side", { window: 2 }],
  ["overlapping", { window: 3, stride: 1 }],
  ["padded", { window: [3, 2], stride: 2, padding: 1 }],
];
const images = "2,3,4,6 | 1,16,4,4 | 0,3,4,4 | 2,0,4,4";

const indexed = { as: [undefined, "int32"] } as const;
const onAxis = (axis: number): Use[] => [
  use("gather", everything, "5,12 7 | 5,12 2,3 | 5,3 0 | 5,3 2,0", ([x, i]) => x.gather(i, axis), indexed),
  use(
    "scatterAdd",
    numbers,
    "5,12 4 | 5,3 0 | 5,3 2,0",
    ([x, i]) => x.scatterAdd(i, x.gather(i, axis), axis),
    indexed,
  ),
];

export const productUses: readonly Use[] = [
  use("matmul", numbers, products, ([x, y]) => x.matmul(y)),
  use("matmul", floats, "7,5 5,6 6 | 3,0 0,4 4 | 0,2 2,4 4", ([x, y, b]) => x.matmul(y).add(b), {
    detail: "and add",
  }),
  use("einsum", floats, "2,3,4 4,3,2 | 0,3,4 4,3,2 | 2,3,0 0,3,2", ([x, y]) => p.einsum("abc,cbd->da", x, y)),
  use("conv2d", floats, "2,3,5,6 4,3,3,2 | 0,3,5,6 4,3,3,2 | 2,3,5,6 0,3,3,2 | 2,0,5,6 4,0,3,2", ([x, w]) =>
    x.conv2d(w),
  ),
  use("conv2d", floats, "2,16,5,6 16,16,3,3 | 0,16,5,6 16,16,3,3", ([x, w]) => x.conv2d(w), {
    detail: "in blocks",
  }),
  use("conv2d", floats, "2,4,7,6 4,2,3,2", ([x, w]) => x.conv2d(w, { stride: 2, groups: 2 }), {
    detail: "in groups",
  }),
  ...windows.flatMap(([detail, options]) => [
    use("maxPool", floats, images, ([x]) => x.maxPool(options), { detail }),
    use("avgPool", floats, images, ([x]) => x.avgPool(options), { detail }),
  ]),
  ...([{ window: 2 }, { window: 3, padding: 1, stride: 2 }] as const).map((options) =>
    use("unfold", numbers, images, ([x]) => x.unfold(options)),
  ),
  ...[0, 1].flatMap(onAxis),
  use("gather", everything, "5,0 4", ([x, i]) => x.gather(i), { ...indexed, detail: "rows of nothing" }),
  use("scatterAdd", numbers, "5,0 4 4,0", ([x, i, u]) => x.scatterAdd(i, u), {
    ...indexed,
    detail: "rows of nothing",
  }),
  use("scatterAdd", numbers, "0,5,2 4 0,4,2", ([x, i, u]) => x.scatterAdd(i, u, 1), {
    ...indexed,
    detail: "in no rows",
  }),
  use("pick", everything, "6,10 6 | 0,3 0", ([x, i]) => x.pick(i), indexed),
  ...[5, 0].map((n) => use("uniformFrom", ["int32"], "6,2 | 0,2", ([k]) => p.uniformFrom(k, [n]))),
  ...[true, false].map((alignCorners) =>
    use(
      "gridSample",
      floats,
      "2,2,4,5 2,3,7,2 | 0,2,4,5 0,3,3,2 | 2,0,4,5 2,3,3,2 | 2,2,4,5 2,0,3,2",
      ([x, g]) => x.gridSample(g, { alignCorners }),
      { detail: alignCorners ? "aligned" : "" },
    ),
  ),
];
