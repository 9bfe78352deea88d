import { InputError } from "@pliant/core";
import { array, compile, grad, type NdArray, random, readAll, type Tensor } from "@pliant/engine";
import { batchChain, metropolis } from "@pliant/learn";
import { describe, expect, test } from "vitest";
import { backends, numbers } from "./backends.js";

const unit = { low: 0, high: 1 };

/** Loss and index of the chain that one sample's losses and numbers describe, step by step. */
function walk(losses: readonly number[], uniforms: readonly number[]): { loss: number; index: number } {
  let index = 0;
  for (let k = 1; k < losses.length; k++)
    if (uniforms[k - 1] < Math.min(1, losses[k] / losses[index])) index = k;
  return { loss: losses[index], index };
}

const meanOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

const column = ({ data, shape }: NdArray, b: number): number[] =>
  Array.from({ length: shape[0] }, (_, k) => data[(k * data.length) / shape[0] + b]);

describe.each(backends)("on $name", ({ backend }) => {
  test("each sample has its own chain, and its gradient reaches the final state", async () => {
    const losses = numbers(1, [4, 2, 5], { low: 0.01, high: 2 });
    const uniforms = numbers(2, [3, 2, 5], unit);
    const study = compile(
      (l: Tensor, u: Tensor) => ({
        chain: { ...metropolis(l, u) },
        slope: grad((l: Tensor) => metropolis(l, u).loss.sum())(l),
      }),
      { backend: await backend() },
    );
    const { chain, slope } = await readAll(await study(losses, uniforms));
    expect(chain.loss.shape).toEqual([2, 5]);
    expect(chain.index.dtype).toBe("int32");
    for (let b = 0; b < 10; b++) {
      const { loss, index } = walk(column(losses, b), column(uniforms, b));
      expect(chain.loss.data[b]).toBe(loss);
      expect(chain.index.data[b]).toBe(index);
      expect(column(slope, b)).toEqual([0, 1, 2, 3].map((k) => (k === index ? 1 : 0)));
    }
  });

  test("acceptance is counted for each stack entry", async () => {
    const run = compile((l: Tensor, u: Tensor) => metropolis(l, u).accepted, { backend: await backend() });
    const losses = array([
      [
        [1, 1],
        [3, 3],
      ],
      [
        [2, 0],
        [4, 4],
      ],
      [
        [3, 0],
        [5, 5],
      ],
    ]);
    const accepted = await (await run(losses, numbers(3, [2, 2, 2], unit))).read();
    expect([...accepted.data]).toEqual([0.5, 1]);
  });

  test.each([
    ["falls, some accept", 0.5],
    ["rises, all accept", 1.5],
  ])(
    "the batch's chain gives (1 − K/B) m₁ + (K/B) m₂, and so does its gradient: the mean %s",
    async (_, factor) => {
      const b = 40;
      const first = [...numbers(4, [b], { low: 0, high: 3 }).data];
      const second = [...numbers(5, [b], { low: 0, high: 3 }).data].map((v) => factor * v);
      const study = compile(
        (l: Tensor, u: Tensor) => ({
          chain: { ...batchChain(l, u) },
          slope: grad((l: Tensor) => batchChain(l, u).loss.mean())(l),
        }),
        { backend: await backend() },
      );
      const { chain, slope } = await readAll(await study(array([first, second]), numbers(6, [1, b], unit)));
      const share = meanOf([...chain.index.data]);
      expect(share).toBeGreaterThan(0.2);
      if (factor > 1) expect(share).toBe(1);
      else expect(share).toBeLessThan(0.8);
      expect(meanOf([...chain.loss.data])).toBeCloseTo(
        (1 - share) * meanOf(first) + share * meanOf(second),
        5,
      );
      expect(chain.accepted.item()).toBeCloseTo(share, 6);
      for (const [i, v] of slope.data.entries()) expect(v).toBeCloseTo((i < b ? 1 - share : share) / b, 7);
    },
  );
});

describe("the law of the chain", () => {
  test("long chains end in a state with probability proportional to its loss", async () => {
    const [steps, chains] = [30, 20_000];
    const levels = [0.5, 1, 2, 4];
    const proposals = random.randint(random.key(6), [steps, chains], 0, levels.length).data;
    const losses = array(
      Float32Array.from(proposals, (i) => levels[i]),
      { shape: [steps, chains] },
    );
    const run = compile((l: Tensor, u: Tensor) => metropolis(l, u).loss);
    const ends = (await (await run(losses, numbers(7, [steps - 1, chains], unit))).read()).data;
    const total = levels.reduce((a, b) => a + b);
    let chiSquared = 0;
    for (const level of levels) {
      const expected = (chains * level) / total;
      const seen = ends.filter((v: number) => v === level).length;
      chiSquared += (seen - expected) ** 2 / expected;
    }
    // Beyond this in one of a thousand seeds, with three degrees of freedom.
    expect(chiSquared).toBeLessThan(16.27);
  });

  test("two states favour the larger loss; the batch's chain does not", async () => {
    const n = 20_000;
    const heavy = array(
      Float32Array.from(numbers(8, [2, n], unit).data, (u) => (1 - u) ** -0.4 - 1),
      { shape: [2, n] },
    );
    const run = compile((l: Tensor, u: Tensor) => [
      metropolis(l, u).loss.mean(),
      batchChain(l, u).loss.mean(),
      l.mean(),
      l.max({ axis: 0 }).mean(),
    ]);
    const [own, batch, uniform, worst] = (await readAll(await run(heavy, numbers(9, [1, n], unit)))).map(
      (x) => x.item(),
    );
    expect(Math.abs(batch - uniform)).toBeLessThan(0.02 * uniform);
    expect(own).toBeGreaterThan(1.2 * uniform);
    expect(own).toBeLessThan(worst);
  });
});

test("a single state is the chain's end", async () => {
  const run = compile((l: Tensor) => ({ ...metropolis(l, l.slice([[0, 0]])) }));
  const { loss, accepted } = await readAll(await run(array([[1, 2]])));
  expect([...loss.data]).toEqual([1, 2]);
  expect(accepted.item()).toBe(0);
});

test("a zero-loss state accepts every proposal, and is never accepted as one", async () => {
  const run = compile((l: Tensor, u: Tensor) => metropolis(l, u).loss);
  const ends = await (
    await run(
      array([
        [0, 1, 0],
        [1, 0, 0],
      ]),
      array([[0.999, 0, 0.5]]),
    )
  ).read();
  expect([...ends.data]).toEqual([1, 1, 0]);
});

test("mismatched shapes are refused", async () => {
  const run = compile((l: Tensor, u: Tensor) => metropolis(l, u).loss);
  await expect(run(numbers(1, [3, 4]), numbers(1, [3, 4]))).rejects.toThrow(InputError);
});
