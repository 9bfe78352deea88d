// How an operation may be called of which nothing is known but how many operands it has: with tensors of every dtype and shape,
// of which it refuses some.
import { leaves, ShapeError, Tensor } from "@pliant/engine";
import { type Call, type Draw, ranked } from "./draw.js";

const square = (d: Draw): Tensor => {
  const n = 1 + d.pick(4);
  return d.fresh([...d.shape(d.pick(2)), n, n], d.real);
};

function operands(d: Draw, many: number): Tensor[] {
  const first = d.chance(4) ? square(d) : d.chance(2) ? d.float(ranked(0, 4)) : d.any(ranked(0, 4));
  return Array.from({ length: many }, (_, i) => {
    if (i === 0) return first;
    return d.chance(2) ? d.fresh(first.shape, first.dtype) : d.partner(first);
  });
}

export const guess =
  (name: string, operation: (...xs: Tensor[]) => unknown): Call =>
  (d) => {
    const given = operands(d, Math.max(operation.length, 1));
    try {
      const results = leaves(operation(...given)).map(({ leaf }) => leaf);
      if (results[0] instanceof Tensor) return results[0];
    } catch (reason) {
      throw reason instanceof ShapeError ? reason : new ShapeError(name, (reason as Error).message);
    }
    throw new ShapeError(name, "gives no tensor");
  };
