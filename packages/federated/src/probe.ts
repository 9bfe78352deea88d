// A model is asked once whether it treats a stack of parameters as so many models. One that does not would train all clients on a
// mixture of each other's numbers without a word, wherever the shapes happen to fit.

import { InputError } from "@pliant/core";
import { compile, mapTree, NdArray, random, reference, type Tensor } from "@pliant/engine";
import type { Model, Traced } from "@pliant/learn";
import type { Pool } from "./data.js";

/** As many models as samples: the case in which a wrong axis goes unnoticed. */
const size = 2;

/** What rounding may do to logits computed in another order. */
const tolerance = 1e-3;

export async function checkStacking<P>(model: Model<P>, { x }: Pool, params: P): Promise<void> {
  const backend = reference();
  const look = compile((p: Traced<P>, seen: Tensor) => model.apply(p, seen), { backend });
  // Biases are 0 at the start; moved, they show where they end up.
  let leaf = 0;
  const moved = mapTree(params, (p: NdArray) => {
    const noise = random.normal(random.foldIn(random.key(0), leaf++), [size, ...p.shape]).data;
    const data = noise.slice(0);
    for (let i = 0; i < data.length; i++) data[i] = p.data[i % p.size] + 0.5 * noise[i];
    return new NdArray(p.dtype === "float64" ? Float64Array.from(data) : data, [size, ...p.shape]);
  }) as P;
  const samples = Array.from({ length: size * size }, (_, i) => i % x.shape[0]);
  const width = x.size / x.shape[0];
  const taken = x.data.slice(0, size * size * width);
  for (const [i, row] of samples.entries())
    taken.set(x.data.subarray(row * width, (row + 1) * width) as never, i * width);
  const together = new NdArray(taken, [size, size, ...x.shape.slice(1)]);

  const part = (a: NdArray, s: number): NdArray =>
    new NdArray(a.data.slice((s * a.size) / size, ((s + 1) * a.size) / size), a.shape.slice(1));
  const stacked = (await look(moved as never, together as never)) as unknown as NdArray;
  for (let s = 0; s < size; s++) {
    const own = mapTree(moved, (a: NdArray) => part(a, s));
    const alone = (await look(own as never, part(together, s) as never)) as unknown as NdArray;
    const there = stacked.data.subarray((s * stacked.size) / size, ((s + 1) * stacked.size) / size);
    const scale = Math.max(1, ...Array.from(alone.data, Math.abs));
    const same =
      there.length === alone.size && alone.data.every((v, i) => Math.abs(v - there[i]) <= tolerance * scale);
    if (!same)
      throw new InputError(
        `The model ${model.name} gives other logits in a stack of models than alone, so clients cannot advance together: a parameter of shape [K] must meet samples [stack, batch, K] as [stack, 1, K]. Mend its apply, or set together to 1.`,
      );
  }
}
