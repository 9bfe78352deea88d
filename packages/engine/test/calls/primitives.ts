// How the operations that back ends know are called, with operands of every dtype and shape they take.
import type { Operand, Tensor } from "@pliant/engine";
import * as p from "@pliant/engine";
import { type Call, type Draw, ranked } from "./draw.js";

const floats = "exp log log1p sqrt sin cos erf tanh sigmoid softplus floor ceil round relu".split(
  " ",
) as "exp"[];
const numbers = "neg abs sign stopGradient".split(" ") as "neg"[];
const pairs = "add sub mul div rem maximum minimum lt le gt ge eq ne".split(" ") as "add"[];
const reductions = "sum mean max min prod logSumExp".split(" ") as "sum"[];
const rows = "softmax logSoftmax cumsum".split(" ") as "softmax"[];

export const images = (d: Draw): Tensor =>
  d.float(ranked(4, 4), [d.pick(3), d.among([0, 1, 2, 3, 8, 16]), 2 + d.pick(4), 2 + d.pick(4)]);

const index = (d: Draw): Tensor => d.find("int32", ranked(0, 2), d.shape(d.pick(3)));

export const primitiveCalls: Readonly<Record<string, Call>> = {
  ...Object.fromEntries(floats.map((name) => [name, (d: Draw) => d.float()[name]()])),
  ...Object.fromEntries(numbers.map((name) => [name, (d: Draw) => d.number()[name]()])),
  ...Object.fromEntries(
    pairs.map((name) => [
      name,
      (d: Draw): Tensor => {
        const x = d.number();
        const y: Operand = d.chance(4) ? d.among([0, 1, -1, 2]) : d.partner(x);
        return d.chance(2) ? x[name](y) : (p.where(true, y, y) as Tensor).cast(x.dtype)[name](x);
      },
    ]),
  ),
  ...Object.fromEntries(
    reductions.map((name) => [
      name,
      (d: Draw): Tensor => {
        const whole = name !== ("mean" as "sum") && name !== ("logSumExp" as "sum");
        const x = whole ? d.number(ranked(1)) : d.float(ranked(1));
        return x[name]({ axis: d.axes(x), keepDims: d.chance(2) });
      },
    ]),
  ),
  ...Object.fromEntries(
    rows.map((name) => [
      name,
      (d: Draw): Tensor => {
        const x = d.float(ranked(1), d.shape(1 + d.pick(3)));
        return x[name](d.axis(x));
      },
    ]),
  ),
  leakyRelu: (d) => d.float().leakyRelu(d.among([0.1, 2, -0.5])),
  clip: (d) =>
    d.number().clip(
      ...d.among<[number, number]>([
        [-1, 2],
        [0, Infinity],
        [-Infinity, 1],
        [0, 0],
      ]),
    ),
  pow: (d) => {
    const x = d.float();
    return x.pow(d.chance(2) ? d.among([0, 1, 2, 3, 0.5, -1]) : d.partner(x));
  },
  and: (d) => {
    const x = d.find("bool");
    return x.and(d.partner(x));
  },
  or: (d) => {
    const x = d.find("bool");
    return x.or(d.partner(x));
  },
  not: (d) => d.find("bool").not(),
  where: (d) => {
    const x = d.any();
    return p.where(
      d.find("bool", (c) => c.shape.join() === x.shape.join(), x.shape),
      x,
      d.partner(x),
    );
  },
  cast: (d) => d.any().cast(d.among([d.real, "int32", "bool"] as const)),
  argmax: (d) => {
    const x = d.number(ranked(1), d.shape(1 + d.pick(3)));
    return x.argmax(d.axis(x));
  },
  top1: (d) => {
    const x = d.number(ranked(1), d.shape(1 + d.pick(3)));
    return x.top1(d.axis(x)).value;
  },
  cummax: (d) => {
    const x = d.number(ranked(1), d.shape(1 + d.pick(3)));
    return x.cummax(d.axis(x), { reverse: d.chance(2) });
  },
  argsort: (d) => {
    const x = d.number(ranked(1), d.shape(1 + d.pick(3)));
    return x.argsort({ axis: d.axis(x), descending: d.chance(2) });
  },
  sort: (d) => {
    const x = d.number(ranked(1), d.shape(1 + d.pick(3)));
    return x.sort({ axis: d.axis(x), descending: d.chance(2) });
  },
  topK: (d) => {
    const x = d.number(ranked(1), d.shape(1 + d.pick(3)));
    const axis = d.axis(x);
    return x.topK(d.pick(x.shape[axis] + 1), { axis, smallest: d.chance(2) }).values;
  },
  takeAlong: (d) => {
    const x = d.any(ranked(1, 4), d.shape(1 + d.pick(3)));
    const axis = d.axis(x);
    const index = d.fresh(
      x.shape.map((n, i) => (i === axis ? d.pick(4) : n)),
      "int32",
    );
    return x.takeAlong(index, axis);
  },
  oneHot: (d) => d.find("int32").oneHot(1 + d.pick(4), d.real),
  reshape: (d) => {
    const x = d.any();
    return x.reshape(d.among([[x.size], [1, x.size], [x.size, 1], [...x.shape].reverse()]));
  },
  transpose: (d) => {
    const x = d.any();
    const order = x.shape.map((_, i) => ({ i, at: d.pick(100) })).sort((a, b) => a.at - b.at);
    return x.transpose(order.map(({ i }) => i));
  },
  broadcastTo: (d) => {
    const x = d.any(ranked(0, 3));
    return x.broadcastTo([d.pick(3), ...x.shape.map((n) => (n === 1 ? d.pick(4) : n))]);
  },
  expandDims: (d) => {
    const x = d.any(ranked(0, 3));
    return x.expandDims(d.pick(x.rank + 1));
  },
  squeeze: (d) => d.any().squeeze(),
  flatten: (d) => {
    const x = d.any();
    return x.flatten(d.pick(x.rank + 1));
  },
  slice: (d) => d.any(ranked(1)).slice([[d.pick(4), d.pick(6) - 1, 1 + d.pick(2)]]),
  pad: (d) => {
    const x = d.any(ranked(1, 3), d.shape(1 + d.pick(3)));
    return x.pad(
      x.shape.map(() => [d.pick(2), d.pick(3)]),
      x.dtype === "bool" ? d.pick(2) : d.among([0, 1, -2]),
    );
  },
  flip: (d) => {
    const x = d.any();
    return x.flip(d.axes(x));
  },
  concat: (d) => {
    const x = d.any(ranked(1), d.shape(1 + d.pick(3)));
    const axis = d.axis(x);
    return p.concat(
      [
        x,
        d.fresh(
          x.shape.map((n, i) => (i === axis ? d.pick(3) : n)),
          x.dtype,
        ),
      ],
      axis,
    );
  },
  stack: (d) => {
    const x = d.any(ranked(0, 3));
    return p.stack([x, x.flip()], d.pick(x.rank + 1));
  },
  matmul: (d) => {
    const x = d.number(ranked(1, 4), d.shape(2));
    const k = x.shape[x.rank - 1];
    const y = d.fresh(d.among([[k], [k, d.pick(4)], [...x.shape.slice(0, -2), k, d.pick(4)]]), x.dtype);
    return d.chance(3) ? x.matmul(y).add(1) : x.matmul(y);
  },
  einsum: (d) => {
    const x = d.float(ranked(2, 2), d.shape(2));
    const y = d.fresh([x.shape[1], d.pick(4)], x.dtype);
    return p.einsum(d.among(["ab,bc->ca", "ab,bc->b", "ab,bc->"]), x, y);
  },
  conv2d: (d) => {
    const x = images(d);
    const [, c, h, w] = x.shape;
    const groups = d.among([1, 2].filter((g) => c % g === 0));
    const kernel = [Math.min(h, 1 + d.pick(3)), Math.min(w, 1 + d.pick(3))];
    const filters = d.fresh([d.among([0, 2, 4, 8, 16]), c / groups, ...kernel], x.dtype);
    return x.conv2d(filters, { groups, stride: 1 + d.pick(2), padding: d.pick(2) });
  },
  maxPool: (d) => images(d).maxPool({ window: 2, stride: 1 + d.pick(2), padding: d.pick(2) }),
  avgPool: (d) => images(d).avgPool({ window: 2, stride: 1 + d.pick(2), padding: d.pick(2) }),
  unfold: (d) => images(d).unfold({ window: 2, stride: 1 + d.pick(2), padding: d.pick(2) }),
  gather: (d) => {
    const x = d.any(ranked(1, 4), d.shape(1 + d.pick(3)));
    return x.gather(index(d), d.axis(x));
  },
  scatterAdd: (d) => {
    const x = d.number(ranked(1, 3), d.shape(1 + d.pick(3)));
    const [i, axis] = [index(d), d.axis(x)];
    return x.scatterAdd(
      i,
      d.fresh([...x.shape.slice(0, axis), ...i.shape, ...x.shape.slice(axis + 1)], x.dtype),
      axis,
    );
  },
  pick: (d) => {
    const x = d.any(ranked(1, 4), d.shape(1 + d.pick(3)));
    return x.pick(d.fresh(x.shape.slice(0, -1), "int32"));
  },
  uniformFrom: (d) => p.uniformFrom(d.fresh([d.pick(3), 2], "int32"), [d.pick(4)]).cast(d.real),
  gridSample: (d) => {
    const x = images(d);
    return x.gridSample(d.fresh([x.shape[0], d.pick(3), d.pick(3), 2], x.dtype), {
      alignCorners: d.chance(2),
    });
  },
};
