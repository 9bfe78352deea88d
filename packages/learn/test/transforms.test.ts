import { array, compile, NdArray, type Tensor } from "@pliant/engine";
import { type Corners, compose, rotation, scaling, transform, translation } from "@pliant/learn";
import { describe, expect, test } from "vitest";
import { backends, distance, numbers } from "./backends.js";
import { gradientError } from "./finite-differences.js";

/** The image [1, 1, size, size] of f(row, column). */
const image = (size: number, f: (row: number, column: number) => number): NdArray =>
  new NdArray(
    Float32Array.from({ length: size * size }, (_, i) => f(Math.floor(i / size), i % size)),
    [1, 1, size, size],
  );

const pixel = (x: NdArray, row: number, column: number): number => x.data[row * x.shape[3] + column];

describe.each(backends)("on $name", ({ backend }) => {
  const run = async (f: (...xs: Tensor[]) => Tensor, ...xs: NdArray[]): Promise<NdArray> =>
    (await compile(f, { backend: await backend() })(...xs)).read();

  describe.each<Corners>(["edges", "centres"])("by %s", (corners) => {
    const turn = (x: Tensor, angle: Tensor) => transform(x, rotation(angle), { corners });

    test("the identity changes nothing", async () => {
      const x = numbers(1, [3, 2, 6, 7]);
      const same = await run((x, s) => transform(x, scaling(s), { corners }), x, array([0, 0, 0]));
      expect(distance(same, x)).toBeLessThan(2e-6);
    });

    test("quarter turns are exact, and counter-clockwise for positive angles", async () => {
      const x = numbers(2, [1, 1, 9, 9]);
      const turned = await run(turn, x, array([Math.PI / 2]));
      const expected = image(9, (row, column) => pixel(x, column, 8 - row));
      expect(distance(turned, expected)).toBeLessThan(5e-6);
      const back = await run(turn, x, array([-Math.PI / 2]));
      expect(
        distance(
          back,
          image(9, (row, column) => pixel(x, 8 - column, row)),
        ),
      ).toBeLessThan(5e-6);
      const half = await run(turn, x, array([Math.PI]));
      expect(
        distance(
          half,
          image(9, (row, column) => pixel(x, 8 - row, 8 - column)),
        ),
      ).toBeLessThan(5e-6);
    });

    test("shifts by whole pixels move pixels and fill with zeros", async () => {
      const x = numbers(3, [1, 1, 8, 8]);
      const unit = corners === "edges" ? 2 / 8 : 2 / 7;
      const shifted = await run(
        (x, dx, dy) => transform(x, translation(dx, dy), { corners }),
        x,
        array([3 * unit]),
        array([-2 * unit]),
      );
      const expected = image(8, (row, column) =>
        row >= 2 && column + 3 < 8 ? pixel(x, row - 2, column + 3) : 0,
      );
      expect(distance(shifted, expected)).toBeLessThan(5e-6);
    });

    test("a transform composed with its inverse is the identity", async () => {
      const x = numbers(4, [2, 1, 6, 6]);
      const there = (a: Tensor) => compose(rotation(a), scaling(a), translation(a, a.mul(2)));
      const back = (a: Tensor) =>
        compose(translation(a.neg(), a.mul(-2)), scaling(a.neg()), rotation(a.neg()));
      const both = await run(
        (x, a) => transform(x, compose(there(a), back(a)), { corners }),
        x,
        array([0.7, -1.1]),
      );
      expect(distance(both, x)).toBeLessThan(2e-5);
    });
  });

  test("compose is one image transform after another", async () => {
    const x = numbers(5, [1, 1, 9, 9]);
    const first = (one: Tensor) => rotation(one.mul(Math.PI / 2));
    const second = (one: Tensor) => translation(one.mul(4 / 9), one.mul(-2 / 9));
    const [together, apart] = [
      await run((x, one) => transform(x, compose(first(one), second(one))), x, array([1])),
      await run((x, one) => transform(transform(x, first(one)), second(one)), x, array([1])),
    ];
    expect(distance(together, apart)).toBeLessThan(1e-5);
    expect(distance(together, x)).toBeGreaterThan(0.5);
  });

  test("scaling by e^s reads e^s as far from the centre", async () => {
    const ramp = image(12, (_, column) => column - 5.5);
    const scaled = await run((x, s) => transform(x, scaling(s)), ramp, array([-Math.LN2]));
    expect(
      distance(
        scaled,
        image(12, (_, column) => (column - 5.5) / 2),
      ),
    ).toBeLessThan(1e-5);
  });

  test("mixed corners: t = 0.5 moves the centre by 7 pixels, neighbours are 28/27 apart", async () => {
    const ramp = image(28, (_, column) => column);
    const shifted = await run(
      (x, dx, dy) => transform(x, translation(dx, dy), { corners: "mixed" }),
      ramp,
      array([0.5]),
      array([0]),
    );
    const row = Array.from({ length: 28 }, (_, j) => pixel(shifted, 14, j));
    expect((row[13] + row[14]) / 2 - 13.5).toBeCloseTo(7, 5);
    const inside = row.slice(1, 20).map((v, j) => v - row[j]);
    for (const slope of inside) expect(slope).toBeCloseTo(1.037, 4);
  });

  test("extra leading axes of the matrices transform each image several times", async () => {
    const x = numbers(6, [3, 2, 5, 5]);
    const angles = numbers(7, [4, 3], { low: -3, high: 3 });
    const all = await run((x, a) => transform(x, rotation(a)), x, angles);
    expect(all.shape).toEqual([4, 3, 2, 5, 5]);
    for (const k of [0, 3]) {
      const own = new NdArray(angles.data.slice(3 * k, 3 * k + 3), [3]);
      const one = await run((x, a) => transform(x, rotation(a)), x, own);
      const part = new NdArray(all.data.slice(150 * k, 150 * k + 150), x.shape);
      expect(distance(part, one)).toBeLessThan(1e-6);
    }
  });
});

describe("gradients in the transforms agree with finite differences", () => {
  const x = numbers(8, [2, 2, 6, 5], { dtype: "float64" });
  const weights = numbers(9, [2, 2, 6, 5], { dtype: "float64" });
  const measure = (matrices: Tensor, corners: Corners): Tensor =>
    transform(matrices.mul(0).sum().add(x), matrices, { corners }).mul(weights).sum();
  test.each<Corners>(["edges", "centres", "mixed"])("by %s", async (corners) => {
    const p = numbers(10, [2], { low: 0.2, high: 0.7, dtype: "float64" });
    const all = (p: Tensor): Tensor =>
      measure(compose(rotation(p), scaling(p.mul(-1)), translation(p.mul(0.3), p.mul(-0.2))), corners);
    expect(await gradientError(all, p)).toBeLessThan(1e-6);
  });
});

test("an unknown corner convention is refused, with the nearest name", async () => {
  const wrong = "centers" as Corners;
  const run = compile((x: Tensor, a: Tensor) => transform(x, rotation(a), { corners: wrong }));
  await expect(run(numbers(1, [1, 1, 2, 2]), array([0]))).rejects.toThrow('did you mean "centres"?');
});
