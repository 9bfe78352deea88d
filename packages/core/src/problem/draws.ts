// What is drawn where the program runs, for losses that add noise: `forward` gets a key of the step's own, and where nothing is
// trained always the same one.
import { concat, constant, random, type Tensor, uniformFrom } from "@pliant/engine";

/** The key where nothing is trained: the same numbers at every look. */
export const outsideTraining = (): Tensor => constant(random.packed([random.key(0)])).reshape([2]);

/** Whether a key is that of a training step. */
export const inTraining = (key: Tensor): Tensor => key.ne(outsideTraining()).cast("int32").sum().gt(0);

/** Standard normal numbers of a shape from a key [2], by the method of Box and Muller. */
export function normalFrom(key: Tensor, shape: readonly number[]): Tensor {
  const size = shape.reduce((n, d) => n * d, 1);
  const half = Math.ceil(size / 2);
  const uniform = uniformFrom(key, [2, half]);
  const of = (i: number): Tensor => uniform.slice([[i, i + 1]]).reshape([half]);
  // 1 − u is never 0.
  const radius = of(0).neg().add(1).log().mul(-2).sqrt();
  const angle = of(1).mul(2 * Math.PI);
  return concat([radius.mul(angle.cos()), radius.mul(angle.sin())])
    .slice([[0, size]])
    .reshape([...shape]);
}
