// log σ(x) where σ(x) rounds to nothing: the same numbers and slopes on every back end.
import { expect, test } from "vitest";
import { array, compile, grad, reference, type Tensor } from "../src/index.js";
import { onnx } from "../src/onnx/index.js";

const xs = [-1000, -200, -100, -90, -50, -20, -1, 0, 1, 20, 50];

test.each(["float32", "float64"] as const)("log of a sigmoid, and its slope, in %s", async (dtype) => {
  const epsilon = dtype === "float32" ? 2 ** -23 : 2 ** -52;
  for (const backend of [reference(), await onnx()]) {
    const logSigmoid = (x: Tensor): Tensor => x.sigmoid().log();
    const both = compile(
      (x: Tensor) => ({ value: logSigmoid(x), slope: grad((y: Tensor) => logSigmoid(y).sum())(x) }),
      { backend },
    );
    const { value, slope } = await both(array(xs, { dtype }));
    const [values, slopes] = [(await value.read()).data, (await slope.read()).data];
    for (const [i, x] of xs.entries()) {
      const exact = x > 0 ? -Math.log1p(Math.exp(-x)) : x - Math.log1p(Math.exp(x));
      expect(Math.abs(Number(values[i]) - exact), `log σ(${x})`).toBeLessThanOrEqual(
        4 * epsilon * Math.abs(exact),
      );
      const falling = 1 / (1 + Math.exp(x));
      expect(Math.abs(Number(slopes[i]) - falling), `at ${x}`).toBeLessThanOrEqual(4 * epsilon * falling);
    }
    both.release();
  }
});
