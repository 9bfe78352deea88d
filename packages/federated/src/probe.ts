// A model is asked once whether it treats a stack of parameters as so many models, and so are a loss and a metric of one's own. What does
// not would train all clients on a mixture of each other's numbers without a word, wherever the shapes happen to fit.

import { InputError } from "@pliant/core";
import { compile, mapTree, NdArray, random, reference, type Tensor } from "@pliant/engine";
import type { Model, Traced } from "@pliant/learn";
import type { FederatedData, Pool } from "./data.js";
import { lossesOf, metricsOf, type Task } from "./task.js";

/** Refuses labels that are none of the model's classes: a back end would take them for the nearest. */
export async function checkLabels<P>(
  model: Model<P>,
  { train, test }: FederatedData,
  params: P,
): Promise<void> {
  const look = compile((p: Traced<P>, seen: Tensor) => model.apply(p, seen), { backend: reference() });
  const [, ...inner] = train.x.shape;
  const one = new NdArray(train.x.data.slice(0, train.x.size / train.x.shape[0]), [1, ...inner]);
  const { shape } = (await look(params as never, one as never)) as unknown as NdArray;
  const classes = shape[shape.length - 1];
  for (const [name, pool] of [["training", train] as const, ...(test ? [["test", test] as const] : [])]) {
    const labels = pool.y.data as Int32Array;
    const row = labels.findIndex((label) => label < 0 || label >= classes);
    if (row >= 0)
      throw new InputError(
        `Row ${row} of the ${name} pool has the label ${labels[row]}, and the model ${model.name} has the classes 0 to ${classes - 1}.`,
      );
  }
}

/** As many models as samples: the case in which a wrong axis goes unnoticed. */
const size = 2;

/** What rounding may do to numbers computed in another order. */
const tolerance = 1e-3;

export async function checkStacking<P>(
  model: Model<P>,
  { x, y }: Pool,
  params: P,
  task: Task = {},
): Promise<void> {
  const backend = reference();
  const look = compile((p: Traced<P>, seen: Tensor) => model.apply(p, seen), { backend });
  const judge = compile(
    (logits: Tensor, targets: Tensor, like: Tensor) => {
      const metric = metricsOf(task, logits, targets, like);
      return { loss: lossesOf(task, logits, targets, like), ...(metric && { metric }) };
    },
    { backend },
  );
  // Biases are 0 at the start; moved, they show where they end up.
  let leaf = 0;
  const moved = mapTree(params, (p: NdArray) => {
    const noise = random.normal(random.foldIn(random.key(0), leaf++), [size, ...p.shape]).data;
    const data = noise.slice(0);
    for (let i = 0; i < data.length; i++) data[i] = p.data[i % p.size] + 0.5 * noise[i];
    return new NdArray(p.dtype === "float64" ? Float64Array.from(data) : data, [size, ...p.shape]);
  }) as P;
  const [seen, targets] = [firstRows(x), firstRows(y)];
  const like = new NdArray(new Float32Array(size * size), [size, size]);

  const stacked = (await look(moved as never, seen as never)) as unknown as NdArray;
  const outputs: NdArray[] = [];
  for (let s = 0; s < size; s++) {
    const own = mapTree(moved, (a: NdArray) => part(a, s));
    const alone = (await look(own as never, part(seen, s) as never)) as unknown as NdArray;
    if (!same(alone, stacked, s))
      throw new InputError(
        `The model ${model.name} gives other logits in a stack of models than alone, so clients cannot advance together: a parameter of shape [K] must meet samples [stack, batch, K] as [stack, 1, K]. Mend its apply, or set together to 1.`,
      );
    outputs.push(alone);
  }
  if (!task.loss && !task.metric) return;
  const all = (await judge(stacked as never, targets, like)) as unknown as Record<string, NdArray>;
  for (const [s, alone] of outputs.entries()) {
    const own = (await judge(alone as never, part(targets, s), part(like, s))) as never as typeof all;
    const other = Object.keys(own).find((name) => !same(own[name], all[name], s));
    if (other)
      throw new InputError(
        `The ${other} gives other numbers for a stack of models than alone, so clients cannot advance together: it is asked for one number a sample of outputs [stack, batch, …]. Mend it, or set together to 1.`,
      );
  }
}

/** The first rows of a pool, over and over where there are few, for each model of the stack. */
function firstRows(pool: NdArray): NdArray {
  const [samples, ...inner] = pool.shape;
  const width = inner.reduce((n, d) => n * d, 1);
  const data = new (pool.data.constructor as new (n: number) => NdArray["data"])(size * size * width);
  for (let i = 0; i < size * size; i++) {
    const row = i % samples;
    data.set(pool.data.subarray(row * width, (row + 1) * width) as never, i * width);
  }
  return new NdArray(data, [size, size, ...inner]);
}

/** What model s has of a stack. */
const part = (a: NdArray, s: number): NdArray =>
  new NdArray(a.data.slice((s * a.size) / size, ((s + 1) * a.size) / size), a.shape.slice(1));

function same(alone: NdArray, stacked: NdArray, s: number): boolean {
  const there = stacked.data.subarray((s * stacked.size) / size, ((s + 1) * stacked.size) / size);
  // What is no number in the samples is so in both.
  const scale = Math.max(1, ...Array.from(alone.data, (v) => (Number.isFinite(v) ? Math.abs(v) : 0)));
  return (
    there.length === alone.size &&
    alone.data.every((v, i) => Object.is(v, there[i]) || Math.abs(v - there[i]) <= tolerance * scale)
  );
}
