// An operation that is defined here, in one place, and seen everywhere; and gradients of one's own.
import {
  array,
  compile,
  customGradient,
  exportOnnx,
  grad,
  NdArray,
  type Op,
  operation,
  reference,
  type Tensor,
} from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { afterAll, describe, expect, test } from "vitest";
import { trace } from "../src/compile.js";
import { toStableHlo } from "../src/xla/emit.js";
import { count } from "./emission.js";
import { load, native as runtime } from "./exported.js";

const native = await onnx();
afterAll(() => native.close());

const definition: Op = {
  name: "cube",
  elementwise: true,
  infer: ([x]) => x,
  gradient: (g, { inputs: [x] }) => [g.mul(x.mul(x)).mul(3)],
  simplify: ({ inputs: [x] }) => (x.op.name === "neg" ? cube(x.inputs[0]).neg() : undefined),
  rises: () => true,
  reference: () => (out, x) => {
    for (let i = 0; i < out.length; i++) out[i] = x[i] ** 3;
  },
  onnx: (graph, [x], { dtype }) => graph.op("Pow", [x, graph.scalar(3, dtype)]),
  xla: (hlo, [x]) => {
    const square = hlo.emit("stablehlo.multiply", [x, x], x.shape);
    return hlo.emit("stablehlo.multiply", [square, x], x.shape);
  },
};
const apply = operation(definition);
const cube = (x: Tensor): Tensor => apply([x], {});

describe("an operation defined in one place", () => {
  const x = array([-2, 0.5, 3]);
  test.each(["reference", "onnx"] as const)("runs, with two orders of gradients, on %s", async (name) => {
    const backend = name === "onnx" ? native : reference();
    const total = (f: (x: Tensor) => Tensor) => (x: Tensor) => grad((y: Tensor) => f(y).sum())(x);
    const all = compile((x: Tensor) => [cube(x), total(cube)(x), total(total(cube))(x)], { backend });
    const results = await Promise.all((await all(x)).map((y) => y.read()));
    expect(results.map((y) => y.toNested())).toEqual([
      [-8, 0.125, 27],
      [12, 0.75, 27],
      [-12, 3, 18],
    ]);
  });

  test("is emitted as StableHLO", () => {
    const text = toStableHlo(trace(cube, [x]).program);
    expect(text.match(/stablehlo\.multiply/g)).toHaveLength(2);
  });

  test("is simplified by its own rule, folded, merged with its equal and hoisted over what repeats", () => {
    const show = (f: (x: Tensor) => unknown) => compile(f as (x: Tensor) => Tensor).show(x);
    expect(show((x) => cube(x.neg()))).toMatch(/= cube\(%0\)\n.* = neg\(%1\)/);
    expect(show((x) => x.add(cube(x.sum().mul(0).add(2).mul(0).add(3).stopGradient())))).toContain("cube");
    expect(show(() => cube(array([1, 2]) as never))).not.toContain("cube");
    expect(show((x) => cube(x).add(cube(x))).match(/cube/g)).toHaveLength(1);
    expect(show((x) => cube(x.sum().broadcastTo([4, 5])))).toMatch(/float32\[\] = cube/);
  });

  test("is moved above a pooling, as it rises", () => {
    const { program } = trace(
      (x: Tensor) => cube(x).maxPool({ window: 2 }),
      [new NdArray(new Float32Array(16), [1, 1, 4, 4])],
    );
    expect(program.outputs[0].op).toBe(definition);
  });

  test("stays in the layout of a convolution", () => {
    const between = (x: Tensor, w: Tensor, b: Tensor) => cube(x.conv2d(w).add(b)).conv2d(w);
    expect(count("ReorderOutput", between)).toBe(1);
  });

  test("is exported, and keeps the rows of a batch apart", async () => {
    const bytes = exportOnnx(({ x }) => ({ y: cube(x) }), { inputs: { x: { shape: ["batch", 2] } } });
    const { run, session } = await load(bytes, runtime);
    const { y } = await run({ x: new NdArray(Float32Array.of(1, 2, 3, -1), [2, 2]) });
    expect(y.toNested()).toEqual([
      [1, 8],
      [27, -1],
    ]);
    await session.release();
    const sums = operation<object>({
      name: "sums",
      infer: ([x]) => x,
      expand: ([x]) => x.sub(x.sum({ axis: 0 })),
    });
    expect(() =>
      exportOnnx(({ x }) => ({ y: sums([x], {}) }), { inputs: { x: { shape: ["batch", 2] } } }),
    ).toThrow(/mixes the rows of its batch: sum/);
  });

  test("is not taken for another of the same name", async () => {
    const twin = operation<object>({ ...definition, reference: () => (out, x) => out.set(x) });
    const backend = reference();
    const f = compile((x: Tensor) => cube(x), { backend });
    const g = compile((x: Tensor) => twin([x], {}), { backend });
    expect((await (await f(x)).read()).toNested()).toEqual([-8, 0.125, 27]);
    expect((await (await g(x)).read()).toNested()).toEqual([-2, 0.5, 3]);
  });

  test("a back end that lacks it is named", async () => {
    const lonely = operation<object>({
      name: "lonely",
      infer: ([x]) => x,
      reference: () => (out, x) => out.set(x),
    });
    await expect(compile((x: Tensor) => lonely([x], {}), { backend: native })(x)).rejects.toThrow(
      /lonely on float32 is not available on the onnx back end/,
    );
  });
});

describe("a gradient of one's own", () => {
  const x = array([-3, 0.5, 3]);

  test("takes the place of the function's", async () => {
    const bounded = customGradient(
      (x) => x.mul(2),
      (g, [x]) => [g.mul(x).clip(-1, 1)],
    );
    const f = compile((x: Tensor) => ({ y: bounded(x), g: grad((x: Tensor) => bounded(x).sum())(x) }), {
      backend: native,
    });
    const { y, g } = await f(x);
    expect((await y.read()).toNested()).toEqual([-6, 1, 6]);
    expect((await g.read()).toNested()).toEqual([-1, 0.5, 1]);
  });

  test("is differentiated in its turn", async () => {
    const f = customGradient(
      (x) => x.exp(),
      (g, [x]) => [g.mul(x.mul(x))],
    );
    const second = (x: Tensor) => grad((y: Tensor) => grad((z: Tensor) => f(z).sum())(y).sum())(x);
    expect((await (await compile(second)(x)).read()).toNested()).toEqual([-6, 1, 6]);
  });

  test("a gradient of another structure is refused", () => {
    const f = customGradient(
      (x) => x.exp(),
      (g) => [g.sum()],
    );
    expect(() => compile((x: Tensor) => grad((y: Tensor) => f(y).sum())(x)).show(x)).toThrow(
      "customGradient: the gradient of an argument has its form, float32[3]; got float32[].",
    );
  });
});
