// One program over four devices, which XLA makes of a CPU, against the program itself: batches and stacks in parts.
import {
  array,
  compile,
  full,
  grad,
  loop,
  type NdArray,
  random,
  readAll,
  shard,
  stack as stacked,
  type Tensor,
  zipTrees,
} from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { xla } from "@pliant/engine/xla";
import { afterAll, describe, expect, test } from "vitest";
import { disagreement } from "./agreement.js";

const options = { precision: "float32", preallocate: false } as const;
const four = await xla({ ...options, hostDevices: 4, devices: 4 }).catch((reason: Error) => {
  console.log(`Skipped: XLA makes no four devices here: ${reason.message}`);
  return undefined;
});
afterAll(async () => {
  await four?.close();
});

interface Params<T> {
  w: T;
  v: T;
}
const params: Params<NdArray> = {
  w: random.normal(random.key(1), [6, 8]),
  v: random.normal(random.key(2), [8, 3]),
};
const x = random.normal(random.key(3), [32, 6]);
const y = random.randint(random.key(4), [32], 0, 3);

const loss = ({ w, v }: Params<Tensor>, x: Tensor, y: Tensor) =>
  x.matmul(w).tanh().matmul(v).logSoftmax().pick(y).mean().neg();

/** A step of descent whose batch lies in parts. */
const step = (p: Params<Tensor>, x: Tensor, y: Tensor) => {
  const g = grad(loss)(p, shard(x), shard(y));
  return {
    next: zipTrees((t, d) => t.sub(d.mul(0.5)), p, g),
    value: loss(p, shard(x), shard(y)),
    rows: shard(x.mul(2)),
  };
};

describe.skipIf(!four)("over four devices", () => {
  test("a step on a batch in parts is the step on the batch, again and again", async () => {
    const spread = compile(step, { backend: four });
    let given: [Params<NdArray>, NdArray, NdArray] = [params, x, y];
    let made = await spread(...given);
    for (let i = 0; i < 3; i++) {
      const got = await readAll(made);
      expect(disagreement(step, given, got)).toBeUndefined();
      given = [got.next, got.rows, y];
      // The parameters and the rows, as they lie.
      made = await spread(made.next as never, made.rows as never, y);
    }
  });

  test("each device holds its part: a quarter of the bytes, and the sum is exchanged", async () => {
    const big = full([4096, 64], 1);
    const before = four!.client.live.bytes;
    const rows = await compile((x: Tensor) => shard(shard(x).add(1)), { backend: four })(big);
    expect(four!.client.live.bytes - before).toBe(4 * big.size);
    const total = await compile((x: Tensor) => shard(x).sum(), { backend: four })(rows);
    expect((await total.read()).item()).toBe(2 * big.size);
  });

  test("a stack of models in parts trains as each of them alone, in one loop", async () => {
    const stack = {
      w: random.normal(random.key(5), [8, 6, 8]),
      v: random.normal(random.key(6), [8, 8, 3]),
    };
    const step = (s: Params<Tensor>, d: { x: Tensor; y: Tensor }, rows: Tensor) => {
      const p = { w: shard(s.w), v: shard(s.v) };
      const [bx, by] = [d.x.gather(rows), d.y.gather(rows)];
      const each = ({ w, v }: Params<Tensor>) =>
        bx
          .matmul(w)
          .tanh()
          .matmul(v)
          .logSoftmax()
          .mul(by.oneHot(3))
          .sum({ axis: [1, 2] });
      const g = grad((q: Params<Tensor>) => each(q).sum().neg())(p);
      return { state: zipTrees((t, d) => t.sub(d.mul(0.05)), p, g), record: each(p) };
    };
    const writtenOut = (s: Params<Tensor>, d: { x: Tensor; y: Tensor }, batches: Tensor) => {
      let state = s;
      const records = Array.from({ length: 6 }, (_, t) => {
        const done = step(state, d, batches.slice([[t, t + 1]]).squeeze(0));
        state = done.state;
        return done.record;
      });
      return { state, record: stacked(records) };
    };
    const batches = random.randint(random.key(7), [6, 4], 0, 32);
    const got = await readAll(await loop(step, { backend: four })(stack, { x, y }, batches));
    expect(disagreement(writtenOut, [stack, { x, y }, batches], got)).toBeUndefined();
  });

  test("parts along a later axis come together as they were", async () => {
    const z = random.normal(random.key(8), [3, 8, 5]);
    const back = await compile((z: Tensor) => shard(shard(z, 1).mul(1), 1), { backend: four })(z);
    expect((await back.read()).toNested()).toEqual(z.toNested());
  });

  test("axes that do not divide evenly are refused, as are missing devices", async () => {
    await expect(compile((x: Tensor) => shard(x), { backend: four })(array([1, 2, 3]))).rejects.toThrow(
      "shard: axis 0 of float32[3] cannot be shared among 4 devices; its size is no multiple of 4.",
    );
    await expect(xla({ ...options, devices: 300 })).rejects.toThrow(
      /300 devices were asked for; XLA sees \d+ here\./,
    );
  });
});

test("elsewhere it is the array itself, and its gradient", async () => {
  const backend = await onnx({ threads: 1 });
  for (const b of [undefined, backend]) {
    const run = compile((x: Tensor) => [shard(x), grad((x: Tensor) => shard(x).pow(2).sum())(x)], {
      backend: b,
    });
    const [y, g] = await readAll(await run(array([1, 2])));
    expect([y.toNested(), g.toNested()]).toEqual([
      [1, 2],
      [2, 4],
    ]);
  }
  await backend.close();
});
