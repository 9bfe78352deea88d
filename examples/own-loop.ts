// A loop and an optimiser of one's own: a policy chooses among ten actions with known rewards and risks. How much risk must be allowed
// so that a little less of it would cost no more than 2 in reward? Halving the interval, each time from where the last search ended.
import { afresh, atMost, createSolver, hard, minimise, type Optimizer, type Solution } from "pliant";
import { array, full, mapTree, type NdArray, type Tensor, zipTrees } from "pliant/engine";

export const reward = Array.from({ length: 10 }, (_, i) => Math.sqrt(i));
export const risk = Array.from({ length: 10 }, (_, i) => (i * i) / 81);

// Less reward, plus a tenth of what the policy is away from even chances (its negative entropy).
const task = minimise({
  params: { logits: full([10], 0) },
  forward: ({ logits }: { logits: Tensor }, _: { reward: Tensor; risk: Tensor }) => logits.logSoftmax(),
  objective: (log, { reward }) => log.exp().mul(log.mul(0.1).sub(reward)).sum(),
}).subjectTo({ risk: atMost(0.3, (log, { risk }) => log.exp().mul(risk).sum(), { cost: hard }) });

// Steps along the gradient's running mean: state and updates are trees of the parameters' form.
type Trees = Parameters<Optimizer["update"]>[0];
const averaged = (rate: number, keep: number): Optimizer => ({
  init: (params) => mapTree(params, ({ shape, dtype }: NdArray) => full(shape, 0, dtype)),
  update: (gradient, mean: Trees) => {
    const next = zipTrees((m: Tensor, g: Tensor) => m.mul(keep).add(g.mul(1 - keep)), mean, gradient);
    return { updates: mapTree(next, (m: Tensor) => m.mul(-rate)), state: next };
  },
});

const data = { reward: array(reward), risk: array(risk) };
const solver = await createSolver(task, { data, optimizer: averaged(5, 0.8) });

async function priceAt(level: number, from: Solution<{ logits: NdArray }, "risk">) {
  // Levels are inputs of the compiled step: nothing is compiled again.
  const terms = solver.terms({ levels: { risk: level } });
  let found = await solver.inspect(afresh(solver, from.state), terms);
  while (!found.certificate.holds && found.steps < 5000) found = await solver.next(found, 50, terms);
  const { price } = found.report.requirements.risk;
  console.log(`risk ${level.toFixed(4)}: price ${price.toFixed(4)} after ${found.steps} steps`);
  return { found, price };
}

let [low, high] = [0.05, 0.5];
let at = await solver.inspect(solver.initial);
while (high - low > 0.004) {
  const level = (low + high) / 2;
  const { found, price } = await priceAt(level, at);
  at = found;
  if (price > 2) low = level;
  else high = level;
}
console.log(`allow a risk of ${high.toFixed(3)}`);
