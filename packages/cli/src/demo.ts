// pliant demo: trains a small network to tell two spirals apart, on the device it is given.
import { parseArgs } from "node:util";
import {
  compile,
  loop,
  NdArray,
  type Replace,
  random,
  type Stored,
  type Tensor,
  valueAndGrad,
  zipTrees,
} from "@pliant/engine";
import { type Device, devices, open } from "@pliant/engine/device";
import { UsageError } from "./usage.js";

interface Network {
  hidden: Tensor;
  hiddenBias: Tensor;
  inner: Tensor;
  innerBias: Tensor;
  out: Tensor;
  outBias: Tensor;
}

const classify = (p: Network, x: Tensor): Tensor =>
  x
    .matmul(p.hidden)
    .add(p.hiddenBias)
    .tanh()
    .matmul(p.inner)
    .add(p.innerBias)
    .tanh()
    .matmul(p.out)
    .add(p.outBias);

const loss = (p: Network, x: Tensor, y: Tensor): Tensor =>
  classify(p, x).logSoftmax().mul(y.oneHot(2)).sum({ axis: 1 }).mean().neg();

interface Training {
  params: Network;
  velocity: Network;
}

/** One step of gradient descent with momentum on the rows of the data that `rows` names. */
function step({ params, velocity }: Training, { x, y }: { x: Tensor; y: Tensor }, rows: Tensor) {
  const bx = x.gather(rows);
  const by = y.gather(rows);
  const { value, gradient } = valueAndGrad(loss)(params, bx, by);
  const next = zipTrees((v, g) => v.mul(0.9).add(g), velocity, gradient) as Network;
  const moved = zipTrees((p, v) => p.sub(v.mul(0.1)), params, next) as Network;
  return { state: { params: moved, velocity: next }, record: value };
}

const accuracyOf = (p: Network, { x, y }: { x: Tensor; y: Tensor }): Tensor =>
  classify(p, x).argmax(1).eq(y).cast("float32").mean();

/** Two arms of a spiral, with noise. */
function spirals(key: random.Key, n: number): { x: NdArray; y: NdArray } {
  const [t, noise] = random.split(key, 2);
  const turn = random.uniform(t, [n]).data;
  const off = random.normal(noise, [n, 2]).data;
  const x = new Float32Array(2 * n);
  const y = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    y[i] = i % 2;
    const angle = 3 * Math.PI * turn[i] + Math.PI * y[i];
    x[2 * i] = turn[i] * Math.cos(angle) + 0.02 * off[2 * i];
    x[2 * i + 1] = turn[i] * Math.sin(angle) + 0.02 * off[2 * i + 1];
  }
  return { x: new NdArray(x, [n, 2]), y: new NdArray(y, [n]) };
}

export async function demo(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { device: { type: "string", default: "auto" }, seed: { type: "string", default: "1" } },
  });
  if (!devices.includes(values.device as Device))
    throw new UsageError(`--device is one of ${devices.join(", ")}, not ${values.device}.`);
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new UsageError(`--seed is a whole number of at least 0, not ${values.seed}.`);

  const backend = await open(values.device as Device);
  const [dataKey, paramKey, batchKey] = random.split(random.key(seed), 3);
  const [n, width, batch, steps] = [1000, 32, 100, 300];
  const data = spirals(dataKey, n);
  const draw = (i: number, shape: number[], fanIn: number) =>
    random.normal(random.foldIn(paramKey, i), shape, { std: 1 / Math.sqrt(fanIn) });
  const zeros = (shape: number[]) => new NdArray(new Float32Array(shape.reduce((a, b) => a * b, 1)), shape);
  const params = {
    hidden: draw(0, [2, width], 0.1),
    hiddenBias: zeros([width]),
    inner: draw(1, [width, width], width),
    innerBias: zeros([width]),
    out: draw(2, [width, 2], width),
    outBias: zeros([2]),
  };
  const velocity = Object.fromEntries(
    Object.entries(params).map(([k, v]) => [k, zeros([...v.shape])]),
  ) as typeof params;

  const train = loop(step, { backend });
  const measure = compile(accuracyOf, { backend });
  let state: Replace<Training, Stored> = { params, velocity };
  console.log(`Two spirals, ${n} points, a network 2-${width}-${width}-2 on the ${backend.name} back end.`);
  for (let epoch = 1; epoch <= 10; epoch++) {
    const rows = random.randint(random.foldIn(batchKey, epoch), [steps, batch], 0, n);
    const run = await train(state, data, rows);
    state = run.state;
    const losses = (await run.record.read()).data;
    const accuracy = (await (await measure(state.params, data)).read()).item();
    const mean = Array.from(losses).reduce((a, b) => a + b, 0) / steps;
    console.log(
      `steps ${String(epoch * steps).padStart(5)}   loss ${mean.toFixed(4)}   accuracy ${(100 * accuracy).toFixed(1)}%`,
    );
  }
  await backend.close();
}
