// What grad and valueAndGrad promise: forms, types, closures, nesting, and what they answer where there is no derivative.
import {
  array,
  compile,
  EngineError,
  evaluate,
  grad,
  gridSample,
  NdArray,
  readAll,
  reference,
  type Stored,
  type Tensor,
  valueAndGrad,
  where,
} from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { afterAll, describe, expect, expectTypeOf, test } from "vitest";

const native = await onnx();
afterAll(() => native.close());

describe("valueAndGrad", () => {
  const loss = ({ w, b }: { w: Tensor; b: Tensor }, x: Tensor) => x.mul(w).add(b).pow(2).sum();
  const params = { w: array([1, -2]), b: array(0.5) };
  const x = array([3, 4]);

  test("gives the value and a gradient of the form of the parameters", async () => {
    const { value, gradient } = await readAll(await compile(valueAndGrad(loss))(params, x));
    expect(value.item()).toBe(3.5 ** 2 + 7.5 ** 2);
    expect(gradient.w.toNested()).toEqual([2 * 3.5 * 3, 2 * -7.5 * 4]);
    expect(gradient.b.item()).toBe(2 * (3.5 - 7.5));
  });

  test("hands over what the function returned beside the loss", async () => {
    const withAux = (p: { w: Tensor; b: Tensor }, data: Tensor) => {
      const prediction = data.mul(p.w).add(p.b);
      return { loss: prediction.pow(2).sum(), aux: { prediction, largest: prediction.max() } };
    };
    const { value, gradient, aux } = await readAll(await compile(valueAndGrad(withAux))(params, x));
    expect(aux.prediction.toNested()).toEqual([3.5, -7.5]);
    expect(aux.largest.item()).toBe(3.5);
    expect(value.item()).toBe(68.5);
    expect(gradient).toEqual(await readAll(await compile(grad(withAux))(params, x)));
  });

  test("takes the gradient in a list, in nested objects and in a single tensor alike", async () => {
    const nested = (p: { layers: { w: Tensor }[]; scale: [Tensor, Tensor] }) =>
      p.layers.map(({ w }, i) => w.mul(p.scale[i]).sum()).reduce((a, b) => a.add(b));
    const given = {
      layers: [{ w: array([1, 2]) }, { w: array([[3, 4, 5]]) }],
      scale: [array(10), array(20)] as [NdArray, NdArray],
    };
    const gradient = await readAll(await compile(grad(nested))(given));
    expect(gradient.layers[0].w.toNested()).toEqual([10, 10]);
    expect(gradient.layers[1].w.toNested()).toEqual([[20, 20, 20]]);
    expect(gradient.scale.map((s) => s.item())).toEqual([3, 12]);
    const single = await (await compile(grad((t: Tensor) => t.mul(t).sum()))(array([1, 2]))).read();
    expect(single.toNested()).toEqual([2, 4]);
  });

  test("keeps the types of the parameters, of what is returned beside the loss and of the other arguments", () => {
    type Params = { layers: { w: Tensor; b: Tensor }[]; head: readonly [Tensor, { bias: Tensor }] };
    const plain = (p: Params, n: number) => p.layers[n].w.sum();
    const withAux = (p: Params) => ({ loss: p.layers[0].w.sum(), aux: { logits: p.head[0], name: "a" } });
    type Gradient = { layers: { w: Tensor; b: Tensor }[]; head: readonly [Tensor, { bias: Tensor }] };
    expectTypeOf(grad(plain)).toEqualTypeOf<(params: Params, n: number) => Gradient>();
    expectTypeOf(valueAndGrad(plain)).returns.toEqualTypeOf<{ value: Tensor; gradient: Gradient }>();
    expectTypeOf(valueAndGrad(withAux)).returns.toEqualTypeOf<{
      value: Tensor;
      gradient: Gradient;
      aux: { logits: Tensor; name: string };
    }>();
    const compiled = compile(grad((p: { w: Tensor }, _x: Tensor) => p.w.sum()));
    expectTypeOf(compiled).returns.resolves.toEqualTypeOf<{ w: Stored }>();
    // @ts-expect-error: the parameters have no v
    const misspelt = () => compiled({ v: array(1) }, array(1));
    expect(misspelt).toBeTypeOf("function");
  });

  test("differentiates the argument, not a tensor of the same value that the function closes over", async () => {
    const closing = (t: Tensor) => grad((u: Tensor) => u.mul(t).sum())(t);
    const both = (t: Tensor) => grad((u: Tensor) => u.mul(u).sum())(t);
    expect((await (await compile(closing)(array([1, 2]))).read()).toNested()).toEqual([1, 2]);
    expect((await (await compile(both)(array([1, 2]))).read()).toNested()).toEqual([2, 4]);
  });

  test("gives zeros for parameters the loss does not use, or uses only where no gradient flows", async () => {
    const f = (p: { used: Tensor; unused: Tensor; stopped: Tensor; counted: Tensor }) =>
      p.used.sum().add(p.stopped.stopGradient().sum()).add(p.counted.argmax(0).cast("float64").sum());
    const four = (v: number) => new NdArray(new Float64Array(4).fill(v), [2, 2]);
    const given = { used: four(1), unused: four(2), stopped: four(3), counted: four(4) };
    const gradient = await readAll(await compile(grad(f))(given));
    expect(gradient.used).toEqual(four(1));
    for (const name of ["unused", "stopped", "counted"] as const) expect(gradient[name]).toEqual(four(0));
  });

  test("refuses parameters that are not floating-point, by name", () => {
    const integer = { layer: [{ count: new NdArray(Int32Array.of(1), []) }] };
    const f = (p: { layer: { count: Tensor }[] }) => p.layer[0].count.cast("float32");
    expect(() => evaluate(grad(f)(integer as never))).toThrow(EngineError);
    expect(() => evaluate(grad(f)(integer as never))).toThrow(
      "parameter .layer[0].count is int32[]; only floating-point tensors have gradients",
    );
    expect(() => grad((t: Tensor) => t.sum())(array([true]) as never)).toThrow(
      "parameter argument is bool[1]",
    );
  });

  test("refuses a loss that is not one floating-point number", () => {
    const at = array([1, 2]) as never;
    expect(() => grad((t: Tensor) => t.mul(2))(at)).toThrow(
      "the loss must be one floating-point number, got float32[2]; take its sum or mean",
    );
    expect(() => grad((t: Tensor) => t.argmax(0))(at)).toThrow("got int32[]");
    expect(() => grad((t: Tensor) => ({ loss: t, aux: 1 }))(at)).toThrow("got float32[2]");
    const message = "the function must return a tensor, or { loss, aux } with a tensor as loss";
    for (const result of [undefined, null, 3, {}, [1]]) {
      expect(() => grad(() => result as never)(at)).toThrow(message);
    }
  });
});

