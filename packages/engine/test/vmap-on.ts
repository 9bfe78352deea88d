// vmap gives the same results on a back end as on the reference (vmap.test.ts).
import {
  type Backend,
  checkpoint,
  compile,
  cond,
  customGradient,
  grad,
  jvp,
  random,
  readAll,
  scan,
  type Tensor,
  vmap,
} from "@pliant/engine";
import { expect, test } from "vitest";
import { disagreement } from "./agreement.js";
import { inputsAs, operations } from "./operations.js";
import { apart, type Fn, given, inTurn, mapped, n, run, withGradient } from "./stacked.js";

const w = random.normal(random.key(2), [4], { dtype: "float64" });
const nested: Record<string, Fn> = {
  "vmap of vmap": (x, w) => vmap((e: Tensor) => e.mul(w.sum()).tanh())(x),
  "vmap of a gradient": (x, w) => grad((e: Tensor) => e.mul(w).sin().sum().pow(2))(x),
  "vmap of a derivative along": (x, w) => jvp((e: Tensor) => e.mul(w).sin())(x, w).tangent,
  "vmap of a scan": (x, w) =>
    scan((s: Tensor, e: Tensor) => ({ state: s.mul(e).add(w), record: s.sum().mul(e) }), w, x).record,
  "vmap of the last state": (x, w) =>
    scan((s: Tensor, e: Tensor) => ({ state: s.mul(e).add(w), record: s.sum() }), w, x, { reverse: true })
      .state,
  "vmap of a choice": (x, w) =>
    cond(
      x.sum().gt(0),
      () => x.mul(2),
      () => x.sub(w),
    ),
  "vmap of one choice for all": (x, w) =>
    cond(
      w.sum().gt(0),
      () => x.mul(2),
      () => x.sub(w),
    ),
  "vmap of a checkpoint": (x, w) => checkpoint((e: Tensor) => e.mul(w).tanh())(x),
  "vmap of a gradient of one's own": (x, w) =>
    customGradient(
      (a, b) => a.mul(b),
      (g, [a]) => [g.clip(-0.5, 0.5), g.mul(a.sum())],
    )(x, w),
};

export const operationsOn = (backend: Backend): void =>
  test.each(operations)("$name", async (operation) => {
    const has = operation.inputs.map(() => true);
    const inputs = given(inputsAs(operation.inputs, "float32"), has);
    const fn = withGradient(inTurn(operation.fn, has, n));
    const got = await readAll(
      await compile(withGradient(mapped(operation.fn, has)), { backend })(...(inputs as never[])),
    );
    expect(disagreement(fn, inputs, got)).toBeUndefined();
  });

export const transformationsOn = (backend: Backend): void =>
  test.each(Object.keys(nested))("%s", async (name) => {
    for (const has of [
      [true, false],
      [true, true],
    ]) {
      const inputs = given([random.normal(random.key(3), [4], { dtype: "float64" }), w], has);
      const wanted = await run(inTurn(nested[name], has, n), inputs);
      const got = await run(mapped(nested[name], has), inputs, backend);
      for (const [i, array] of wanted.entries()) expect(apart(array, got[i]), `${has} ${i}`).toBeUndefined();
    }
  });
