// Lanes: simultaneous calls of several computations are one stacked call, and each gets the result that it would get alone.
import {
  array,
  type Backend,
  compile,
  constant,
  grad,
  lanes,
  loop,
  type NdArray,
  random,
  readAll,
  reference,
  type Stored,
  type Tensor,
} from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { describe, expect, test } from "vitest";

/** A back end that notes the shape of the first output of every program that it runs. */
function counted(base: Backend): Backend & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    ...base,
    calls,
    async compile(program, options) {
      const made = await base.compile(program, options);
      const note = (): void => void calls.push(program.outputs[0].shape.join());
      return {
        run: (inputs) => {
          note();
          return made.run(inputs);
        },
        bind: (inputs, results) => {
          const turn = made.bind!(inputs, results);
          return () => {
            note();
            return turn();
          };
        },
        release: () => made.release(),
      };
    },
  };
}

const x = array([
  [1, 2],
  [3, -1],
  [0.5, 4],
]);
const y = array([1, 0, 2]);
const loss = (w: Tensor): Tensor => constant(x).matmul(w).sub(constant(y)).pow(2).mean();
const descent = (backend: Backend) =>
  loop(
    (w: Tensor, _: Record<string, Tensor>, { rate }: { rate: Tensor }) => ({
      state: w.sub(grad(loss)(w).mul(rate)),
      record: { loss: loss(w) },
    }),
    { backend },
  );

/** So many steps in chunks of 5, by lane. */
async function descend(backend: Backend, first: NdArray, steps: number, rate = 0.01) {
  const run = descent(backend);
  let w: unknown = first;
  const seen: number[] = [];
  for (let done = 0; done < steps; done += 5) {
    const { state, record } = await run(w as never, {}, { rate: array(new Array(5).fill(rate)) } as never);
    seen.push(...Array.from(((await readAll(record as never)) as { loss: NdArray }).loss.data));
    w = state;
  }
  return { w: await (w as unknown as NdArray).read(), seen };
}

const firsts = [array([0, 0]), array([1, -1]), array([3, 2])];

describe.each([
  ["reference", async () => reference()],
  ["onnx", () => onnx({ threads: 1 })],
])("on %s", (_, open) => {
  test("each lane has the numbers it would have had alone, to the bit, also when some are done before", async () => {
    const base = await open();
    const steps = [10, 25, 15];
    const seats = lanes(base, 3);
    const together = await Promise.all(
      firsts.map(async (w, i) => {
        const found = await descend(seats[i], w, steps[i], 0.01 * (i + 1));
        await seats[i].close();
        return found;
      }),
    );
    for (const [i, w] of firsts.entries()) {
      const alone = await descend(base, w, steps[i], 0.01 * (i + 1));
      expect(together[i].seen).toHaveLength(steps[i]);
      for (const [k, value] of alone.seen.entries())
        expect(Math.abs(together[i].seen[k] - value)).toBeLessThanOrEqual(2 ** -22 * Math.abs(value));
      for (const [k, value] of Array.from(alone.w.data).entries())
        expect(Math.abs(together[i].w.data[k] - value)).toBeLessThanOrEqual(
          2 ** -20 * Math.abs(value) + 1e-7,
        );
    }
    await base.close();
  });
});