describe("gradients of gradients", () => {
  const f = (x: Tensor) => {
    const a = x.tanh().mul(x.exp()).sum();
    return x.softmax().mul(x.sin()).sum().add(x.mul(x).sum().log1p()).add(a);
  };
  const at = (shift: Float64Array, h: number) =>
    new NdArray(
      Float64Array.from([0.3, -0.7, 1.1, 0.2], (v, i) => v + h * shift[i]),
      [4],
    );
  const direction = Float64Array.of(0.5, -1, 0.25, 2);

  test("a Hessian-vector product agrees with the difference of gradients", async () => {
    const product = (x: Tensor, v: Tensor) => grad((y: Tensor) => grad(f)(y).mul(v).sum())(x);
    const exact = await (await compile(product)(at(direction, 0), new NdArray(direction, [4]))).read();
    const gradient = compile(grad(f));
    const h = 1e-5;
    const [up, down] = await Promise.all(
      [h, -h].map(async (s) => (await (await gradient(at(direction, s))).read()).data),
    );
    for (const [i, v] of exact.data.entries()) expect(v).toBeCloseTo((up[i] - down[i]) / (2 * h), 8);
  });

  test("the Hessian is symmetric", async () => {
    const row = (x: Tensor, v: Tensor) => grad((y: Tensor) => grad(f)(y).mul(v).sum())(x);
    const run = compile(row);
    const rows = await Promise.all(
      [0, 1, 2, 3].map(async (i) => {
        const unit = new NdArray(
          Float64Array.from({ length: 4 }, (_, j) => Number(i === j)),
          [4],
        );
        return (await (await run(at(direction, 0), unit)).read()).data;
      }),
    );
    for (let i = 0; i < 4; i++) for (let j = 0; j < i; j++) expect(rows[i][j]).toBeCloseTo(rows[j][i], 12);
  });

  test("four derivatives of x⁴", async () => {
    const power = (x: Tensor) => x.pow(4).sum();
    const total =
      (g: (x: Tensor) => Tensor) =>
      (x: Tensor): Tensor =>
        grad((y: Tensor) => g(y).sum())(x);
    const derivatives = [total(power), total(total(power)), total(total(total(power)))];
    const x = new NdArray(Float64Array.of(1.5), [1]);
    const values = await Promise.all(
      derivatives.map(async (d) => (await (await compile(d)(x)).read()).item()),
    );
    expect(values).toEqual([4 * 1.5 ** 3, 12 * 1.5 ** 2, 24 * 1.5]);
  });
});

