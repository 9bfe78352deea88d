// node packages/engine/bench/dist/accuracy.js FOLDER [--device cuda] [--epochs 10] [--seeds 5] [--rows 60000]: whole training runs of
// B28's network on Fashion-MNIST (the four idx files in FOLDER), in tf32 and in bf16 from the same weights over the same batches, and
// how many of the test images each gets right.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Backend, compile, loop, NdArray, random, readAll, type Tensor } from "@pliant/engine";
import { open } from "@pliant/engine/device";
import { createWorkload, type Workload } from "./workloads.js";

const { values: options, positionals } = parseArgs({
  options: {
    device: { type: "string", default: "cuda" },
    epochs: { type: "string", default: "10" },
    seeds: { type: "string", default: "5" },
    rows: { type: "string", default: "60000" },
  },
  allowPositionals: true,
});
const [folder] = positionals;
const [epochs, seeds, rows] = [options.epochs, options.seeds, options.rows].map(Number);
const batch = 50;

const bytes = (name: string, header: number): Uint8Array =>
  new Uint8Array(readFileSync(join(folder, name))).subarray(header);
const images = (name: string, most = Infinity): NdArray => {
  const all = bytes(`${name}-images-idx3-ubyte`, 16);
  const n = Math.min(most, all.length / 784);
  return new NdArray(
    Float32Array.from(all.subarray(0, n * 784), (v) => v / 255),
    [n, 1, 28, 28],
  );
};
const labels = (name: string, most = Infinity): NdArray => {
  const all = Int32Array.from(bytes(`${name}-labels-idx1-ubyte`, 8));
  return new NdArray(all.subarray(0, most), [Math.min(all.length, most)]);
};

type Step = Workload["step"];

async function accuracyOf(backend: Backend, seed: number, train: Set, test: Set): Promise<number> {
  const workload = createWorkload("B28", 1000 + seed);
  const step = (s: Parameters<Step>[0], d: Parameters<Step>[1], rows: Tensor) =>
    workload.step(s, { x: d.x.gather(rows), y: d.y.gather(rows) });
  const training = loop(step, { backend });
  const n = train.y.shape[0];
  const steps = Math.floor(n / batch);
  let state = workload.initial() as never;
  for (let epoch = 0; epoch < epochs; epoch++) {
    const order = random.permutation(random.key(1000 * seed + epoch), n).data.slice(0, steps * batch);
    const slices = backend.put(new NdArray(order as Int32Array, [steps, batch]));
    state = (await training(state, train as never, slices as never)).state as never;
  }
  const right = compile(
    (p: Tensor[], d: { x: Tensor; y: Tensor }) =>
      workload.outputs(p, d.x).argmax(1).eq(d.y).cast("float32").mean(),
    { backend },
  );
  const { params } = state as { params: NdArray[] };
  const accuracy = await readAll(await right(params as never, test as never));
  training.release();
  right.release();
  return (accuracy as NdArray).item();
}

interface Set {
  x: ReturnType<Backend["put"]>;
  y: ReturnType<Backend["put"]>;
}

const result: Record<string, number[]> = {};
for (const precision of ["tf32", "bf16"] as const) {
  const backend = await open(options.device as "cuda", { precision });
  const put = (name: string, most?: number): Set => ({
    x: backend.put(images(name, most)),
    y: backend.put(labels(name, most)),
  });
  const [train, test] = [put("train", rows), put("t10k")];
  result[precision] = [];
  for (let seed = 0; seed < seeds; seed++)
    result[precision].push(await accuracyOf(backend, seed, train, test));
  await backend.close();
}
const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b) / list.length;
const spread = (list: readonly number[]): number =>
  Math.sqrt(mean(list.map((v) => (v - mean(list)) ** 2)) * (list.length / Math.max(1, list.length - 1)));
for (const [precision, list] of Object.entries(result))
  console.error(`${precision}: ${(100 * mean(list)).toFixed(2)} ± ${(100 * spread(list)).toFixed(2)}%`);
console.log(JSON.stringify({ network: "B28", data: "Fashion-MNIST", rows, batch, epochs, accuracy: result }));
