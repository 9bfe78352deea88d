// A metric of one's own on held-out data, watched while training. A forecast of what is sold must never rise with the price; what
// counts in the end is the money that a wrong forecast costs, where too little in stock is four times as dear as too much.
import { atMost, minimise, newton, solve } from "pliant";
import { array, compile, random, type Tensor } from "pliant/engine";
import { squaredError } from "pliant/learn";

// Prices from −1 to 1 and what was sold: 40 days to learn from, 200 held out.
const days = (seed: number, n: number) => {
  const price = random.uniform(random.key(seed), [n], { low: -1, high: 1 });
  const luck = random.normal(random.key(seed + 1), [n], { std: 0.4 }).data;
  return { price, sold: array(Array.from(price.data, (p, i) => 2 - Math.tanh(3 * p) + luck[i]!)) };
};
export const [train, heldOut] = [days(1, 40), days(3, 200)];
export const grid = array(Array.from({ length: 41 }, (_, i) => i / 20 - 1));

// A polynomial of degree 6; on the grid, how much the forecast rises from each price to the next.
const forecast = (w: Tensor, price: Tensor) =>
  [6, 5, 4, 3, 2, 1, 0].reduce((sum, i) => sum.mul(price).add(w.slice([[i, i + 1]])), price.mul(0));
const rises = (w: Tensor, grid: Tensor) => {
  const at = forecast(w, grid);
  return at.slice([[1, 41]]).sub(at.slice([[0, 40]]));
};

type Data = { price: Tensor; sold: Tensor; grid: Tensor };
const task = minimise({
  params: { w: array([0, 0, 0, 0, 0, 0, 0]) },
  forward: ({ w }: { w: Tensor }, { price, grid }: Data) => ({
    answers: forecast(w, price),
    rises: rises(w, grid),
  }),
  objective: ({ answers }, { sold }) => squaredError(answers, sold).mean(),
}).subjectTo({ "never rises": atMost(0, ({ rises }) => rises, { hard: true, scale: 0.1 }) });

// The metric is any function of arrays.
const cost = compile((w: Tensor, price: Tensor, sold: Tensor) => {
  const short = sold.sub(forecast(w, price));
  return short.relu().mul(4).add(short.neg().relu()).mean();
});
export const { params, report } = await solve(task, {
  data: { ...train, grid },
  optimizer: newton(),
  every: 10,
  onProgress: async ({ step, objective, params }) => {
    const held = await (await cost(params.w, heldOut.price, heldOut.sold)).read();
    console.log(`step ${step}: loss ${objective.toFixed(4)}, a held-out day costs ${held.item().toFixed(4)}`);
  },
});
console.log(report.text);