interface Kink {
  name: string;
  f: (x: Tensor) => Tensor;
  at: number[] | number[][];
  gradient: number[] | number[][];
}

const kinks: Kink[] = [
  { name: "relu takes 0 at 0", f: (x) => x.relu(), at: [-1, 0, 1], gradient: [0, 0, 1] },
  {
    name: "leakyRelu takes its slope at 0",
    f: (x) => x.leakyRelu(0.25),
    at: [-1, 0, 1],
    gradient: [0.25, 0.25, 1],
  },
  { name: "abs takes 0 at 0", f: (x) => x.abs(), at: [-2, 0, 2], gradient: [-1, 0, 1] },
  {
    name: "sign, floor and ceil are flat",
    f: (x) => x.sign().add(x.floor()).add(x.ceil()),
    at: [-1.5, 0, 1],
    gradient: [0, 0, 0],
  },
  {
    name: "clip passes inside and at its bounds",
    f: (x) => x.clip(-1, 2),
    at: [-1.5, -1, 0, 2, 2.5],
    gradient: [0, 1, 1, 1, 0],
  },
  {
    name: "maximum shares between equals",
    f: (x) => x.maximum(array([1, 1, 1])),
    at: [0, 1, 2],
    gradient: [0, 0.5, 1],
  },
  {
    name: "maximum of a tensor with itself is the tensor",
    f: (x) => x.maximum(x),
    at: [0, 1],
    gradient: [1, 1],
  },
  {
    name: "minimum shares between equals",
    f: (x) => x.minimum(array([1, 1, 1])),
    at: [0, 1, 2],
    gradient: [1, 0.5, 0],
  },
  {
    name: "max shares between all equal extremes",
    f: (x) => x.max({ axis: 1 }),
    at: [
      [3, 1, 3, 2],
      [5, 5, 5, 5],
    ],
    gradient: [
      [0.5, 0, 0.5, 0],
      [0.25, 0.25, 0.25, 0.25],
    ],
  },
  {
    name: "min shares between all equal extremes",
    f: (x) => x.min(),
    at: [1, 2, 1],
    gradient: [0.5, 0, 0.5],
  },
  {
    name: "top1 shares its value's gradient as max does",
    f: (x) => x.top1().value,
    at: [2, 2, 0, 1],
    gradient: [0.5, 0.5, 0, 0],
  },
  {
    name: "maxPool gives all to the first maximum of a window",
    f: (x) => x.maxPool({ window: 2 }),
    at: [
      [0, 7, 1, 1],
      [7, 7, 1, 1],
    ],
    gradient: [
      [0, 1, 1, 0],
      [0, 0, 0, 0],
    ],
  },
  {
    name: "maxPool adds up where windows overlap",
    f: (x) => x.maxPool({ window: [1, 2], stride: 1, padding: [0, 1] }),
    at: [[4, 4, 5, 5]],
    gradient: [[2, 0, 2, 1]],
  },
  {
    name: "prod of a row with one zero moves only that zero",
    f: (x) => x.prod(),
    at: [2, 0, 3],
    gradient: [0, 6, 0],
  },
  {
    name: "prod of a row with two zeros moves nothing",
    f: (x) => x.prod(),
    at: [2, 0, 0],
    gradient: [0, 0, 0],
  },
  {
    name: "logSumExp of equal numbers shares as softmax does",
    f: (x) => x.logSumExp(),
    at: [1, 1, 1, 1],
    gradient: [0.25, 0.25, 0.25, 0.25],
  },
  {
    name: "gather of one place twice adds up",
    f: (x) => x.gather(new NdArray(Int32Array.of(1, 1, -4, 9), [4])),
    at: [1, 2, 3],
    gradient: [1, 2, 1],
  },
];

