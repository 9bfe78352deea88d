// A loop is its steps, to the last bit: against calls by hand, across a save and a load, and on each back end.
import {
  array,
  broadcastTo,
  compile,
  EngineError,
  full,
  leaves,
  loop,
  mapTree,
  NdArray,
  readAll,
  reference,
  type Stored,
  type Tensor,
} from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { afterAll, describe, expect, test } from "vitest";
import { batches, decode, encode, examples, type State, start, step } from "./training.js";

const native = await onnx();
afterAll(() => native.close());

/** Every leaf as bytes, by its path. */
const bytesOf = async (tree: unknown): Promise<Record<string, string>> => {
  const read = leaves(await readAll(tree));
  return Object.fromEntries(read.map(({ leaf, path }) => [path, JSON.stringify(encode(leaf as NdArray))]));
};

const row = ({ data, shape, dtype }: NdArray, i: number): NdArray => {
  const size = data.length / shape[0];
  return new NdArray(data.slice(i * size, (i + 1) * size), shape.slice(1), dtype);
};

describe.each(["reference", "onnx"] as const)("a loop on %s", (name) => {
  const backend = name === "onnx" ? native : reference();
  const data = examples(1);

  // The onnx back end runs eight small steps per call.
  test.each([9, 21])("of %d steps equals a hand loop of compiled calls, bit for bit", async (steps) => {
    const slices = batches(2, 0, steps);
    const looped = await loop(step, { backend })(start(3), data, slices);
    const call = compile(step, { backend });
    let state: State<Stored> = start(3);
    const records: Record<string, string>[] = [];
    for (let i = 0; i < steps; i++) {
      const done = await call(state, data, { rows: row(slices.rows, i) });
      state = done.state;
      records.push(await bytesOf(done.record));
    }
    expect(await bytesOf(looped.state)).toEqual(await bytesOf(state));
    const { loss, conv } = await readAll(looped.record);
    expect([loss.shape, conv.shape]).toEqual([[steps], [steps, 4, 1, 3, 3]]);
    for (let i = 0; i < steps; i++) {
      expect(await bytesOf({ loss: row(loss, i), conv: row(conv, i) })).toEqual(records[i]);
    }
  });

  test("learns", async () => {
    const { record } = await loop(step, { backend })(start(3), data, batches(2, 0, 200));
    const { data: losses } = await record.loss.read();
    const mean = (from: number, to: number) =>
      [...losses.subarray(from, to)].reduce((sum, v) => sum + v, 0) / (to - from);
    expect(mean(0, 10)).toBeGreaterThan(0.9);
    expect(mean(190, 200)).toBeLessThan(0.3);
  });

  test("resumed from a saved state is bit-identical to one that was not interrupted", async () => {
    const train = loop(step, { backend });
    const whole = await train(start(5), data, batches(6, 0, 20));

    const first = await train(start(5), data, batches(6, 0, 7));
    const saved = JSON.stringify(mapTree(await readAll(first.state), encode));
    const loaded = JSON.parse(saved) as State<unknown>;
    const state = mapTree(start(5), (_: NdArray, path) => decode(at(loaded, path))) as State<NdArray>;
    const second = await loop(step, { backend })(state, data, batches(6, 7, 20));

    expect(await bytesOf(second.state)).toEqual(await bytesOf(whole.state));
    const losses = async (r: { loss: Stored }) => [...(await r.loss.read()).data];
    expect([...(await losses(first.record)), ...(await losses(second.record))]).toEqual(
      await losses(whole.record),
    );
  });

  test("writes into none of the caller's arrays, and into no result it has given", async () => {
    const given = [start(3), data, batches(2, 0, 5)] as const;
    const before = await bytesOf(given);
    const train = loop(step, { backend });
    const once = await train(...given);
    expect(await bytesOf(given)).toEqual(before);
    const kept = await bytesOf(once);
    await train(once.state, data, batches(2, 5, 11));
    expect(await bytesOf(once)).toEqual(kept);
    expect(await bytesOf(given)).toEqual(before);
  });

  test("takes state that passes through, is swapped, or is set to a constant", async () => {
    const odd = loop(
      (s: { a: Tensor; b: Tensor; same: Tensor; fixed: Tensor }, by: Tensor, x: Tensor) => ({
        state: { a: s.b, b: s.a.add(x.mul(by)), same: s.same, fixed: broadcastTo(array([7, 7]), [2]) },
        record: { same: s.same, a: s.a, by, x },
      }),
      { backend },
    );
    const numbers = (...v: number[]) => array(v);
    const state = { a: numbers(1, 2), b: numbers(3, 4), same: numbers(5), fixed: numbers(0, 0) };
    const done = await readAll(await odd(state, 10, array([1, 2, 3])));
    // (a, b): (1, 3) → (3, 11) → (11, 23) → (23, 41)
    expect(mapTree(done.state, (x: NdArray) => x.toNested())).toEqual({
      a: [23, 24],
      b: [41, 42],
      same: [5],
      fixed: [7, 7],
    });
    expect(mapTree(done.record, (x: NdArray) => x.toNested())).toEqual({
      same: [[5], [5], [5]],
      a: [
        [1, 2],
        [3, 4],
        [11, 12],
      ],
      by: [10, 10, 10],
      x: [1, 2, 3],
    });
  });

  test("without steps returns the state and records of length 0", async () => {
    const { state, record } = await loop(step, { backend })(start(3), data, batches(2, 4, 4));
    expect(await bytesOf(state)).toEqual(await bytesOf(start(3)));
    expect([record.loss.shape, record.conv.shape]).toEqual([[0], [0, 4, 1, 3, 3]]);
  });

  test("is compiled once, however many steps it runs", async () => {
    const train = loop(step, { backend });
    for (const to of [2, 7, 3]) await train(start(3), data, batches(2, 0, to));
    expect(train.compilations).toBe(1);
  });
});

