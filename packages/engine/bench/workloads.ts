// The benchmark's training steps: forward, all gradients and the update, each on one fixed batch.
import { NdArray, random, type Shape, type Tensor, valueAndGrad, zipTrees } from "@pliant/engine";

export interface Workload {
  /** The name the peer knows it by. */
  kind: "A" | "B32" | "B28" | "C" | "D" | "F";
  samples: number;
  rate: number;
  /** Weight, bias, weight, bias, …: convolution kernels [O, C, kh, kw], dense [in, out]; in F with a leading axis. */
  params: NdArray[];
  x: NdArray;
  y: NdArray;
  step(state: State, data: Batch): { state: State; record: Tensor };
  outputs(params: Tensor[], x: Tensor): Tensor;
  initial(): { params: NdArray[]; moments: NdArray[] };
}

type State = { params: Tensor[]; moments: Tensor[] };
type Batch = { x: Tensor; y: Tensor };

/** Numbers are drawn in order, from a key of the workload's own: the same whichever workloads run, and where. */
let key = random.key(0);
let drawn = 0;
const next = () => random.foldIn(key, drawn++);
const startDrawing = (seed: number): void => {
  key = random.key(seed);
  drawn = 0;
};

/** A weight and its bias, uniform in ±1/√fan-in. */
function layer(weight: Shape, fanIn: number, lead: Shape = []): NdArray[] {
  const bound = 1 / Math.sqrt(fanIn);
  const out = weight.length === 4 ? weight[0] : weight[1];
  return [
    [...lead, ...weight],
    [...lead, out],
  ].map((shape) => random.uniform(next(), shape, { low: -bound, high: bound }));
}

const dense = (sizes: readonly number[], lead?: Shape): NdArray[] =>
  sizes.slice(1).flatMap((n, i) => layer([sizes[i], n], sizes[i], lead));

/** y = x·w + b, for one model or a stack of them. */
const affine = (x: Tensor, w: Tensor, b: Tensor): Tensor =>
  x.matmul(w).add(w.rank === 3 ? b.expandDims(1) : b);

type Activation = (x: Tensor) => Tensor;

function perceptron(x: Tensor, params: readonly Tensor[], activation: Activation): Tensor {
  let h = x;
  for (let i = 0; i < params.length; i += 2) {
    h = affine(h, params[i], params[i + 1]);
    if (i + 2 < params.length) h = activation(h);
  }
  return h;
}

/** Two convolutions, each with its activation and a 2×2 max-pooling, then dense layers. */
function network(
  x: Tensor,
  params: readonly Tensor[],
  activation: Activation,
  paddings: readonly number[],
): Tensor {
  let h = x;
  for (const [i, padding] of paddings.entries()) {
    const [w, b] = params.slice(2 * i, 2 * i + 2);
    const channels = w.rank === 5 ? [w.shape[0], 1, w.shape[1], 1, 1] : [w.shape[0], 1, 1];
    h = activation(h.conv2d(w, { padding }).add(b.reshape(channels))).maxPool({ window: 2 });
  }
  return perceptron(h.flatten(h.rank - 3), params.slice(4), activation);
}

/** The mean over the batch; for a stack the sum of the models' means, so that each has its own gradient. */
function crossEntropy(logits: Tensor, y: Tensor): Tensor {
  return logits.logSoftmax().mul(y.oneHot(10)).sum({ axis: -1 }).mean({ axis: -1 }).neg().sum();
}

const logistic = (logits: Tensor, y: Tensor): Tensor => {
  const z = logits.reshape(y.shape);
  return z.softplus().sub(z.mul(y)).mean();
};

const sgd =
  (rate: number) =>
  (state: State, gradient: Tensor[]): State => ({
    params: zipTrees((p, g) => p.sub(g.mul(rate)), state.params, gradient),
    moments: [],
  });

/**
 * Adam, its moments kept as m/(1−β₁) and v/(1−β₂), which saves passes over them: the same updates. Behind the moments
 * of all parameters come β₁ᵗ and β₂ᵗ.
 */
