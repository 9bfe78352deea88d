// Compiling: what is cached, what the optimised graph looks like, and whose the results are.
import {
  array,
  type Backend,
  compile,
  concat,
  grad,
  NdArray,
  readAll,
  reference,
  ShapeError,
  type Tensor,
} from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { afterAll, describe, expect, test } from "vitest";
import { trace } from "../src/compile.js";
import { toStableHlo } from "../src/xla/emit.js";

const native = await onnx();
afterAll(() => native.close());

/** A back end that counts the programs it is given. */
function counting(): Backend & { compiled: number } {
  const backend = reference();
  const counted = {
    ...backend,
    compiled: 0,
    compile(program: Parameters<Backend["compile"]>[0]) {
      counted.compiled++;
      return backend.compile(program);
    },
  };
  return counted;
}

const zeros = (...shape: number[]) => new NdArray(new Float32Array(shape.reduce((n, d) => n * d, 1)), shape);

describe("the cache", () => {
  test("compiles once for each combination of shapes, dtypes and forms", async () => {
    const f = compile((p: { a: Tensor; b?: Tensor }) => p.a.sum());
    expect(f.compilations).toBe(0);
    await f({ a: zeros(2, 3) });
    await f({
      a: array([
        [1, 2, 3],
        [4, 5, 6],
      ]),
    });
    expect(f.compilations).toBe(1);
    await f({ a: zeros(3, 2) });
    expect(f.compilations).toBe(2);
    await f({ a: new NdArray(new Float64Array(6), [2, 3]) });
    expect(f.compilations).toBe(3);
    await f({ a: zeros(2, 3), b: zeros(1) });
    expect(f.compilations).toBe(4);
    await f({ a: zeros(2, 3) });
    expect(f.compilations).toBe(4);
  });

  test.each(["reference", "onnx"] as const)(
    "takes arrays a function closes over as they are when it compiles, and no other function sees them change, on %s",
    async (name) => {
      const backend = name === "onnx" ? native : reference();
      const closed = [0, 1].map(
        () =>
          new NdArray(
            Float32Array.from({ length: 20 }, (_, i) => i),
            [20],
          ),
      );
      const [f, g] = closed.map((c) => compile((x: Tensor) => x.add(c).sum(), { backend }));
      const value = async (of: typeof f) => (await (await of(array(1))).read()).item();
      expect(await value(f)).toBe(210);
      closed[0].data.fill(0);
      expect(await value(g)).toBe(210);
      expect(await value(f)).toBe(210);
    },
  );

  test("traces the function once for a shape", async () => {
    let traces = 0;
    const f = compile((x: Tensor) => {
      traces++;
      return x.mul(2);
    });
    const results = await Promise.all(
      [1, 2, 3].map(async (v) => (await (await f(array([v]))).read()).item()),
    );
    expect(results).toEqual([2, 4, 6]);
    expect(traces).toBe(1);
  });

  test("lets two functions with equal graphs share an executable", async () => {
    const backend = counting();
    const f = compile((x: Tensor) => x.mul(2).add(1), { backend });
    const g = compile(
      (y: Tensor) =>
        y
          .mul(4 / 2)
          .add(array(1))
          .sub(0),
      { backend },
    );
    const h = compile((y: Tensor) => y.mul(2).add(3), { backend });
    await Promise.all([f(array([1])), g(array([1])), h(array([1]))]);
    expect(backend.compiled).toBe(2);
    expect([f.compilations, g.compilations, h.compilations]).toEqual([1, 1, 1]);
  });

  test("tells constants apart that differ in one late element or in the sign of zero", async () => {
    const backend = counting();
    const far = (last: number) => array(Float32Array.from({ length: 100 }, (_, i) => (i === 99 ? last : i)));
    const plus = (last: number) => compile((x: Tensor) => x.add(far(last)).slice([[-1]]), { backend });
    const under = (zero: number) => compile((x: Tensor) => x.div(array([zero])), { backend });
    const at = async (f: ReturnType<typeof plus>) => (await (await f(array([1]))).read()).item();
    expect(await at(plus(5))).toBe(6);
    expect(await at(plus(7))).toBe(8);
    expect(await at(under(0))).toBe(Infinity);
    expect(await at(under(-0))).toBe(-Infinity);
  });

  test("keeps the signs of zeros in constants of StableHLO", () => {
    const text = (...zeros: number[]) => {
      const { program } = trace((x: Tensor) => x.div(array(zeros)), [array([1, 1])]);
      return toStableHlo(program);
    };
    expect(text(0, -0)).not.toBe(text(0, 0));
    expect(text(-0, -0)).not.toBe(text(0, 0));
  });

  test("forgets a function that could not be compiled", async () => {
    let broken = true;
    const f = compile((x: Tensor) => (broken ? x.add(zeros(3)) : x));
    await expect(f(zeros(2))).rejects.toThrow(ShapeError);
    expect(f.compilations).toBe(0);
    broken = false;
    await expect(f(zeros(2))).resolves.toBeDefined();
    expect(f.compilations).toBe(1);
  });
});

