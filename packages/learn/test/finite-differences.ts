// Gradients of a scalar function checked against central differences, in float64 on the reference back end.
import { compile, grad, NdArray, type Tensor } from "@pliant/engine";

/** The largest difference between the gradient of f at x and its central differences. */
export async function gradientError(f: (x: Tensor) => Tensor, x: NdArray, step = 1e-5): Promise<number> {
  const value = compile(f);
  const gradient = await (await compile(grad(f))(x)).read();
  let worst = 0;
  for (let i = 0; i < x.size; i++) {
    const at = async (by: number): Promise<number> => {
      const moved = Float64Array.from(x.data);
      moved[i] += by;
      return (await (await value(new NdArray(moved, x.shape))).read()).item();
    };
    const slope = ((await at(step)) - (await at(-step))) / (2 * step);
    worst = Math.max(worst, Math.abs(slope - gradient.data[i]));
  }
  return worst;
}