const adam =
  (rate: number, [b1, b2] = [0.9, 0.999], epsilon = 1e-8) =>
  (state: State, gradient: Tensor[]): State => {
    const n = state.params.length;
    const m = zipTrees((m, g) => m.mul(b1).add(g), state.moments.slice(0, n), gradient);
    const v = zipTrees((v, g) => v.mul(b2).add(g.mul(g)), state.moments.slice(n, 2 * n), gradient);
    const [p1, p2] = [state.moments[2 * n].mul(b1), state.moments[2 * n + 1].mul(b2)];
    const root = p2
      .neg()
      .add(1)
      .div(1 - b2)
      .sqrt();
    const scale = root.div(p1.neg().add(1)).mul(rate * (1 - b1));
    const params = zipTrees(
      (p, m, v) => p.sub(m.div(v.sqrt().add(root.mul(epsilon))).mul(scale)),
      state.params,
      m,
      v,
    );
    return { params, moments: [...m, ...v, p1, p2] };
  };

interface Recipe {
  kind: Workload["kind"];
  samples: number;
  rate: number;
  params: NdArray[];
  image: Shape;
  lead?: Shape;
  outputs: Workload["outputs"];
  loss: (outputs: Tensor, y: Tensor) => Tensor;
  adam?: boolean;
}

function workload({
  kind,
  samples,
  rate,
  params,
  image,
  lead = [],
  outputs,
  loss,
  adam: useAdam = false,
}: Recipe): Workload {
  const update = useAdam ? adam(rate) : sgd(rate);
  const shape = [...lead, samples, ...image];
  const labels = [...lead, samples];
  return {
    kind,
    samples: samples * lead.reduce((a, b) => a * b, 1),
    rate,
    params,
    x: random.normal(next(), shape),
    y: kind === "D" ? halves(labels) : random.randint(next(), labels, 0, 10),
    outputs,
    step: (state, { x, y }) => {
      const { value, gradient } = valueAndGrad((p: Tensor[]) => loss(outputs(p, x), y))(state.params);
      return { state: update(state, gradient), record: value };
    },
    initial: () => {
      const zeros = params.map((p) => new NdArray(new Float32Array(p.size), p.shape));
      const ones = [0, 1].map(() => new NdArray(Float32Array.of(1), []));
      return { params, moments: useAdam ? [...zeros, ...zeros, ...ones] : [] };
    },
  };
}

const halves = (shape: Shape): NdArray =>
  new NdArray(Float32Array.from(random.bernoulli(next(), shape, 0.5).data), shape);

const leaky: Activation = (x) => x.leakyRelu(0.01);
const tanh: Activation = (x) => x.tanh();

const cnn = (
  kind: "B32" | "B28" | "F",
  channels: number,
  size: number,
  samples: number,
  lead: Shape = [],
): Workload => {
  const flat = 64 * ((size / 2 - 2) / 2 - 2) ** 2;
  return workload({
    kind,
    samples,
    lead,
    rate: 0.01,
    image: [channels, size, size],
    params: [
      ...layer([64, channels, 5, 5], channels * 25, lead),
      ...layer([64, 64, 5, 5], 64 * 25, lead),
      ...dense([flat, 384, 192, 10], lead),
    ],
    outputs: (p, x) => network(x, p, leaky, [0, 0]),
    loss: crossEntropy,
  });
};

const recipes: Record<string, () => Workload> = {
  A: () =>
    workload({
      kind: "A",
      samples: 1000,
      rate: 1e-3,
      image: [784],
      params: dense([784, 1000, 10]),
      outputs: (p, x) => perceptron(x, p, tanh),
      loss: crossEntropy,
      adam: true,
    }),
  B32: () => cnn("B32", 3, 32, 50),
  B28: () => cnn("B28", 1, 28, 50),
  C: () =>
    workload({
      kind: "C",
      samples: 256,
      rate: 0.1,
      image: [1, 28, 28],
      params: [...layer([6, 1, 5, 5], 25), ...layer([16, 6, 5, 5], 150), ...dense([400, 120, 84, 10])],
      outputs: (p, x) => network(x, p, tanh, [2, 0]),
      loss: crossEntropy,
    }),
  D: () =>
    workload({
      kind: "D",
      samples: 1000,
      rate: 0.1,
      image: [20],
      params: dense([20, 1]),
      outputs: (p, x) => affine(x, p[0], p[1]),
      loss: logistic,
    }),
  F: () => cnn("F", 3, 32, 50, [100]),
  "B32/1000": () => cnn("B32", 3, 32, 1000),
};

/** A workload, made afresh: its initial weights and its batch. */
export function createWorkload(name: string, seed = Object.keys(recipes).indexOf(name)): Workload {
  startDrawing(seed);
  return recipes[name]();
}
