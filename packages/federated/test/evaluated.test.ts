// The model on samples of a pool, whatever the size of a call; and sums of updates in fixed point.
import { array, type Backend, NdArray, reference, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";
import { evaluator, storePool } from "../src/evaluation.js";
import { largestCoordinate, toWords } from "../src/fixed-point.js";
import { fixedSums } from "../src/fixed-sums.js";

const f64 = (values: number[], shape: number[]) => new NdArray(Float64Array.from(values), shape);
const backend = reference();
/** Outputs are the samples times w. */
const model = { apply: ({ w }: { w: Tensor }, x: Tensor) => x.mul(w) } as never;
const x = f64([1, 2, 5, 4, 0, 3, 7, 6, 8, 9], [5, 2]);
const pool = storePool({ x, y: array(Int32Array.of(1, 1, 0, 0, 1)) } as never, backend);
const task = {
  loss: (outputs: Tensor, _: Tensor) => outputs.sum({ axis: -1 }),
  metric: (outputs: Tensor, _: Tensor) => outputs.sum({ axis: -1 }).mul(2),
};
const params = { w: f64([3], [1]) };
const none = Number.NaN;

test.each([1, 2, 3, 5, 9])(
  "in calls of %i samples every row that is asked for has its own numbers",
  async (chunk) => {
    const look = evaluator(model, { backend, chunk, ...task });
    const found = await look(params, pool, [4, 1, 3]);
    expect([...found.loss]).toEqual([none, 27, none, 39, 51]);
    expect([...found.hit]).toEqual([none, 0, none, 1, 1]);
    expect([...found.metric!]).toEqual([none, 54, none, 78, 102]);
  },
);

test("as few calls as there must be, of no more samples than there are, on the back end that was given", async () => {
  const shapes: string[] = [];
  const seen = {
    apply: (_: { w: Tensor }, at: Tensor) => {
      shapes.push(String(at.shape));
      return at;
    },
  } as never;
  const calls = async (chunk: number): Promise<number> => {
    let runs = 0;
    const own = reference();
    const counting: Backend = {
      ...own,
      compile: async (...args) => {
        const made = await own.compile(...args);
        return {
          ...made,
          run: (inputs) => {
            runs++;
            return made.run(inputs);
          },
        };
      },
    };
    await evaluator(seen, { backend: counting, chunk, loss: task.loss })(params, pool, [4, 1, 3]);
    return runs;
  };
  expect([await calls(1), await calls(2), await calls(3), await calls(9)]).toEqual([3, 2, 1, 1]);
  expect(shapes).toEqual(["1,2", "2,2", "3,2", "5,2"]);
});

test("there is no metric without one, no accuracy without classes, and augmented samples are evaluated", async () => {
  const augmentation = { count: 1, apply: (at: Tensor, numbers: Tensor) => at.add(numbers) };
  const look = evaluator(model, { backend, chunk: 2, loss: task.loss, augmentation });
  const draws = f64([0, 1, 0, 2, 0], [5, 1]);
  const found = await look(params, pool, [1, 3], draws);
  expect([...found.loss]).toEqual([none, 27 + 6, none, 39 + 12, none]);
  expect(Object.keys(found)).toEqual(["loss", "hit"]);
  expect([...(await look(params, pool, [1, 3])).loss]).toEqual([none, 27, none, 39, none]);
  const numbers = storePool({ x, y: f64([1, 2, 3, 4, 5], [5]) } as never, backend);
  expect([...(await look(params, numbers, [0])).hit]).toEqual(new Array(5).fill(none));
});

test("the largest coordinate of so many clients fits a word, and their sum too", () => {
  for (const clients of [1, 3, 4, 49, 1000]) {
    const most = largestCoordinate(clients);
    expect(toWords([most, -most], 0, clients)).toEqual({
      words: Int32Array.of(most, -most),
      saturated: 0,
    });
    expect(clients * most).toBeLessThan(2 ** 31);
  }
});

test("sums in fixed point are exact, of updates within the bound", async () => {
  const like = { update: { w: f64([0, 0], [2]) }, shared: { w: f64([0], [1]) } };
  const sent = (a: number, b: number, c: number) => ({
    update: { w: f64([a, b], [2]) },
    shared: { w: f64([c], [1]) },
  });
  const within = async (bound: number, ...all: ReturnType<typeof sent>[]) => {
    const sums = fixedSums({ bound }, all.length, like as never);
    for (const each of all) await sums.add(each as never);
    const { update, shared } = sums.sums() as unknown as typeof like;
    return [...update.w.data, ...shared.w.data];
  };
  const total = (...all: ReturnType<typeof sent>[]) => within(1, ...all);
  expect(await total(sent(0.5, -0.25, 0.125), sent(0.25, 0.5, -0.5))).toEqual([0.75, 0.25, -0.375]);
  // 2⁻²⁹ is a word for two clients within ±1, and none for a bound of 16.
  expect(await total(sent(2 ** -29, 0, 0), sent(0, 0, 0))).toEqual([2 ** -29, 0, 0]);
  // An update beyond the bound is scaled down as a whole: its direction is kept, the others are as they were.
  expect(await within(3, sent(6, -1.5, 0.75), sent(1, 1, 1))).toEqual([4, 0.25, 1.375]);
  const counting = fixedSums({ bound: 4 }, 2, like as never);
  await counting.add(sent(8, 0, 0) as never);
  await counting.add(sent(4, 0, 0) as never);
  expect(counting.scaled).toBe(1);
  for (const beyond of [Number.NaN, -Infinity])
    await expect(within(3, sent(beyond, 0, 0), sent(0, 0, 0))).rejects.toThrow("not finite");
});
