// The numbers of torch's CPU generator: `torch.manual_seed(seed)`, then `rand`/`uniform_` in float32 and `randperm`.

import { mt19937 } from "./mt19937.js";
import { upTo } from "./up-to.js";

/** A sequence of draws; each call goes on where the last one stopped. */
export interface TorchStream {
  /** n numbers uniform on [low, high), as `torch.empty(n).uniform_(low, high)`. */
  uniform(n: number, low?: number, high?: number): Float32Array<ArrayBuffer>;
  /** The numbers 0 to n − 1 in random order, as `torch.randperm(n)`. */
  permutation(n: number): Int32Array<ArrayBuffer>;
}

const { fround } = Math;

/** The stream of torch's CPU generator under this seed. */
export function torchStream(seed: number): TorchStream {
  const next32 = mt19937(seed);
  return {
    uniform(n, low = 0, high = 1) {
      const from = fround(low);
      const width = fround(fround(high) - from);
      // 24 random bits, then a fused multiply-add: the product is exact in a double, and one rounding makes the float32.
      return new Float32Array(n).map(() => (next32() & 0xffffff) * 2 ** -24 * width + from);
    },
    permutation(n) {
      const order = upTo(n);
      for (let i = 0; i < n - 1; i++) {
        const j = i + (next32() % (n - i));
        const taken = order[i];
        order[i] = order[j];
        order[j] = taken;
      }
      return order;
    },
  };
}
