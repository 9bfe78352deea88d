// What a program becomes as an ONNX model.
import type { Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { count } from "./emission.js";

describe("a convolution", () => {
  test("adds its bias itself", () => {
    expect(count("Conv", (x, w, b) => x.conv2d(w).add(b))).toBe(1);
    expect(count("Add", (x, w, b) => x.conv2d(w).add(b))).toBe(0);
  });

  test("read with its bias and without is computed once", () => {
    const twice = (x: Tensor, w: Tensor, b: Tensor) => {
      const y = x.conv2d(w);
      return [y.add(b), y.tanh()];
    };
    expect(count("Conv", twice)).toBe(1);
    expect(count("Add", twice)).toBe(1);
  });
});