describe("lanes that are done leave the stack", () => {
  const rows = random.normal(random.key(1), [3000, 4]);
  const wanted = random.normal(random.key(2), [3000, 1]);
  const keys = random.split(random.key(3), 12);
  const start = (lane: number) =>
    [[4, 8], [8], [8, 1], [1]].map((shape, i) => random.normal(keys[4 * lane + i], shape));
  const miss = ([w, b, v, c]: Tensor[], x: Tensor): Tensor =>
    x.matmul(w).add(b).tanh().matmul(v).add(c).sub(constant(wanted)).pow(2).mean();

  /** What each lane came to after so many steps of its own. */
  const fitted = async (base: Backend, steps: readonly number[]): Promise<number[][]> => {
    const seats = lanes(base, steps.length);
    return Promise.all(
      steps.map(async (mine, i) => {
        const run = loop(
          (state: Tensor[], { x }: { x: Tensor }, { rate }: { rate: Tensor }) => ({
            state: grad((s: Tensor[]) => miss(s, x))(state).map((g, k) => state[k].sub(g.mul(rate))),
            record: { loss: miss(state, x) },
          }),
          { backend: seats[i] },
        );
        const data = { x: seats[i].put(rows) };
        let state: unknown = start(i);
        for (let done = 0; done < mine; done += 25)
          ({ state } = await run(state as never, data as never, { rate: array(new Array(25).fill(0.1)) }));
        const found = await Promise.all((state as Stored[]).map((x) => x.read()));
        await seats[i].close();
        return found.flatMap(({ data: numbers }) => Array.from(numbers));
      }),
    );
  };

  test("and those that stay have the same numbers, to the bit", async () => {
    const base = counted(await onnx({ threads: 1 }));
    const widths = (): Set<string> => new Set(base.calls.map((shape) => shape.split(",")[0]));
    const stayed = await fitted(base, [400, 400, 400]);
    expect(widths()).toEqual(new Set(["3"]));
    const left = await fitted(base, [25, 400, 25]);
    expect(widths()).toEqual(new Set(["3", "2"]));
    expect(left[1]).toEqual(stayed[1]);
    await base.close();
  });
});

test("lanes that are a step apart meet again at what costs most, in as many calls as one needs", async () => {
  const base = counted(await onnx({ threads: 1 }));
  const seats = lanes(base, 3);
  await Promise.all(
    firsts.map(async (w, i) => {
      // One lane has something of its own to ask first.
      if (i === 1) await compile((v: Tensor) => v.sum(), { backend: seats[i] })(w);
      await descend(seats[i], w, 20);
      await seats[i].close();
    }),
  );
  expect(base.calls.filter((shape) => shape === "3,2")).toHaveLength(20);
  expect(base.calls).toHaveLength(21);
  await base.close();
});

test("inputs that are the same in all lanes are not stacked, and different ones are", async () => {
  const base = counted(reference());
  const seats = lanes(base, 2);
  const answers = await Promise.all(
    seats.map(async (backend, i) => {
      const f = compile((a: Tensor, b: Tensor) => a.sum().add(b.sum()), { backend });
      const found = await f(backend.put(array([1, 2, 3])), backend.put(array([10 * i])));
      const value = (await found.read()).item();
      await backend.close();
      return value;
    }),
  );
  expect(answers).toEqual([6, 16]);
  expect(base.calls).toEqual(["2"]);
});

test("a lane that fails leaves the others to go on", async () => {
  const seats = lanes(reference(), 2);
  const [failed, found] = await Promise.allSettled(
    seats.map(async (backend, i) => {
      try {
        if (i === 0) throw new Error("nothing to do with it");
        return (await (await compile((v: Tensor) => v.mul(2), { backend })(array([1, 2]))).read()).data[1];
      } finally {
        await backend.close();
      }
    }),
  );
  expect(failed.status).toBe("rejected");
  expect(found).toEqual({ status: "fulfilled", value: 4 });
});

test("what a lane places goes into one program, alone or beside others", async () => {
  let made = 0;
  const host = reference();
  const base: Backend = {
    ...host,
    compile: (program, options) => {
      made++;
      return host.compile(program, options);
    },
  };
  const [first, second] = lanes(base, 2);
  const total = async (backend: Backend, v: NdArray): Promise<number> => {
    const sum = compile((a: Tensor) => a.sum(), { backend });
    return (await (await sum(backend.place!(v) as never)).read()).item();
  };
  expect(await Promise.all([total(first, array([1, 2])), total(second, array([3, 4]))])).toEqual([3, 7]);
  await second.close();
  expect(await total(first, array([5, 6]))).toBe(11);
  expect(made).toBe(1);
  await first.close();
});