describe.each(["reference", "onnx"] as const)("where there is no derivative, on %s,", (name) => {
  const backend = name === "onnx" ? native : reference();

  test.each(kinks)("$name", async ({ f, at, gradient }) => {
    const run = compile(
      grad((x: Tensor) => f(x).sum()),
      { backend },
    );
    expect((await (await run(array(at))).read()).toNested()).toEqual(gradient);
  });

  test("gridSample takes the derivative from the right and from below at a pixel's centre", async () => {
    const image = new NdArray(Float32Array.of(1, 2, 4, 8, 16, 32, 64, 128, 256), [1, 1, 3, 3]);
    const centre = new NdArray(Float32Array.of(0, 0), [1, 1, 1, 2]);
    const sample = (g: Tensor) => gridSample(image, g, { alignCorners: true }).sum();
    const run = compile(grad(sample), { backend });
    // With aligned corners one pixel is 1 of the grid: to the right 32 − 16, below 128 − 16.
    expect((await (await run(centre)).read()).toNested()).toEqual([[[[16, 112]]]]);
  });

  test.each([true, false])(
    "gridSample's derivative has nothing of pixels beyond the two it lies between (corners aligned: %s)",
    async (alignCorners) => {
      for (const size of [2, 3, 6, 7, 12, 16, 23, 28]) {
        // Neighbours differ so much that a millionth of the next difference would be seen.
        const row = Float32Array.from({ length: size }, (_, j) => (j % 2) * 2 ** 20 + j);
        const halves = Float32Array.from({ length: 2 * (size - 1) }, (_, i) => {
          const at = Math.floor(i / 2) + 0.5;
          if (i % 2 === 1) return 0;
          return alignCorners ? (2 * at) / (size - 1) - 1 : (2 * at + 1) / size - 1;
        });
        const [image, grid] = [new NdArray(row, [1, 1, 1, size]), new NdArray(halves, [1, 1, size - 1, 2])];
        const sample = (g: Tensor) => gridSample(image, g, { alignCorners }).sum();
        const { data } = await (await compile(grad(sample), { backend })(grid)).read();
        const pixel = (alignCorners ? size - 1 : size) / 2;
        const slopes = Array.from(row.subarray(1), (v, j) => Math.fround(pixel * (v - row[j])));
        expect(Array.from(slopes, (_, j) => data[2 * j])).toEqual(slopes);
      }
    },
  );

  test("where passes exactly 0 to the branch not taken", async () => {
    const chosen = (p: { a: Tensor; b: Tensor }) => where(p.a.gt(0), p.a, p.b.mul(p.b)).sum();
    const x = array([-2, -1, 1, 2]);
    const { a, b } = await readAll(await compile(grad(chosen), { backend })({ a: x, b: x }));
    expect(a.toNested()).toEqual([0, 0, 1, 1]);
    expect(b.toNested()).toEqual([-4, -2, 0, 0]);
  });

  test("powers with a whole exponent have all their derivatives, at 0 and at infinity too", async () => {
    const total = (f: (x: Tensor) => Tensor) => (x: Tensor) => grad((y: Tensor) => f(y).sum())(x);
    const at = array([0, -0, 3, Infinity, -Infinity]);
    const derivative = async (exponent: number, order: number, given?: Tensor): Promise<unknown> => {
      let f = (x: Tensor) => x.pow(given ?? exponent);
      for (let i = 0; i < order; i++) f = total(f);
      return (await (await compile(f)(at)).read()).toNested();
    };
    expect(await derivative(0, 1)).toEqual([0, 0, 0, 0, 0]);
    expect(await derivative(1, 1)).toEqual([1, 1, 1, 1, 1]);
    expect(await derivative(1, 2)).toEqual([0, 0, 0, 0, 0]);
    expect(await derivative(2, 2)).toEqual([2, 2, 2, 2, 2]);
    expect(await derivative(2, 3)).toEqual([0, 0, 0, 0, 0]);
    expect(await derivative(3, 4)).toEqual([0, 0, 0, 0, 0]);
  });

  test("a power whose exponent is an argument of 0 has the gradient 0", async () => {
    const first = (x: Tensor, n: Tensor) => grad((y: Tensor) => y.pow(n).sum())(x);
    const second = (x: Tensor, n: Tensor) => grad((y: Tensor) => first(y, n).sum())(x);
    const [x, n] = [array([0, 3, Infinity, 0]), array([0, 0, 0, 1])];
    expect((await (await compile(first)(x, n)).read()).toNested()).toEqual([0, 0, 0, 1]);
    expect((await (await compile(second)(x, n)).read()).toNested()).toEqual([0, 0, 0, 0]);
  });

  test("pow has no gradient in an exponent over a base of at most 0", async () => {
    const run = compile(
      grad((p: { base: Tensor; exponent: Tensor }) => p.base.pow(p.exponent).sum()),
      { backend },
    );
    const { base, exponent } = await readAll(
      await run({ base: array([0, -2, 1]), exponent: array([2, 2, 2]) }),
    );
    expect(base.toNested()).toEqual([0, -4, 2]);
    expect(exponent.toNested()).toEqual([0, 0, 0]);
  });
});
