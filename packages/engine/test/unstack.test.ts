// A stack of models is run one model after another on ONNX Runtime: what each gives, and what they give together, is what
// the reference makes of the whole. Numbers are whole or halves, so that every sum is exact.
import { compile, NdArray, readAll, reference, type Shape, type Tensor, valueAndGrad } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { afterAll, expect, test } from "vitest";
import { trace } from "../src/compile.js";
import { modelsOf } from "../src/onnx/runtime/stack.js";
import { optimize } from "../src/passes.js";

const native = await onnx();
afterAll(() => native.close());

const small = (shape: Shape, from: number): NdArray => {
  const size = shape.reduce((n, d) => n * d, 1);
  return new NdArray(
    Float32Array.from({ length: size }, (_, i) => (((i + from) * 37) % 7) - 3),
    shape,
  );
};

const models = 3;
interface Params {
  kernel: Tensor;
  bias: Tensor;
  weight: Tensor;
}
type Loss = (params: Params, x: Tensor) => Tensor;

const params = {
  kernel: small([models, 16, 1, 3, 3], 1),
  bias: small([models, 16], 2),
  weight: small([models, 64, 2], 3),
};

const network: Loss = ({ kernel, bias, weight }, x) => {
  const h = x
    .conv2d(kernel)
    .add(bias.reshape([models, 1, 16, 1, 1]))
    .leakyRelu(0.5)
    .maxPool({ window: 2 });
  return h.flatten(2).matmul(weight).maximum(0);
};

const step = (loss: Loss) => (p: Params, x: Tensor) => {
  const { value, gradient } = valueAndGrad((q: Params) => loss(q, x).sum())(p);
  return { value, each: loss(p, x).sum({ axis: [1, 2] }), gradient, next: p.bias.sub(gradient.bias) };
};

const cases: [string, Loss, "taken apart" | "left whole"][] = [
  ["models that have nothing to do with each other", network, "taken apart"],
  [
    "outputs of which the largest of all counts",
    (p, x) => network(p, x).max({ axis: 0, keepDims: true }),
    "left whole",
  ],
  [
    "models that share their biases",
    (p, x) => network({ ...p, bias: p.bias.sum({ axis: 0, keepDims: true }).broadcastTo([models, 16]) }, x),
    "left whole",
  ],
  [
    "models that are weighed by constants of their own",
    (p, x) => network(p, x).mul(new NdArray(Float32Array.of(1, 2, 4), [models, 1, 1])),
    "left whole",
  ],
];

test.each(cases)("%s", async (_, loss, how) => {
  // As many images as models, so that the size of an axis does not identify it.
  const x = small([models, models, 1, 6, 6], 5);
  const { program } = trace(step(loss), [params, x] as never);
  expect(modelsOf(optimize(program)) ? "taken apart" : "left whole").toBe(how);
  const wanted = await readAll(
    await compile(step(loss), { backend: reference() })(params as never, x as never),
  );
  const got = await readAll(await compile(step(loss), { backend: native })(params as never, x as never));
  expect(got).toEqual(wanted);
  // There is something to compare.
  expect((wanted as { each: NdArray }).each.data.some((v) => v !== 0)).toBe(true);
});
