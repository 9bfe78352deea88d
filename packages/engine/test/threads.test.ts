// Threads are for programs in which some operation is worth sharing out.
import { scan, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";

import { hasLargeOperations } from "../src/onnx/runtime/threads.js";
import { input } from "../src/tensor.js";

const of = (...shape: number[]): Tensor => input("x", { shape, dtype: "float32" });
const isLarge = (...outputs: Tensor[]): boolean => hasLargeOperations({ inputs: [], outputs });

describe("a program has large operations", () => {
  test("by the products of the largest one, not by how many there are", () => {
    let small = of(14_000, 19).matmul(of(19, 1));
    for (let i = 0; i < 200; i++) small = small.tanh();
    expect(isLarge(small.sum())).toBe(false);
    expect(isLarge(of(14_000, 19).matmul(of(19, 64)))).toBe(true);
  });

  test("by elements that are worked on one by one, or summed up", () => {
    expect(isLarge(of(90_000).exp())).toBe(false);
    expect(isLarge(of(200_000).exp())).toBe(true);
    expect(isLarge(of(200_000).sum())).toBe(true);
    expect(isLarge(of(200_000).reshape([1000, 200]))).toBe(false);
  });

  test("where a loop has them in its body", () => {
    const looped = (rows: number): Tensor =>
      scan(
        (state: Tensor, part: Tensor) => ({ state: state.add(part.matmul(of(30, 30)).sum()), record: {} }),
        of(),
        of(4, rows, 30),
      ).state as Tensor;
    expect(isLarge(looped(100))).toBe(false);
    expect(isLarge(looped(10_000))).toBe(true);
  });
});
