// A transposed matrix times a column on the reference back end: as its definition says, whatever reads the transposed matrix besides.
import { array, compile, matmul, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";

test("a transposed matrix times a column is the sum over its rows", async () => {
  const [m, k] = [5, 7];
  const entry = (i: number, j: number): number => Math.sin(3 * i + j);
  const A = array(
    Array.from({ length: m }, (_, i) => Array.from({ length: k }, (_, j) => entry(i, j))),
    { dtype: "float64" },
  );
  const g = array(
    Array.from({ length: m }, (_, i) => [i - 1.5]),
    { dtype: "float64" },
  );
  const run = compile((a: Tensor, b: Tensor) => ({ column: matmul(a.transpose(), b), whole: a.transpose() }));
  const { column, whole } = await run(A, g);
  const [found, transposed] = [(await column.read()).data, (await whole.read()).data];
  for (let j = 0; j < k; j++) {
    const sum = Array.from({ length: m }, (_, i) => entry(i, j) * (i - 1.5)).reduce((a, b) => a + b);
    expect(found[j]).toBeCloseTo(sum, 12);
    for (let i = 0; i < m; i++) expect(transposed[j * m + i]).toBe(entry(i, j));
  }
});

test("a number before an array is read once for all of it, on either side of what does not commute", async () => {
  const x = array([1, 2, 4], { dtype: "float64" });
  const one = array([[3]], { dtype: "float64" });
  const run = compile((a: Tensor, b: Tensor) => [a.sub(b), b.sub(a), a.div(b)]);
  const found = await Promise.all((await run(one, x)).map((y) => y.read()));
  expect(found.map(({ data }) => [...data])).toEqual([
    [2, 1, -1],
    [-2, -1, 1],
    [3, 1.5, 0.75],
  ]);
});
