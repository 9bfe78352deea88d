// A run that can be stopped at any moment and goes on to the same bits: `npx tsx resume.ts 100` stops after 100 steps, `npx tsx resume.ts`
// goes on from there. Each of 40 points must be on the right side by a margin, wherever it lies in a square around it.
import { atLeast, createSolver, linear, minimise, type SolverState, sgd } from "pliant";
import { array, random, type Tensor } from "pliant/engine";
import { begunRun, lineOf, startRun } from "pliant/learn/runs";

const steps = Number(process.argv[2] ?? 2000);

// Two clouds that overlap, and the four corners of the square around each point: [4, n, 2].
const n = 40;
const side = Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1 : -1));
const points = Array.from(random.normal(random.key(1), [2 * n]).data, (z, i) => 1.2 * side[i >> 1]! + z);
const moved = (right: number, up: number) => points.map((at, i) => at + 0.2 * (i % 2 === 0 ? right : up));
const corners = [moved(-1, -1), moved(-1, 1), moved(1, -1), moved(1, 1)].flat();
export const data = { corners: array(corners, { shape: [4, n, 2] }), side: array(side) };

// One requirement on every point, with a price each; the line is a support vector machine's.
const task = minimise({
  params: { w: array([0.1, 0.1]), b: array([0]) },
  forward: ({ w, b }: { w: Tensor; b: Tensor }, { corners, side }: { corners: Tensor; side: Tensor }) => {
    const heights = corners
      .matmul(w.reshape([2, 1]))
      .reshape([4, n])
      .add(b);
    return { margin: heights.mul(side).min({ axis: 0 }), size: w.pow(2).sum().mul(0.5) };
  },
  objective: ({ size }) => size,
}).subjectTo({ margin: atLeast(1, ({ margin }) => margin, { cost: linear(0.5) }) });
const solver = await createSolver(task, { data, optimizer: sgd(0.05) });

// A folder such as `npx pliant studio` shows: what was asked, a line a look, the state to go on from, the report.
const [path, asked] = ["runs/margins", { name: "margins", seed: 1 }];
type Request = typeof asked;
const begun = begunRun<Request, SolverState>(path, () => asked);
const run = begun ?? startRun<Request, SolverState>(path, asked);

let found = await solver.inspect(run.state ?? solver.initial);
console.log(`from step ${found.steps}`);
while (found.steps < steps && !found.certificate.holds) {
  found = await solver.next(found, Math.min(25, steps - found.steps));
  run.save(found.state, lineOf(found));
}
if (found.certificate.holds) run.finish(found.report);

const { w, b } = found.params;
console.log(`line: ${w.data[0]} x + ${w.data[1]} y + ${b.item()} = 0`);
console.log(found.report.text);
