// Training for long takes no more memory than training for short.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  compile,
  grad,
  loop,
  type NdArray,
  random,
  reference,
  type Stored,
  type Tensor,
  zipTrees,
} from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { afterAll, describe, expect, test } from "vitest";

const native = await onnx();
afterAll(() => native.close());

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const warmUp = 1_000;
const steps = 5_000;
/** Less than the 42 MB that steps which kept their parameters would keep; more than allocators vary by. */
const most = 15 * 2 ** 20;

interface Params<T> {
  w: T;
  b: T;
  v: T;
}
const draw = (n: number, shape: number[]) => random.normal(random.foldIn(random.key(1), n), shape);
const params: Params<NdArray> = { w: draw(0, [32, 64]), b: draw(1, [64]), v: draw(2, [64, 1]) };
const data = { x: draw(3, [32, 32]), y: draw(4, [32, 1]) };

const step = (p: Params<Tensor>, { x, y }: { x: Tensor; y: Tensor }, rows: Tensor) => {
  const lossOf = ({ w, b, v }: Params<Tensor>) =>
    x.gather(rows).matmul(w).add(b).tanh().matmul(v).sub(y.gather(rows)).pow(2).mean();
  const state = zipTrees((t, g) => t.sub(g.mul(0.01)), p, grad(lossOf)(p));
  return { state, record: lossOf(p) };
};

/** Steps between two garbage collections, so that only live memory is measured. */
const chunk = 500;
const batches = random.randint(random.key(9), [chunk, 4], 0, 32);
const batch = random.randint(random.key(9), [4], 0, 32);

/**
 * Bytes of resident memory gained by `steps` steps, after those that warm up: five times the median of five parts, since
 * what is kept grows in each, and a heap that is enlarged does so once. `advance` takes `chunk` steps.
 */
async function growth(advance: () => Promise<void>): Promise<number> {
  const resident = async (n: number): Promise<number> => {
    for (let i = 0; i < n; i += chunk) {
      await advance();
      collect();
      // A turn of the event loop, in which finalisers free the native memory of what was collected.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return process.memoryUsage().rss;
  };
  const seen = [await resident(warmUp)];
  for (let part = 0; part < 5; part++) seen.push(await resident(steps / 5));
  const gained = seen.slice(1).map((bytes, i) => bytes - seen[i]);
  return 5 * gained.sort((a, b) => a - b)[2];
}

describe.each(["reference", "onnx"] as const)(`over ${steps} steps on %s, resident memory stays`, (name) => {
  const backend = name === "onnx" ? native : reference();

  test("in a loop", async () => {
    const run = loop(step, { backend });
    let state: Params<Stored> = params;
    const grown = await growth(async () => {
      ({ state } = await run(state, data, batches));
    });
    console.log(`${name}, loop: ${(grown / 2 ** 20).toFixed(1)} MB`);
    expect(grown).toBeLessThan(most);
  });

  test("in calls of a compiled step", async () => {
    const call = compile(step, { backend });
    let state: Params<Stored> = params;
    const grown = await growth(async () => {
      for (let i = 0; i < chunk; i++) ({ state } = await call(state, data, batch));
    });
    console.log(`${name}, calls: ${(grown / 2 ** 20).toFixed(1)} MB`);
    expect(grown).toBeLessThan(most);
  });
});
