// A function of rows, evaluated in parts: the same values and gradients with less memory; functions that mix rows are refused.
import { describe, expect, it, test } from "vitest";
import {
  array,
  byRows,
  compile,
  full,
  grad,
  type NdArray,
  random,
  reference,
  type Tensor,
} from "../src/index.js";
import { onnx } from "../src/onnx/index.js";

const draws = (shape: number[], seed: number): NdArray => random.normal(random.key(seed), shape) as NdArray;
const w = draws([4, 3], 1);
type Data = { x: Tensor; y: Tensor; scale: Tensor };
const data = (n: number) => ({ x: draws([n, 4], 2), y: draws([n], 3), scale: draws([3], 4) });
const model = (w: Tensor) => (d: Data) => ({
  answers: d.x.matmul(w).tanh().mul(d.scale),
  residual: d.x.matmul(w).sum({ axis: 1 }).sub(d.y),
});
/** A loss that sees all rows at once: its parts could not be summed. */
const loss = (out: { answers: Tensor; residual: Tensor }): Tensor =>
  out.answers.mean({ axis: 0 }).exp().sum().add(out.residual.max()).add(out.residual.pow(2).mean().log());

for (const [name, backend] of [
  ["reference", reference()],
  ["onnx", await onnx()],
] as const)
  describe(`byRows on ${name}`, () => {
    it.each([1, 4, 5, 12, 13, 30])("gives the whole's value and slope, %i rows at a time", async (rows) => {
      const given = data(13);
      const run = (of: (w: Tensor, d: Data) => Tensor) =>
        compile((w: Tensor, d: Data) => ({ value: of(w, d), slope: grad((v: Tensor) => of(v, d))(w) }), {
          backend,
        })(w as never, given as never);
      const [whole, parts] = await Promise.all([
        run((w, d) => loss(model(w)(d))),
        run((w, d) => loss(byRows(model(w), d, rows))),
      ]);
      const [a, b] = [await whole.slope.read(), await parts.slope.read()];
      expect((await parts.value.read()).item()).toBeCloseTo((await whole.value.read()).item(), 5);
      for (const [i, x] of b.data.entries())
        expect(Math.abs(x - a.data[i])).toBeLessThan(2e-6 * (1 + Math.abs(a.data[i])));
    });
  });

describe("byRows refuses", () => {
  const trace = (fn: (d: Data) => unknown, rows = 4) =>
    compile((d: Data) => byRows(fn, d, rows) as Tensor, { backend: reference() })(data(13) as never);
  it.each([
    ["a mean over rows", (d: Data) => d.x.sub(d.x.mean({ axis: 0 })), "depends on the others"],
    ["a result that is no row each", (d: Data) => d.x.sum(), "must make as many"],
    ["rows turned to columns", (d: Data) => d.x.slice([[0, 4]]).transpose(), "along the first axis"],
  ])("%s", async (_, fn, sentence) => {
    await expect((async () => trace(fn))()).rejects.toThrow(sentence);
  });
  it("an invalid number of rows", async () => {
    await expect((async () => trace((d) => d.x, 0))()).rejects.toThrow("a whole number of rows");
  });
});

it("arguments with fewer rows than the longest are passed whole", async () => {
  const seen: number[][] = [];
  await compile(
    (d: Data) =>
      byRows(
        ({ x, scale }: Data) => {
          seen.push([...x.shape], [...scale.shape]);
          return x.mul(scale.sum());
        },
        d,
        5,
      ),
    { backend: reference() },
  )({ x: array([[1], [2], [3], [4], [5], [6], [7]]), y: draws([7], 3), scale: draws([3], 4) } as never);
  expect(seen).toEqual([[5, 1], [3], [2, 1], [3]]);
});

test("ONNX Runtime takes the memory of a part", async () => {
  const backend = await onnx({ threads: 1 });
  const [n, width] = [2 ** 17, 64];
  const x = full([n, 8], 0.5);
  const weights = draws([8, width], 5);
  /** Four arrays of 32 MB for all rows at once, and as many for their gradient. */
  const answers = (v: Tensor) => (x: Tensor) => {
    let y = x.matmul(v);
    for (let i = 0; i < 3; i++) y = y.sin().mul(y);
    return y.mean({ axis: 1 });
  };
  const peak = async (of: (v: Tensor, x: Tensor) => Tensor): Promise<number> => {
    const run = compile((v: Tensor, x: Tensor) => grad((u: Tensor) => of(u, x).sum())(v), { backend });
    await run(weights as never, x as never);
    run.release();
    return process.resourceUsage().maxRSS / 1024;
  };
  const parts = await peak((v, x) => byRows(answers(v), x, 2048));
  const whole = await peak((v, x) => answers(v)(x));
  console.log(
    `ONNX Runtime, ${n} rows: at most ${parts.toFixed()} MB by 2048 of them, ${whole.toFixed()} MB at once`,
  );
  expect(whole - parts).toBeGreaterThan(100);
  await backend.close();
});
