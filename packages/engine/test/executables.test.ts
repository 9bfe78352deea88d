// Executables are shared between functions that compute the same, and let go when nobody uses them.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  array,
  type Backend,
  compile,
  loop,
  NdArray,
  reference,
  type Tensor,
  valueAndGrad,
} from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import * as ort from "onnxruntime-node";
import { describe, expect, test } from "vitest";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** The runtime, with a count of the sessions that are alive. */
function counted() {
  const sessions = { alive: 0 };
  const create = async (...args: Parameters<typeof ort.InferenceSession.create>) => {
    const session = await ort.InferenceSession.create(...args);
    const release = session.release.bind(session);
    sessions.alive++;
    session.release = () => {
      sessions.alive--;
      return release();
    };
    return session;
  };
  const InferenceSession = { ...ort.InferenceSession, create } as unknown as typeof ort.InferenceSession;
  return { sessions, runtime: { InferenceSession, Tensor: ort.Tensor, env: ort.env } };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 10));
/** What stays for a while without a user. */
const kept = 16;

describe("sessions of ONNX Runtime", () => {
  test("1,000 functions compiled and released leave neither sessions nor memory", {
    timeout: 600_000,
  }, async () => {
    const { sessions, runtime } = counted();
    const backend = await onnx({ runtime, threads: 1 });
    const before = sessions.alive;
    const cycles = async (from: number, to: number): Promise<number> => {
      for (let i = from; i < to; i++) {
        const f = compile((x: Tensor) => x.mul(i).tanh().sum(), { backend });
        await f(array([1, 2, 3]));
        f.release();
      }
      collect();
      await turn();
      return process.memoryUsage().rss;
    };
    const start = await cycles(0, 100);
    const grown = (await cycles(100, 1000)) - start;
    console.log(`900 cycles: ${(grown / 2 ** 20).toFixed(1)} MB, ${sessions.alive - before} sessions`);
    expect(sessions.alive - before).toBeLessThanOrEqual(kept);
    // A session of this program holds about 0.3 MB.
    expect(grown).toBeLessThan(40 * 2 ** 20);
    await backend.close();
    expect(sessions.alive).toBe(before);
  });

  test("functions nobody holds give back theirs", async () => {
    const { sessions, runtime } = counted();
    const backend = await onnx({ runtime, threads: 1 });
    for (let i = 0; i < 60; i++) {
      await compile((x: Tensor) => x.add(i).exp(), { backend })(array([1]));
      await loop((x: Tensor, d: Tensor, s: Tensor) => ({ state: x.add(d).mul(s).sub(i), record: x }), {
        backend,
      })(array([1]), array([1]), array([1, 2]));
    }
    for (let i = 0; i < 20 && sessions.alive > kept; i++) {
      collect();
      await turn();
    }
    expect(sessions.alive).toBeLessThanOrEqual(kept);
    await backend.close();
  });

  test("a function in use keeps its executable, however many others come and go", async () => {
    const { sessions, runtime } = counted();
    const backend = await onnx({ runtime, threads: 1 });
    const mine = compile((x: Tensor) => x.mul(7), { backend });
    await mine(array([1]));
    for (let i = 0; i < 2 * kept; i++) {
      const other = compile((x: Tensor) => x.sub(i), { backend });
      await other(array([1]));
      other.release();
    }
    await turn();
    const { alive } = sessions;
    expect((await (await mine(array([2]))).read()).toNested()).toEqual([14]);
    expect(sessions.alive).toBe(alive);
    mine.release();
    expect((await (await mine(array([3]))).read()).toNested()).toEqual([21]);
    await backend.close();
  });

  test("closing waits for what runs, and what comes after is answered in a sentence", async () => {
    const backend = await onnx({ threads: 1 });
    const f = compile((x: Tensor) => x.matmul(x).matmul(x).sum(), { backend });
    const x = new NdArray(new Float32Array(300 * 300).fill(0.1), [300, 300]);
    const expected = (await (await f(x)).read()).item();
    const runs = [f(x), f(x), f(x)];
    await turn();
    const late = f(x);
    await Promise.all([backend.close(), backend.close()]);
    for (const run of runs) expect((await (await run).read()).item()).toBe(expected);
    await late.then(
      async (y) => expect((await y.read()).item()).toBe(expected),
      (reason) => expect(reason.message).toMatch(/released, or its back end closed/),
    );
    await expect(f(x)).rejects.toThrow(/released, or its back end closed/);
    await expect(compile((x: Tensor) => x.neg(), { backend })(x)).rejects.toThrow(
      "The onnx back end was closed",
    );
  });
});

test("loops that compute the same share what a back end makes of them whole", async () => {
  const counts = { made: 0, released: 0 };
  const plain = reference();
  const backend: Backend = {
    ...plain,
    async compileLoop(program, steps) {
      counts.made++;
      return {
        release: () => void counts.released++,
        run: async ({ states }) => ({
          states: [...states],
          records: program.outputs
            .slice(program.states)
            .map(
              ({ shape, dtype }) =>
                new NdArray(
                  new Float32Array(steps * shape.reduce((n, d) => n * d, 1)),
                  [steps, ...shape],
                  dtype,
                ),
            ),
        }),
      };
    },
  };
  const make = (n: number) =>
    loop((x: Tensor, _: Tensor, s: Tensor) => ({ state: x.mul(s), record: x.sum().add(n) }), { backend });
  const [a, b, c] = [make(1), make(1), make(2)];
  for (const run of [a, b, c]) await run(array([1, 2]), array([0]), array([1, 2, 3]));
  expect(counts.made).toBe(2);
  await a(array([1, 2]), array([0]), array([1, 2]));
  expect(counts.made).toBe(3);
  for (const run of [a, b, c]) run.release();
  expect(counts.released).toBe(0);
});

test("a chain of 3,000 operations and its gradient", async () => {
  const chain = (x: Tensor): Tensor => {
    let y = x;
    for (let i = 0; i < 1000; i++)
      y = y
        .mul(1.0001)
        .add(0.0001 * i)
        .tanh();
    return y.sum();
  };
  const native = await onnx({ threads: 1 });
  const start = process.cpuUsage().user;
  const x = array([0.1, 0.2, 0.3]);
  const { value, gradient } = await compile(valueAndGrad(chain), { backend: native })(x);
  console.log(
    `compiled on onnx in ${((process.cpuUsage().user - start) / 1e6).toFixed(2)} s of processor time`,
  );
  const wanted = await compile(valueAndGrad(chain))(x);
  expect((await value.read()).item()).toBeCloseTo((await wanted.value.read()).item(), 4);
  const [got, exact] = [await gradient.read(), await wanted.gradient.read()];
  for (let i = 0; i < 3; i++) expect(got.data[i] / exact.data[i]).toBeCloseTo(1, 2);
  await native.close();
});
