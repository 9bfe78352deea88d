// The ratio-loss baseline's class weights, found at the server on a few samples of each class.

import { InputError } from "@pliant/core";
import {
  type Backend,
  compile,
  constant,
  grad,
  leaves,
  NdArray,
  type Stored,
  stack,
  type Tensor,
  where,
} from "@pliant/engine";
import { crossEntropy, type Model, type Traced } from "@pliant/learn";
import { classesOf, type Pool } from "./data.js";
import type { StoredPool } from "./evaluation.js";
import type { ClassWeighting } from "./formulations/formulation.js";

export type ClassWeights = (params: unknown) => Promise<Stored>;

/** 1 + strength·r_p of each class p, where r_p compares its pull on the last layer with the others' (see `ratioLoss`). */
export function classWeightsOf<P>(
  model: Model<P>,
  samples: Pool,
  pool: StoredPool,
  { perClass, strength }: ClassWeighting,
  backend: Backend,
): ClassWeights {
  const rows = firstOfEachClass(samples, perClass).map((list) => constant(new NdArray(list, [list.length])));
  const find = compile(
    (params: Traced<P>, x: Tensor, y: Tensor) => {
      const pulls = rows.map((own) => {
        const slope = grad((p: Traced<P>) => {
          const logits = model.apply(p, x.gather(own));
          return crossEntropy(logits, y.gather(own)).mean();
        })(params);
        return lastLayer(slope, rows.length);
      });
      const all = pulls.reduce((a, b) => a.add(b));
      const ratios = pulls.map((pull, p) => {
        const column = (m: Tensor) =>
          m.slice([
            [0, m.shape[0]],
            [p, p + 1],
          ]);
        const others = column(all.sub(pull));
        const ratio = column(pull)
          .mul(rows.length - 1)
          .div(where(others.eq(0), 1, others));
        return where(others.eq(0), 0, ratio).mean().abs();
      });
      return stack(ratios).mul(strength).add(1);
    },
    { backend },
  );
  return (params) => find(params as never, pool.x, pool.y);
}

function firstOfEachClass(samples: Pool, count: number): Int32Array[] {
  const { y } = samples;
  const lists = Array.from({ length: classesOf(samples) }, (): number[] => []);
  for (let row = 0; row < y.size; row++) if (lists[y.data[row]].length < count) lists[y.data[row]].push(row);
  const short = lists.findIndex((list) => list.length === 0);
  if (short >= 0)
    throw new InputError(
      `The ratio loss needs samples of every class; the training pool has none of class ${short}.`,
    );
  return lists.map((list) => Int32Array.from(list));
}

/** The weights [inputs, classes] of the last layer: the last leaf of that width. */
function lastLayer(params: unknown, classes: number): Tensor {
  const found = leaves(params)
    .map(({ leaf }) => leaf as Tensor)
    .findLast(({ shape }) => shape.length === 2 && shape[1] === classes);
  if (!found)
    throw new InputError(`The ratio loss needs a last layer of ${classes} outputs; the model has none.`);
  return found;
}
