// A torch stream as the source of a model's initial numbers.
import type { TorchStream } from "@pliant/data";
import { NdArray } from "@pliant/engine";
import type { Draws } from "@pliant/learn";

export const torchDraws = (stream: TorchStream): Draws => ({
  uniform: (shape, low, high) => {
    const size = shape.reduce((n, d) => n * d, 1);
    return new NdArray(stream.uniform(size, low, high), shape);
  },
});
