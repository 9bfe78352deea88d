// The sentence each mistake in a traced function, its arguments or its results is answered with.
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  array,
  compile,
  concat,
  constant,
  EngineError,
  evaluate,
  NdArray,
  reference,
  ShapeError,
  type Tensor,
  zipTrees,
} from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { afterAll, describe, expect, test } from "vitest";

const native = await onnx();
afterAll(() => native.close());

const zeros = (...shape: number[]) => new NdArray(new Float32Array(shape.reduce((n, d) => n * d, 1)), shape);

describe("mistakes", () => {
  const failure = async (f: () => unknown): Promise<EngineError> => {
    try {
      await f();
    } catch (error) {
      expect(error).toBeInstanceOf(EngineError);
      return error as EngineError;
    }
    throw new Error("nothing was thrown");
  };
  const returning = (result: unknown) => failure(() => compile((_: Tensor) => result as Tensor)(array(1)));

  test.each<[string, unknown, string]>([
    ["undefined", undefined, "The function's result is undefined; a compiled function returns tensors"],
    ["null", null, "The function's result is null; a compiled function returns tensors"],
    ["a string", { a: ["x"] }, "The result's .a[0] is a string; a compiled function returns tensors"],
    ["a function", Math.sin, "The function's result is a function; a compiled function returns tensors"],
    ["an instance", { d: new Date() }, "The result's .d is an object; a compiled function returns tensors"],
    [
      "a promise",
      Promise.resolve(1),
      "The function's result is a promise; a traced function must not be async",
    ],
    ["a promise inside", { p: Promise.resolve(1) }, "The result's .p is a promise"],
  ])("returning %s", async (_, result, sentence) => {
    expect((await returning(result)).message).toContain(sentence);
  });

  test("trees of different forms are not paired by position", () => {
    const [x, y] = [array([1]), array([2])].map((v) => constant(v));
    const add = (a: Tensor, b: Tensor) => a.add(b);
    expect(() => zipTrees(add, { a: x, b: y }, { a: x, c: y })).toThrow(
      "zipTrees: the trees have different forms: the other has no .b.",
    );
    expect(() => zipTrees(add, [x], [x, y])).toThrow("the first has no [1].");
    expect(() => zipTrees(add, { a: x, b: {} }, { a: x })).toThrow("their branches differ");
    expect(evaluate(zipTrees(add, { a: x, b: y }, { b: x, a: y })).a.item()).toBe(3);
  });

  const stray: Tensor[] = [];
  test.each(["reference", "onnx"] as const)("a tensor of another function, on %s", async (name) => {
    const backend = name === "onnx" ? native : reference();
    await compile((x: Tensor) => {
      stray.push(x);
      return x;
    })(array([1]));
    const used = await failure(() => compile((x: Tensor) => x.add(stray[0]), { backend })(array([1])));
    expect(used.message).toBe("A tensor of another traced function was used; pass it as an argument.");
    const returned = await failure(() => compile((_: Tensor) => stray[0], { backend })(array([1])));
    expect(returned.message).toBe("A tensor of another traced function was used; pass it as an argument.");
    expect(() => evaluate(stray[0].add(1))).toThrow("A tensor of another traced function was used");
  });

  test.each<[string, unknown, string]>([
    [
      "a bare typed array",
      Float32Array.of(1),
      "Argument [0].w is a bare typed array; pass an array (array(…))",
    ],
    ["a string", "x", "Argument [0].w is a string; pass an array"],
    ["undefined", undefined, "Argument [0].w is undefined; pass an array"],
    ["null", null, "Argument [0].w is null; pass an array"],
    ["an instance", new Date(), "Argument [0].w is an object; pass an array"],
    ["a traced tensor", "traced", "Argument [0].w is a traced tensor; pass an array"],
  ])("an argument that is %s", async (_, w, sentence) => {
    const f = compile((p: { w: Tensor }) => p.w);
    const given = w === "traced" ? stray[0] : w;
    expect((await failure(() => f({ w: given as never }))).message).toContain(sentence);
    expect((await failure(() => f.show({ w: given as never }))).message).toContain(sentence);
  });

  test.each<[string, (x: Tensor) => unknown, string[]]>([
    ["add", (x) => x.add(zeros(4)), ["add: ", "[2, 3]", "[4]", "sizes 3 and 4 on axis -1 differ"]],
    ["matmul", (x) => x.matmul(zeros(2, 5)), ["matmul: ", "[2, 3]", "[2, 5]", "inner sizes 3 and 2 differ"]],
    [
      "conv2d",
      (x) => x.reshape([1, 2, 3, 1]).conv2d(zeros(4, 3, 1, 1)),
      ["conv2d: ", "[1,2,3,1]", "[4,3,1,1]", "2 channels"],
    ],
    ["reshape", (x) => x.reshape([4, -1]), ["reshape: ", "float32[2,3]", "6 elements", "[4, -1]"]],
    [
      "concat",
      (x) => concat([x, zeros(2, 4, 1)], 1),
      ["concat: ", "float32[2,3]", "float32[2,4,1]", "axis 1"],
    ],
    [
      "scatterAdd",
      (x) => x.scatterAdd(array([0], { dtype: "int32" }), zeros(2, 3)),
      ["float32[1, 3]", "float32[2,3]"],
    ],
    ["a sum", (x) => x.sum({ axis: 2 }), ["sum: ", "axis 2 does not exist in a tensor of rank 2"]],
    [
      "a mixture",
      (x) => x.mul(array([1], { dtype: "int32" })),
      ["mul: ", "float32[2,3]", "int32[1]", "cast one"],
    ],
    ["an integer", (x) => x.cast("int32").exp(), ["exp: ", "int32[2,3]", "use cast first"]],
    [
      "a slice by starts and stops",
      (x) => (x.slice as (...given: unknown[]) => Tensor)([0], [1]),
      ["slice: ", "[start, stop] for each axis", "got a number for axis 0"],
    ],
    [
      "a slice by numbers",
      (x) => (x.slice as (...given: unknown[]) => Tensor)(0, 1),
      ["slice: ", "[start, stop] for each axis", "got a number ("],
    ],
    [
      "a maximum of padding",
      (x) => x.slice([[], [0, 0]]).maxPool({ window: 2, padding: 1 }),
      ["maxPool: ", "float32[1,1,2,0]", "no maximum of nothing but padding"],
    ],
    [
      "a maximum of nothing",
      (x) => x.slice([[0, 0]]).max(),
      ["max: ", "nothing to choose from in float32[0,3]"],
    ],
  ])("shapes that do not fit: %s", async (_, f, parts) => {
    const error = await failure(() => compile(f as (x: Tensor) => Tensor)(zeros(2, 3)));
    expect(error).toBeInstanceOf(ShapeError);
    for (const part of parts) expect(error.message).toContain(part);
    // The line is the user's, not the engine's.
    expect(error.message).toMatch(/\(at [^)]*mistakes\.test\.ts:\d+:\d+\)$/);
  });

  test.each([[[]], [["--enable-source-maps"]]])(
    "compiled and run with node %j, the line is the user's too",
    (options) => {
      const engine = new URL("../dist/index.js", import.meta.url);
      const program = join(mkdtempSync(join(tmpdir(), "pliant-line-")), "mine.mjs");
      writeFileSync(
        program,
        `import { array, constant } from "${engine}";\ntry {\n  constant(array([0, 0])).add(array([1, 2, 3]));\n} catch ({ message }) {\n  console.log(message);\n}\n`,
      );
      const said = execFileSync(process.execPath, [...options, program], { encoding: "utf8" });
      expect(said).toMatch(/\(at [^)]*mine\.mjs:3:\d+\)\n$/);
    },
  );

  test("an operand that is neither tensor, array nor number", () => {
    const x = array([1]);
    expect(() => evaluate(concat([x, "1" as never]))).toThrow(
      "An operation takes tensors, arrays and numbers, not a string.",
    );
    expect(() => evaluate(concat([x, {} as never]))).toThrow("not an object.");
  });

  test("an operation the back end lacks in this dtype", async () => {
    const double = (...shape: number[]) =>
      new NdArray(new Float64Array(shape.reduce((n, d) => n * d, 1)), shape);
    const conv = compile((x: Tensor, w: Tensor) => x.conv2d(w), { backend: native });
    const error = await failure(() => conv(double(1, 1, 3, 3), double(1, 1, 2, 2)));
    expect(error.message).toBe(
      "conv2d on float64 is not available on the onnx back end; use float32, or the reference or xla back end.",
    );
    await expect(compile((x: Tensor) => x.softplus(), { backend: native })(double(2))).resolves.toBeDefined();
  });
});
