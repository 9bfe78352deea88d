// What a certified check costs on a model of so many parameters, in gradients: least squares with a decay, at its exact answer, and a
// requirement that binds there.
import { atMost, createSolver, minimise } from "@pliant/core";
import { compile, grad, matmul, NdArray, random, type Tensor } from "@pliant/engine";
import { open } from "@pliant/engine/device";
import { solveLinear } from "./problem.js";

const rows = 64;
const decay = 1e-2;

export async function sized(n: number): Promise<Record<string, unknown>> {
  const backend = await open("auto", { precision: "float32" });
  const X = random.normal(random.key(1), [rows, n]);
  const scale = 1 / Math.sqrt(n);
  const data = Float32Array.from(X.data as Float32Array, (x) => x * scale);
  const row = (i: number): Float32Array => data.subarray(i * n, (i + 1) * n);
  const y = Array.from({ length: rows }, (_, i) => Math.sin(i));
  // w = Xᵀ(XXᵀ + rows·decay·I)⁻¹y minimises ½ mean (Xw − y)² + ½ decay ‖w‖².
  const gram = y.map((_, i) =>
    y.map((__, j) => {
      let sum = i === j ? rows * decay : 0;
      const [a, b] = [row(i), row(j)];
      for (let k = 0; k < n; k++) sum += a[k] * b[k];
      return sum;
    }),
  );
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
  await (await slope(at, given as never)).read();
  const times: number[] = [];
  for (let k = 0; k < 5; k++) {
    const began = performance.now();
    await (await slope(at, given as never)).read();
    times.push(performance.now() - began);
  }
  const gradient = times.sort((a, b) => a - b)[2] / 1000;
  const solver = await createSolver(task, { data: given as never, backend });
  await solver.inspect(solver.initial);
  const began = performance.now();
  const { certificate } = await solver.inspect(solver.initial);
  const check = (performance.now() - began) / 1000;
  solver.release();
  return {
    parameters: n,
    gradientSeconds: gradient,
    checkSeconds: check,
    gradients: check / gradient,
    holds: certificate.holds,
    kind: certificate.kind,
    errors: certificate.errors,
    short: certificate.short,
  };
}
