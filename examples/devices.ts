// Where and how a problem is computed: the same regression on one thread, on all, on what this machine does best, and in float64.
import { atMost, minimise, sgd, solve } from "pliant";
import { array, type Backend, full, random, reference, type Tensor } from "pliant/engine";
import { open } from "pliant/engine/device";
import { squaredError } from "pliant/learn";

// 1,000 rows of 20 numbers, and what is to be told from them: about their sum.
type Precision = "float32" | "float64";
const numbers = Array.from(random.normal(random.key(1), [1000, 20], { dtype: "float64" }).data);
const noise = random.normal(random.key(2), [1000], { dtype: "float64" }).data;
const sum = (i: number) => numbers.slice(20 * i, 20 * i + 20).reduce((a, b) => a + b);
export const rows = (dtype: Precision) => ({
  x: array(numbers, { shape: [1000, 20], dtype }),
  y: array(
    Array.from(noise, (z, i) => sum(i) + z),
    { dtype },
  ),
});

// The weights may be no longer than 2, which must hold.
const regression = (dtype: Precision) =>
  minimise({
    params: { w: full([20, 1], 0, dtype) },
    forward: ({ w }: { w: Tensor }, { x }: { x: Tensor; y: Tensor }) => ({
      answers: x.matmul(w).reshape([1000]),
      square: w.pow(2).sum(),
    }),
    objective: ({ answers }, { y }) => squaredError(answers, y).mean(),
  }).subjectTo({ length: atMost(4, ({ square }) => square, { hard: true }) });

async function on(name: string, backend: Backend, dtype: Precision, tolerance: number) {
  const start = performance.now();
  const options = { data: rows(dtype), backend, tolerance, optimizer: sgd(0.05), steps: 20_000 };
  const { report, certificate } = await solve(regression(dtype), options);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(
    `${name}: loss ${report.objective}, price ${report.requirements.length.price},`,
    `${certificate.holds ? "certified" : "not certified"} to ${tolerance}, on ${backend.name} in ${seconds} s`,
  );
}

await on("one thread", await open("cpu", { threads: 1 }), "float32", 1e-3);
await on("all threads", await open("cpu"), "float32", 1e-3);
await on("auto", await open("auto", { precision: "float32" }), "float32", 1e-3);
await on("float64", reference(), "float64", 1e-9);
