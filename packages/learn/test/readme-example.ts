import { array, random, type Tensor } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import {
  crossEntropy,
  keyed,
  metropolis,
  mlp,
  type Params,
  rotation,
  type Traced,
  transform,
  translation,
} from "@pliant/learn";
import { adam, atMost, minimise, quadratic, solve } from "pliant";

// Images of 8×8 pixels with a vertical (0) or horizontal (1) bar near the middle.
const [n, size] = [100, 8];
const draw = (seed: number, shape: number[], reach: number) =>
  random.uniform(random.key(seed), shape, { low: -reach, high: reach });
const labels = random.randint(random.key(1), [n], 0, 2);
const shifts = draw(2, [n], 1).data;
const pixels = Float32Array.from({ length: n * size ** 2 }, (_, i) => {
  const [image, row, column] = [Math.floor(i / size ** 2), Math.floor(i / size) % size, i % size];
  return Math.exp(-(((labels.data[image] ? row : column) - 3.5 - shifts[image]) ** 2));
});
const data = {
  images: array(pixels, { shape: [n, 1, size, size] }),
  labels,
  moves: draw(3, [2, n], 0.4),
  turns: draw(4, [2, n], Math.PI / 2),
  uniforms: random.uniform(random.key(5), [1, n]),
};
type Data = { [Name in keyof typeof data]: Tensor };

// The loss on the images, and under the worst of two proposed moves and two proposed turns, found by Markov chains.
const model = mlp({ inputs: size ** 2, hidden: [8], outputs: 2 });
const forward = (params: Traced<Params>, { images, labels, moves, turns, uniforms }: Data) => {
  const loss = (x: Tensor) => crossEntropy(model.apply(params, x), labels);
  const under = (matrices: Tensor) => metropolis(loss(transform(images, matrices)), uniforms).loss.mean();
  return {
    plain: loss(images).mean(),
    moved: under(translation(moves, moves)),
    turned: under(rotation(turns)),
  };
};

// A bar turned by 90° looks like one of the other class, so the second requirement has to give way.
const task = minimise({
  params: model.init(keyed(random.key(0))),
  forward,
  objective: ({ plain }) => plain,
}).subjectTo(
  { moved: atMost(0.2, ({ moved }) => moved), turned: atMost(0.2, ({ turned }) => turned) },
  { cost: quadratic(0.5) },
);
const { report } = await solve(task, { data, optimizer: adam(0.02), steps: 600, backend: await onnx() });
console.log(report.text);
