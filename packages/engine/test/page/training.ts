// A small training: five steps of a network, by the engine it is given, in a page as here.
import type * as Engine from "@pliant/engine";
import type { Backend, NdArray, Tensor } from "@pliant/engine";

interface Params<T> {
  w: T;
  b: T;
  v: T;
}
/** The losses and the first weights. */
export async function trained(
  { grad, loop, random, zipTrees, readAll }: typeof Engine,
  backend?: Backend,
): Promise<number[]> {
  const key = random.key(1);
  const draw = (i: number, shape: number[]): NdArray => random.normal(random.foldIn(key, i), shape);
  const params = { w: draw(1, [12, 16]), b: draw(2, [16]), v: draw(3, [16, 3]) };
  const data = { x: draw(4, [64, 12]), y: random.randint(key, [64], 0, 3) };
  const loss = (p: Params<Tensor>, x: Tensor, y: Tensor) =>
    x.matmul(p.w).add(p.b).tanh().matmul(p.v).logSoftmax().pick(y).mean().neg();
  const train = loop(
    (p: Params<Tensor>, d: { x: Tensor; y: Tensor }, rows: Tensor) => {
      const [x, y] = [d.x.gather(rows), d.y.gather(rows)];
      const g = grad(loss)(p, x, y);
      return { state: zipTrees((t, d) => t.sub(d.mul(0.3)), p, g), record: loss(p, x, y) };
    },
    { backend },
  );
  const { state, record } = await readAll(
    await train(params, data, random.randint(random.key(5), [5, 32], 0, 64)),
  );
  return [...record.data, ...state.w.data.slice(0, 20)];
}
