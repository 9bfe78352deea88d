// Threads are for programs that do most of their work in operations worth sharing out.
import { availableParallelism } from "node:os";
import { scan, type Tensor } from "@pliant/engine";
import { afterEach, describe, expect, test, vi } from "vitest";

import { isMostlyLarge, usualThreads } from "../src/onnx/runtime/threads.js";
import { input } from "../src/tensor.js";

const of = (...shape: number[]): Tensor => input("x", { shape, dtype: "float32" });
const isLarge = (...outputs: Tensor[]): boolean => isMostlyLarge({ inputs: [], outputs });

describe("a program is mostly large", () => {
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

  test("by what large operations do of all the work, not by one that is", () => {
    const among = (many: number): Tensor => {
      let small = of(14_000).exp();
      for (let i = 0; i < many; i++) small = small.tanh();
      return of(5, 2800, 8).tanh().sum().add(small.sum());
    };
    expect(isLarge(among(2))).toBe(true);
    expect(isLarge(among(20))).toBe(false);
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

describe("the default number of threads", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("are as many as OMP_NUM_THREADS says", () => {
    vi.stubEnv("OMP_NUM_THREADS", "3");
    expect(usualThreads()).toBe(3);
  });

  test.each(["", "0", "-2", "1.5", "4,2"])("are the processors' where it says %j", (said) => {
    vi.stubEnv("OMP_NUM_THREADS", said);
    expect(usualThreads()).toBe(availableParallelism());
  });
});
