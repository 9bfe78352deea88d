// Computing again: the same gradients, the insides of a checkpointed function computed twice on every back end, whatever its
// optimiser thinks of that, and less memory for it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Backend,
  checkpoint,
  compile,
  constant,
  full,
  grad,
  jvp,
  random,
  readAll,
  reference,
  scan,
  type Tensor,
  valueAndGrad,
} from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { toStableHlo, xla } from "@pliant/engine/xla";
import ort from "onnxruntime-node";
import { afterAll, describe, expect, test } from "vitest";
import { trace } from "../src/compile.js";
import { topological } from "../src/graph.js";
import { disagreement } from "./agreement.js";

const onXla = await xla({ precision: "float32", preallocate: false }).catch(() => undefined);
if (!onXla) console.log("Skipped on xla, which does not run here.");
const folder = mkdtempSync(join(tmpdir(), "pliant-checkpoint-"));

/** The native runtime, which also writes down what its optimiser made of a model. */
const written: string[] = [];
const recording = {
  ...ort,
  InferenceSession: {
    ...ort.InferenceSession,
    create: (model: Uint8Array, options: object) => {
      const optimizedModelFilePath = join(folder, `${written.length}.onnx`);
      written.push(optimizedModelFilePath);
      return ort.InferenceSession.create(model, { ...options, optimizedModelFilePath });
    },
  },
} as unknown as typeof ort;
const native = await onnx({ runtime: recording, threads: 1 });
const backends: Backend[] = [reference(), native, ...(onXla ? [onXla] : [])];
afterAll(async () => {
  for (const backend of backends) await backend.close();
  rmSync(folder, { recursive: true });
});

type Block = (x: Tensor, w: Tensor) => Tensor;
const block: Block = (x, w) => x.matmul(w).tanh().sin().mul(x).tanh();

/** A chain of blocks and its gradient in the weights and in what came in. */
const chain = (wrap: (f: Block) => Block, length = 3) =>
  valueAndGrad(({ x, w }: { x: Tensor; w: Tensor }) => {
    let y = x;
    for (let i = 0; i < length; i++) y = wrap(block)(y, w);
    return y.pow(2).sum();
  });
const plain = (f: Block): Block => f;

const given = { x: random.normal(random.key(1), [4, 5]), w: random.normal(random.key(2), [5, 5]) };

describe.each(backends)("on $name", (backend) => {
  test("gradients are the same", async () => {
    const got = await readAll(await compile(chain(checkpoint), { backend })(given));
    expect(disagreement(chain(plain), [given], got)).toBeUndefined();
  });

  test("second and directional derivatives are the same, also for values that a block closes over", async () => {
    const f = (wrap: (f: Block) => Block) => (w: Tensor) => {
      const closing = wrap((x) => block(x, w));
      return closing(closing(constant(full([4, 5], 0.3)), w), w).sum();
    };
    const all = (wrap: (f: Block) => Block) => (w: Tensor) => ({
      along: jvp(f(wrap))(w, w).tangent,
      second: grad((v: Tensor) => grad(f(wrap))(v).pow(2).sum())(w),
    });
    const got = await readAll(await compile(all(checkpoint), { backend })(given.w));
    expect(disagreement(all(plain), [given.w], got)).toBeUndefined();
  });
});

const sines = (wrap: (f: Block) => Block): number => {
  const { program } = trace(chain(wrap), [given]);
  return topological(program.outputs).filter(({ op }) => op.name === "sin").length;
};

test("each block's insides are computed twice in the program, once without", () => {
  expect([sines(plain), sines(checkpoint)]).toEqual([3, 6]);
  const forward = trace((x: Tensor, w: Tensor) => checkpoint(block)(x, w), [given.x, given.w]);
  expect(topological(forward.program.outputs).filter(({ op }) => op.name === "after")).toEqual([]);
});

test("ONNX Runtime's optimiser leaves it so", async () => {
  // An operator's type is field 4 of its message: a tag, the length and the letters.
  const inModel = (path: string) => readFileSync(path, "latin1").split('"\u0003Sin').length - 1;
  for (const [wrap, wanted] of [
    [plain, 3],
    [checkpoint, 6],
  ] as const) {
    await compile(chain(wrap), { backend: native })({ ...given, x: full([6, 5], 1) });
    expect(inModel(written[written.length - 1])).toBe(wanted);
  }
});

/** Blocks that make eight arrays each for one that they are given. */
const heavy = (x: Tensor): Tensor => {
  let y = x;
  for (let i = 0; i < 4; i++) y = y.sin().mul(y.cos());
  return y;
};
const tower = (wrap: (f: (x: Tensor) => Tensor) => (x: Tensor) => Tensor) =>
  grad((x: Tensor) => {
    let y = x;
    for (let i = 0; i < 8; i++) y = wrap(heavy)(y);
    return y.sum();
  });

test.skipIf(!onXla)("XLA plans for less than half of the memory", () => {
  const bytes = (wrap: (f: (x: Tensor) => Tensor) => (x: Tensor) => Tensor): number => {
    // Products, which XLA does not compute again by itself.
    const products = (x: Tensor) => {
      let y = x;
      for (let i = 0; i < 6; i++) y = y.matmul(constant(full([512, 512], 0.01))).tanh();
      return y;
    };
    const { program } = trace(
      tower(() => wrap(products)),
      [full([512, 512], 0.5)],
    );
    const executable = onXla!.client.compile(toStableHlo(program, "float32"));
    const size = executable.temporaryBytes();
    executable.release();
    return size;
  };
  const [without, withIt] = [bytes((f) => f), bytes(checkpoint)];
  console.log(`XLA, 8 blocks: ${without} bytes, checkpointed ${withIt}`);
  expect(withIt).toBeLessThan(without / 2);
});

test("ONNX Runtime takes less memory", async () => {
  const backend = await onnx({ threads: 1 });
  const x = full([2 ** 20], 0.5);
  /** The most this process ever held, once this has run. */
  const peak = async (wrap: (f: (x: Tensor) => Tensor) => (x: Tensor) => Tensor): Promise<number> => {
    const run = compile(tower(wrap), { backend });
    await run(x);
    run.release();
    return process.resourceUsage().maxRSS / 1024;
  };
  const withIt = await peak(checkpoint);
  const without = await peak((f) => f);
  console.log(
    `ONNX Runtime, 8 blocks: at most ${withIt.toFixed()} MB checkpointed, ${without.toFixed()} MB without`,
  );
  // 64 arrays of 4 MB are kept without; 8, and the 8 of one block, with it.
  expect(without - withIt).toBeGreaterThan(120);
  await backend.close();
});

test("a long scan keeps the states of its parts alone, where these are checkpointed", async () => {
  const step = (s: Tensor, x: Tensor) => ({ state: s.mul(0.9).add(x).tanh(), record: s.sum() });
  const writtenOut = (s: Tensor, xs: Tensor) => {
    let state = s;
    for (let t = 0; t < 30; t++) state = step(state, xs.slice([[t, t + 1]]).squeeze(0)).state;
    return state.sum();
  };
  const inParts = (s: Tensor, xs: Tensor) =>
    scan(
      (s: Tensor, part: Tensor) => ({
        state: checkpoint((s: Tensor) => scan(step, s, part).state)(s),
        record: s.sum(),
      }),
      s,
      xs.reshape([5, 6, 3]),
    ).state.sum();
  const xs = random.normal(random.key(3), [30, 3]);
  const start = full([3], 0.1);
  const got = await (await compile(grad(inParts), { backend: native })(start, xs)).read();
  expect(disagreement(grad(writtenOut), [start, xs], got)).toBeUndefined();
});
