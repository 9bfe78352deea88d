// What a certified check costs on a model of so many parameters, in gradients: least squares with a decay, at its exact answer, and a
// requirement that binds there.
import { atMost, createSolver, minimise } from "@pliant/core";
import { compile, grad, matmul, NdArray, type Tensor } from "@pliant/engine";
import { type Device, open } from "@pliant/engine/device";
import { solveLinear } from "./problem.js";

interface Cost {
  readonly seconds: number;
  /** Seconds of all threads of this process, which a busy machine distorts less. */
  readonly processor: number;
}

async function timed<T>(run: () => Promise<T>): Promise<{ value: T; cost: Cost }> {
  const [began, used] = [performance.now(), process.cpuUsage()];
  const value = await run();
  const { user, system } = process.cpuUsage(used);
  return {
    value,
    cost: { seconds: (performance.now() - began) / 1000, processor: (user + system) / 1e6 },
  };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1];

/** Four sums at once, so that none waits for another. */
function inner(a: Float32Array, b: Float32Array): number {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  const whole = a.length - (a.length % 4);
  for (let k = 0; k < whole; k += 4) {
    s0 += a[k] * b[k];
    s1 += a[k + 1] * b[k + 1];
    s2 += a[k + 2] * b[k + 2];
    s3 += a[k + 3] * b[k + 3];
  }
  for (let k = whole; k < a.length; k++) s0 += a[k] * b[k];
  return s0 + s1 + s2 + s3;
}

const rows = 64;
const decay = 1e-2;

export async function sized(n: number, device: Device): Promise<Record<string, unknown>> {
  const backend = await open(device, { precision: "float32" });
  // Uniform numbers of variance 1/n, of a generator that takes no time beside the rest.
  const data = new Float32Array(rows * n);
  const spread = Math.sqrt(12 / n);
  let state = 1;
  for (let k = 0; k < data.length; k++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[k] = (state / 2 ** 32 - 0.5) * spread;
  }
  const row = (i: number): Float32Array => data.subarray(i * n, (i + 1) * n);
  const y = Array.from({ length: rows }, (_, i) => Math.sin(i));
  // w = Xᵀ(XXᵀ + rows·decay·I)⁻¹y minimises ½ mean (Xw − y)² + ½ decay ‖w‖².
  const gram = y.map((_, i) => y.map((__, j) => (i === j ? rows * decay : 0)));
  for (let i = 0; i < rows; i++)
    for (let j = 0; j <= i; j++) {
      const product = inner(row(i), row(j));
      gram[i][j] += product;
      if (i !== j) gram[j][i] += product;
    }
  const dual = solveLinear(gram, y);
  const w = new Float32Array(n);
  for (let i = 0; i < rows; i++) {
    const own = row(i);
    for (let k = 0; k < n; k++) w[k] += dual[i] * own[k];
  }
  type Data = { X: Tensor; y: Tensor };
  const task = minimise({
    params: { w: new NdArray(w, [n, 1]) },
    forward: ({ w: weights }: { w: Tensor }, d: Data) => ({
      off: matmul(d.X, weights).reshape([rows]).sub(d.y),
      weights,
    }),
    objective: ({ off, weights }) => off.pow(2).mean().add(weights.pow(2).sum().mul(decay)).mul(0.5),
  }).subjectTo({ worst: atMost(10, ({ off }) => off.pow(2).mean()) });
  const given = {
    X: backend.put(new NdArray(data, [rows, n])),
    y: backend.put(new NdArray(Float32Array.from(y), [rows])),
  };
  const slope = compile(
    (weights: Tensor, d: Data) =>
      grad((v: Tensor) =>
        matmul(d.X, v).reshape([rows]).sub(d.y).pow(2).mean().add(v.pow(2).sum().mul(decay)).mul(0.5),
      )(weights),
    { backend },
  );
  const at = new NdArray(w, [n, 1]);
  const solver = await createSolver(task, { data: given as never, backend });
  const gradient = async (): Promise<unknown> => (await slope(at, given as never)).read();
  const check = () => solver.inspect(solver.initial);
  // Compiled before they are timed; gradients around the check, so that both see the same load.
  await gradient();
  await check();
  const gradients: Cost[] = [];
  for (let k = 0; k < 10; k++) gradients.push((await timed(gradient)).cost);
  const { value, cost } = await timed(check);
  for (let k = 0; k < 10; k++) gradients.push((await timed(gradient)).cost);
  const { certificate } = value;
  solver.release();
  return {
    device: backend.name,
    parameters: n,
    gradientSeconds: median(gradients.map(({ seconds }) => seconds)),
    checkSeconds: cost.seconds,
    gradients: cost.seconds / median(gradients.map(({ seconds }) => seconds)),
    gradientsByProcessor: cost.processor / median(gradients.map(({ processor }) => processor)),
    holds: certificate.holds,
    kind: certificate.kind,
    errors: certificate.errors,
    short: certificate.short,
  };
}
