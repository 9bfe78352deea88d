// Forward-mode derivatives of every operation: against finite differences, and the same on every back end.
import { array, customGradient, grad, jvp, NdArray, readAll, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { compile, trace } from "../src/compile.js";
import { topological } from "../src/graph.js";
import { disagreement } from "./agreement.js";
import { derivedCases } from "./calls/cases.js";
import { realInputs } from "./derivatives.js";
import { openNatives } from "./natives.js";
import { type Case, inputsAs, operations } from "./operations.js";

const natives = await openNatives();

const direction = ({ shape, dtype, size }: NdArray, k: number): NdArray => {
  const data = Float64Array.from({ length: size }, (_, e) => Math.cos(1 + k + 1.7 * e));
  return new NdArray(dtype === "float64" ? data : Float32Array.from(data), shape);
};

/** The value of a case and its tangent along v: inputs, then a direction for each that is real. */
const moving = (operation: Case) => {
  const at = realInputs(operation);
  return (...args: Tensor[]) => {
    const inputs = args.slice(0, operation.inputs.length);
    const along = (xs: Tensor[]): Tensor =>
      operation.fn(...inputs.map((x, i) => (at.includes(i) ? xs[at.indexOf(i)] : x)));
    return jvp(along)(
      at.map((i) => inputs[i]),
      args.slice(operation.inputs.length),
    );
  };
};

const isReal = (x: { dtype: string }): boolean => x.dtype.startsWith("float");
const smooth = operations.filter((o) => realInputs(o).length > 0);

describe("the derivative along a direction is that of finite differences", () => {
  const derived = derivedCases.filter((o) => realInputs(o).length > 0);
  test.each([...smooth.filter((o) => !o.frozen), ...derived])("$name", async (operation) => {
    const h = 1e-5;
    const at = realInputs(operation);
    const along = at.map((i, k) => direction(operation.inputs[i], k));
    const { tangent } = await readAll(
      await compile(moving(operation))(...([...operation.inputs, ...along] as never[])),
    );
    const run = compile(operation.fn);
    const moved = async (sign: number) =>
      (await run(
        ...(operation.inputs.map((x, i) => {
          const v = along[at.indexOf(i)];
          if (!v) return x;
          return new NdArray(
            Float64Array.from(x.data, (e, n) => e + sign * h * v.data[n]),
            x.shape,
          );
        }) as never[]),
      )) as NdArray;
    const [up, down] = [await moved(1), await moved(-1)];
    expect(tangent.shape).toEqual(up.shape);
    if (!isReal(up)) {
      expect([...tangent.data].every((v) => v === 0)).toBe(true);
      return;
    }
    for (const [i, got] of [...tangent.data].entries()) {
      const wanted = (up.data[i] - down.data[i]) / (2 * h);
      expect(Math.abs(got - wanted)).toBeLessThan(2e-6 * (1 + Math.abs(wanted)));
    }
  });
});

describe.each(natives)("on $name as on the reference", (backend) => {
  test.each(smooth)("$name", async (operation) => {
    const inputs = inputsAs(operation.inputs, "float32");
    const along = realInputs(operation).map((i, k) => direction(inputs[i], k));
    const args = [...inputs, ...along];
    const got = await readAll(await compile(moving(operation), { backend })(...(args as never[])));
    expect(disagreement(moving(operation), args, got)).toBeUndefined();
  });
});

test("costs the tangents alone: two products more for each product of two that move", () => {
  const net = ({ w, v }: { w: Tensor; v: Tensor }, x: Tensor) => x.matmul(w).tanh().matmul(v);
  const params = { w: array([[1, 2]]), v: array([[3], [4]]) };
  const { program } = trace(
    (p: typeof params, t: typeof params, x: Tensor) => jvp(net as never)(p, t, x as never),
    [params, params, array([[1], [2]])] as never,
  );
  const names = topological(program.outputs).map(({ op }) => op.name);
  // x does not move, so its product has one.
  expect(names.filter((n) => n === "matmul")).toHaveLength(2 + 1 + 2);
  expect(names.filter((n) => n === "tanh")).toHaveLength(1);
});

test("for a gradient it is the Hessian times the direction; for trees it is a tree", async () => {
  const f = (x: Tensor) => x.pow(3).sum().mul(x.sum());
  const [x, v] = [array([1, 2], { dtype: "float64" }), array([1, -1], { dtype: "float64" })];
  const hvp = compile((x: Tensor, v: Tensor) => jvp(grad(f))(x, v).tangent);
  // f = (a³ + b³)(a + b): its second derivatives at (1, 2).
  const [aa, ab, bb] = [2 * 3 + 6 * 1 * 3, 3 + 12, 2 * 12 + 12 * 3];
  expect((await (await hvp(x, v)).read()).toNested()).toEqual([aa - ab, ab - bb]);
  const { value, tangent } = await readAll(
    await compile((p: { a: Tensor }) =>
      jvp(({ a }: { a: Tensor }) => ({ twice: a.mul(2), places: a.argsort(), still: array([1]) }))(p, {
        a: array([1, -1], { dtype: "float64" }),
      }),
    )({ a: x }),
  );
  expect(value.places.toNested()).toEqual([0, 1]);
  expect(tangent.twice.toNested()).toEqual([2, -2]);
  expect([tangent.places.toNested(), tangent.still.toNested()]).toEqual([[0, 0], [0]]);
});

test("follows a gradient of one's own", async () => {
  const f = customGradient(
    (x) => x.exp(),
    (g) => [g.mul(7)],
  );
  const run = compile((x: Tensor) => jvp((y: Tensor) => f(y))(x, array([1, 2])).tangent);
  expect((await (await run(array([0, 0]))).read()).toNested()).toEqual([7, 14]);
});

test("tangents that do not fit are refused", () => {
  const f = jvp((x: Tensor) => x.exp());
  expect(() => f(array([1, 2]) as never, array([1]))).toThrow(
    "jvp: the tangent of parameter argument, float32[2], is float32[1].",
  );
  expect(() => f(array([1, 2], { dtype: "int32" }) as never, array([1, 2]))).toThrow(
    /jvp: parameter argument is int32/,
  );
});
