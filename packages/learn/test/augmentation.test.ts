import { array, compile, NdArray, type Tensor } from "@pliant/engine";
import { flipsAndCrops } from "@pliant/learn";
import { describe, expect, test } from "vitest";
import { backends, numbers } from "./backends.js";

const [channels, height, width] = [2, 5, 6];

/** One image [C, H, W] mirrored or not and moved, pixel by pixel. */
function moved(x: NdArray, n: number, u: readonly number[], padding: number): number[] {
  const [dy, dx] = [u[1], u[2]].map((v) => Math.floor(v * (2 * padding + 1)) - padding);
  return Array.from({ length: channels * height * width }, (_, i) => {
    const [c, row, column] = [Math.floor(i / (height * width)), Math.floor(i / width) % height, i % width];
    const [y, x0] = [row + dy, column + dx];
    if (y < 0 || y >= height || x0 < 0 || x0 >= width) return 0;
    const from = u[0] < 0.5 ? width - 1 - x0 : x0;
    return x.data[((n * channels + c) * height + y) * width + from];
  });
}

describe.each(backends)("flipsAndCrops on $name", ({ backend }) => {
  test.each([4, 1, 0])("with a border of %i mirrors, then moves, pixel by pixel", async (padding) => {
    const n = 30;
    const x = numbers(1, [n, channels, height, width]);
    const u = numbers(2, [n, 3], { low: 0, high: 1 });
    const run = compile((x: Tensor, u: Tensor) => flipsAndCrops(x, u, { padding }), {
      backend: await backend(),
    });
    const found = await (await run(x, u)).read();
    expect(found.shape).toEqual(x.shape);
    const expected = Array.from({ length: n }, (_, i) =>
      moved(x, i, [...u.data.slice(3 * i, 3 * i + 3)], padding),
    );
    expect([...found.data]).toEqual(expected.flat());
  });

  test("treats a stack of batches like single batches", async () => {
    const x = numbers(3, [6, channels, height, width]);
    const u = numbers(4, [6, 3], { low: 0, high: 1 });
    const run = compile((x: Tensor, u: Tensor) => flipsAndCrops(x, u), { backend: await backend() });
    const flat = await (await run(x, u)).read();
    const stacked = await (
      await run(new NdArray(x.data, [2, 3, channels, height, width]), new NdArray(u.data, [2, 3, 3]))
    ).read();
    expect(stacked.shape).toEqual([2, 3, channels, height, width]);
    expect([...stacked.data]).toEqual([...flat.data]);
  });
});

test("middle random numbers leave an image unchanged", async () => {
  const x = numbers(5, [1, channels, height, width]);
  const run = compile((x: Tensor, u: Tensor) => flipsAndCrops(x, u));
  const same = await (await run(x, array([[0.5, 0.5, 0.5]]))).read();
  expect([...same.data]).toEqual([...x.data]);
});
