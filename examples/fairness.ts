// A network and a requirement of one's own: of the suitable people in each group at most 10% may be turned down, and of the
// others at most 10% let in. Less is known about group B, so both cannot be met there.
import { adam, atMost, minimise, quadratic, solve } from "pliant";
import { array, random, type Tensor } from "pliant/engine";
import { binaryCrossEntropy } from "pliant/learn";

// 2,000 people, every fourth in group B, where what is measured is noisier.
const n = 2000;
const noise = random.normal(random.key(1), [n, 2]).data;
const suitable = random.bernoulli(random.key(2), [n], 0.5).data;
const inB = Array.from({ length: n }, (_, i) => i % 4 === 0);
export const data = {
  x: array(
    Array.from(noise, (z, i) => (suitable[i >> 1] ? 1.2 : -1.2) + (inB[i >> 1] ? 2.2 : 1) * z),
    { shape: [n, 2] },
  ),
  y: array(Array.from(suitable, Number)),
  a: array(inB.map((b) => (b ? 0 : 1))),
  b: array(inB.map(Number)),
};
type Data = { [Name in keyof typeof data]: Tensor };

// The network: parameters are plain arrays, the model is a function of them.
const weights = (seed: number, shape: number[]) => random.normal(random.key(seed), shape, { std: 0.5 });
const params = { w1: weights(3, [2, 8]), b1: weights(4, [8]), w2: weights(5, [8, 1]), b2: weights(6, [1]) };
type Params = { [Name in keyof typeof params]: Tensor };
const network = ({ w1, b1, w2, b2 }: Params, { x }: Data) => ({
  logit: x.matmul(w1).add(b1).tanh().matmul(w2).add(b2).reshape([n]),
  size: w1.pow(2).sum().add(w2.pow(2).sum()),
});
type Model = ReturnType<typeof network>;

// Counting has no slope: the model learns from the loss, prices and levels are about the count (strict).
const share = (of: Tensor, among: Tensor) => of.mul(among).sum().div(among.sum());
const rate = (level: number, among: (d: Data) => Tensor, sign: 1 | -1) =>
  atMost(level, ({ logit }: Model, d: Data) => share(logit.mul(sign).softplus().div(Math.LN2), among(d)), {
    strict: ({ logit }, d) => share(logit.mul(sign).gt(0).cast("float32"), among(d)),
    pricedBy: "strict",
    resolution: 1 / 250,
    scale: 1,
  });

const task = minimise({
  params,
  forward: network,
  objective: ({ logit, size }, { y }) => binaryCrossEntropy(logit, y).mean().add(size.mul(0.003)),
}).subjectTo(
  {
    "turned down in A": rate(0.1, ({ y, a }) => y.mul(a), -1),
    "turned down in B": rate(0.1, ({ y, b }) => y.mul(b), -1),
    "let in": rate(0.1, ({ y }) => y.neg().add(1), 1),
  },
  { cost: quadratic(2) },
);

export const solution = await solve(task, { data, optimizer: adam(0.03), steps: 4000 });
console.log(solution.report.text);