describe("the printed graph", () => {
  test("is one line an operation, numbered in order", () => {
    const layer = compile((p: { w: Tensor; b: Tensor }, x: Tensor) =>
      x.matmul(p.w).add(p.b).tanh().sum({ axis: 1 }),
    );
    expect(layer.show({ w: zeros(3, 2), b: zeros(2) }, zeros(4, 3))).toMatchInlineSnapshot(`
      "%0: float32[2] = input
      %1: float32[3,2] = input
      %2: float32[4,3] = input
      %3: float32[4,2] = matmul(%2, %1)
      %4: float32[4,2] = add(%3, %0)
      %5: float32[4,2] = tanh(%4)
      %6: float32[4] = sum(%5) {"axes":[1],"keepDims":false}
      return %6"
    `);
  });

  test("of a gradient has no redundant operations", () => {
    const loss = grad((w: Tensor, x: Tensor) => x.matmul(w).pow(2).mean());
    const text = compile(loss).show(zeros(3), zeros(4, 3));
    expect(text.match(/ matmul\(/g)).toHaveLength(2);
    expect(text).not.toMatch(/broadcastTo|sum|alias|pow/);
  });

  const show = (f: (x: Tensor, c: Tensor) => unknown) => {
    const text = compile(f).show(zeros(2, 3), array([[true], [false]]));
    return text.split("\n").slice(2).join("\n");
  };
  /** The result is an argument itself. */
  const nothing = "return %0";

  test("leaves out what no result needs", () => {
    expect(
      show((x) => {
        x.exp().sum();
        return x;
      }),
    ).toBe(nothing);
  });

  test("computes equal expressions once", () => {
    expect(show((x) => x.sin().add(x.mul(1).sin()))).toBe(
      "%2: float32[2,3] = sin(%0)\n%3: float32[2,3] = add(%2, %2)\nreturn %3",
    );
  });

  test("holds the values of expressions of constants", () => {
    expect(
      show((x) =>
        x.add(array([1, 2, 3]).data.length * 2).add(
          concat([array([1]), array([2, 3])])
            .exp()
            .log(),
        ),
      ),
    ).toContain("constant() [6]");
    expect(
      show((x) =>
        concat([array([1]), array([2])])
          .mul(3)
          .add(x.sum()),
      ),
    ).toContain("float32[2] = constant() [3, 6]");
  });

  test.each<[string, (x: Tensor, c: Tensor) => Tensor]>([
    ["adding −0 and subtracting 0", (x) => x.add(-0).sub(0)],
    [
      "multiplying and dividing by 1",
      (x) =>
        x
          .mul(1)
          .div(1)
          .mul(array([1, 1, 1])),
    ],
    ["two signs", (x) => x.neg().neg().mul(-1).mul(-1)],
    ["the power 1", (x) => x.pow(1)],
    ["a way there and back", (x) => x.reshape([3, 2]).reshape([6]).reshape([2, 3]).transpose().transpose()],
    ["marks for gradients", (x) => x.stopGradient()],
    ["a broadcast to its own shape", (x) => x.broadcastTo([2, 3])],
  ])("leaves out %s", (_, f) => expect(show(f)).toBe(nothing));

  test("writes a square and a movement of one element in simpler operations", () => {
    expect(show((x) => x.pow(2))).toContain("mul(%0, %0)");
    expect(show((_, c) => c.transpose())).toContain("reshape(%1)");
    expect(show((x, c) => c.broadcastTo([2, 3]).and(x.gt(0)))).not.toContain("broadcastTo");
    expect(show((_, c) => c.cast("int32").cast("float32"))).not.toContain("int32");
  });

  test("keeps what would change a result: 0 times infinity, a sum that broadcasts", async () => {
    expect(show((x) => x.mul(0))).toContain("mul");
    expect(show((x) => x.sum().add(array([0, 0])))).toContain("add");
    const product = await compile((x: Tensor) => x.mul(0).sub(x.sub(x)))(array([Infinity]));
    expect((await product.read()).item()).toBeNaN();
  });
});

test("an executable released once is left alone when its back end closes", async () => {
  const backend = await onnx();
  const { program } = trace((x: Tensor) => x.mul(2), [array([1])]);
  const [released, kept] = [await backend.compile(program), await backend.compile(program)];
  released.release();
  released.release();
  const [result] = await kept.run([array([3])]);
  expect((await result.read()).toNested()).toEqual([6]);
  await backend.close();
});

describe.each(["reference", "onnx"] as const)("results on %s", (name) => {
  const backend = name === "onnx" ? native : reference();

  test("are the caller's own: writing into one changes no argument and no later result", async () => {
    const f = compile(
      (x: Tensor) => ({ same: x, again: x, made: x.mul(2), made2: x.mul(2), fixed: array([5, 6]) }),
      {
        backend,
      },
    );
    const x = array([1, 2]);
    const expected = { same: [1, 2], again: [1, 2], made: [2, 4], made2: [2, 4], fixed: [5, 6] };
    for (let call = 0; call < 2; call++) {
      const results = await readAll(await f(x));
      for (const [key, result] of Object.entries(results)) {
        expect(result.toNested(), key).toEqual(expected[key as keyof typeof expected]);
        result.data.fill(9);
      }
      expect(x.toNested()).toEqual([1, 2]);
    }
  });

  test("follow the arguments' contents at each call", async () => {
    const f = compile((x: Tensor) => x.mul(2), { backend });
    const x = array([1, 2]);
    const before = await f(x);
    x.data[0] = 10;
    expect((await (await f(x)).read()).toNested()).toEqual([20, 4]);
    expect((await before.read()).toNested()).toEqual([2, 4]);
  });

  test("may be of one array seen in two shapes", async () => {
    const data = Float32Array.of(1, 2, 3, 4, 5, 6);
    const f = compile((a: Tensor, b: Tensor) => a.sum({ axis: 0 }).add(b.sum({ axis: 0 }).sum()), {
      backend,
    });
    const result = await f(new NdArray(data, [2, 3]), new NdArray(data, [3, 2]));
    expect((await result.read()).toNested()).toEqual([26, 28, 30]);
    const g = compile((a: Tensor) => a.sum({ axis: 0 }), { backend });
    expect((await (await g(new NdArray(data, [2, 3]))).read()).toNested()).toEqual([5, 7, 9]);
    expect((await (await g(new NdArray(data, [3, 2]))).read()).toNested()).toEqual([9, 12]);
  });

  test("have the form the function returned, numbers and arrays included", async () => {
    const f = compile((x: Tensor) => ({ list: [x.sum(), { deep: x }], three: 3, yes: true, none: [] }), {
      backend,
    });
    const { list, three, yes, none } = await readAll(await f(array([1, 2])));
    expect((list[0] as NdArray).item()).toBe(3);
    expect((list[1] as { deep: NdArray }).deep.toNested()).toEqual([1, 2]);
    expect([three.item(), yes.toNested(), none]).toEqual([3, true, []]);
  });

  test("tell a constant 0 from a constant −0", async () => {
    const f = compile((x: Tensor) => concat([x.div(array([0])), x.div(array([-0]))]), { backend });
    expect((await (await f(array([1]))).read()).toNested()).toEqual([Infinity, -Infinity]);
  });

  test("can be arguments again", async () => {
    const f = compile((x: Tensor, by: Tensor) => x.mul(by), { backend });
    const once = await f(array([1, 2]), 3);
    expect((await (await f(once, once)).read()).toNested()).toEqual([9, 36]);
  });
});