/** The part of a tree that a path (`.params.dense.w`) leads to. */
const at = (tree: unknown, path: string): unknown =>
  path
    .split(".")
    .slice(1)
    .reduce((t, key) => (t as Record<string, unknown>)[key], tree);

describe("a loop refuses", () => {
  const failure = async (run: () => Promise<unknown>): Promise<string> => {
    const error = await run().then(
      () => undefined,
      (e) => e,
    );
    expect(error).toBeInstanceOf(EngineError);
    return (error as EngineError).message;
  };
  const counted = (result: (s: { n: Tensor }, x: { v: Tensor; w?: Tensor }) => unknown) =>
    loop((s: { n: Tensor }, _: object, x: { v: Tensor; w?: Tensor }) => result(s, x) as never);
  const state = { n: array([1, 2]) };
  const keep = counted((s) => ({ state: s, record: {} }));

  test("slices of different length", async () => {
    const message = await failure(() => keep(state, {}, { v: full([3, 2], 0), w: full([4], 0) }));
    expect(message).toBe(
      "loop: slices need one leading axis of equal length, the number of steps; got float32[3,2], float32[4].",
    );
  });

  test("slices without a leading axis, and no slices", async () => {
    expect(await failure(() => keep(state, {}, { v: full([], 0) }))).toContain("got float32[]");
    expect(await failure(() => keep(state, {}, {} as never))).toContain("got none");
  });

  test("a state that changes its shape, or its dtype", async () => {
    const grows = counted((s) => ({ state: { n: s.n.reshape([2, 1]) }, record: {} }));
    expect(await failure(() => grows(state, {}, { v: full([3], 0) }))).toBe(
      "loop: state.n enters a step as float32[2] and leaves it as float32[2,1].",
    );
    const casts = counted((s) => ({ state: { n: s.n.cast("int32") }, record: {} }));
    expect(await failure(() => casts(state, {}, { v: full([3], 0) }))).toBe(
      "loop: state.n enters a step as float32[2] and leaves it as int32[2].",
    );
  });

  test("a state that changes its form", async () => {
    const sentence = "loop: the step's next state must have the form of the state it was given.";
    for (const next of [{}, { m: 1 }, { n: 1, m: 1 }, { n: [1] }, 1]) {
      const changes = counted(() => ({ state: next, record: {} }));
      expect(await failure(() => changes(state, {}, { v: full([3], 0) }))).toBe(sentence);
    }
  });

  test("a step that does not return a state and a record", async () => {
    const given = (result: unknown) => failure(() => counted(() => result)(state, {}, { v: full([3], 0) }));
    expect(await given(undefined)).toBe("loop: a step returns { state, record }, not undefined.");
    expect(await given(Promise.resolve())).toBe("loop: a step returns { state, record }, not a promise.");
    expect(await given({ state })).toBe("loop: a step returns { state, record }, not an object.");
    expect(await given({ state, record: undefined })).toContain("is undefined");
  });

  test("arguments that are not arrays", async () => {
    expect(await failure(() => keep({ n: Float32Array.of(1) as never }, {}, { v: full([3], 0) }))).toContain(
      "Argument .n is a bare typed array",
    );
  });
});
