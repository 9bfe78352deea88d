// Exported models, run by ONNX Runtime natively and as WebAssembly, against the functions they were made from.
import * as p from "@pliant/engine";
import { compile, exportOnnx, NdArray, random, type Tensor } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { describe, expect, test } from "vitest";
import { type Model, models, type Shapes } from "./export-models.js";
import { arraysFor, differs, load, native, runtimes } from "./exported.js";
import { inputsAs, operations, real, whole } from "./operations.js";

describe("a trained network", () => {
  const size = 12;
  const classes = 4;
  const weight = (seed: number, shape: p.Shape, std: number) =>
    random.normal(random.key(seed), shape, { std });
  const start = {
    conv: { weight: weight(1, [6, 1, 3, 3], 0.3), bias: p.full([6, 1, 1], 0) },
    hidden: { weight: weight(2, [6 * 5 * 5, 16], 0.1), bias: p.full([16], 0) },
    out: { weight: weight(3, [16, classes], 0.2), bias: p.full([classes], 0) },
  };
  type Params = p.Replace<typeof start, Tensor>;

  const network = ({ conv, hidden, out }: Params, image: Tensor): Tensor =>
    image
      .conv2d(conv.weight)
      .add(conv.bias)
      .leakyRelu(0.1)
      .maxPool({ window: 2 })
      .flatten(image.rank - 3)
      .matmul(hidden.weight)
      .add(hidden.bias)
      .leakyRelu(0.1)
      .matmul(out.weight)
      .add(out.bias)
      .logSoftmax();

  /** Bright squares, one class a quadrant. */
  const batch = (seed: number, n: number) => {
    const labels = whole([n], 0, classes);
    const { data } = random.normal(random.key(seed), [n, 1, size, size], { std: 0.3 });
    for (let i = 0; i < n; i++) {
      const [top, left] = [labels.data[i] >> 1, labels.data[i] & 1].map((half) => half * 6 + 1);
      for (let r = top; r < top + 4; r++)
        for (let c = left; c < left + 4; c++) data[(i * size + r) * size + c] += 1;
    }
    return { images: new NdArray(data, [n, 1, size, size]), labels };
  };

  const trained = (async () => {
    const backend = await onnx();
    const step = compile(
      (params: Params, images: Tensor, labels: Tensor) => {
        const { value, gradient } = p.valueAndGrad((at: Params) =>
          network(at, images).pick(labels).mean().neg(),
        )(params);
        return { params: p.zipTrees((x, g) => x.sub(g.mul(0.3)), params, gradient), loss: value };
      },
      { backend },
    );
    let params = start;
    const losses: number[] = [];
    for (let i = 0; i < 40; i++) {
      const { images, labels } = batch(100 + i, 32);
      const { params: next, loss } = await p.readAll(await step(params, images, labels));
      params = next as typeof start;
      losses.push(loss.item());
    }
    await backend.close();
    return { params, losses };
  })();
  const shape = ["batch", 1, size, size];

  test.each(runtimes)("gives the same logits in %s at every batch size", async (_, ort) => {
    const { params, losses } = await trained;
    expect(losses[losses.length - 1]).toBeLessThan(losses[0] / 4);
    const bytes = exportOnnx(({ image }, parameters) => ({ logits: network(parameters, image) }), {
      inputs: { image: { shape } },
      parameters: params,
    });
    const { run } = await load(bytes, ort);
    const fn: Model = ({ image }) => ({ logits: network(params as never, image) });
    for (const n of [1, 2, 7, 64]) {
      expect(await differs(fn, run, { image: batch(7, n).images }), `batch of ${n}`).toBeUndefined();
    }
  });

  test("may close over its parameters instead of naming them", async () => {
    const { params } = await trained;
    const fn: Model = ({ image }) => ({ logits: network(params as never, image) });
    const { run } = await load(exportOnnx(fn, { inputs: { image: { shape } } }), native);
    expect(await differs(fn, run, { image: batch(8, 5).images })).toBeUndefined();
  });

  test("keeps the parameters under their paths", async () => {
    const { params } = await trained;
    const bytes = exportOnnx(({ image }, [at]) => ({ logits: network(at, image) }), {
      inputs: { image: { shape } },
      parameters: [params],
    });
    const text = new TextDecoder("latin1").decode(bytes);
    for (const path of ["0.conv.weight", "0.hidden.bias", "0.out.weight"]) expect(text).toContain(path);
  });

  test.each(runtimes)("runs as a stack of networks in %s", async (_, ort) => {
    const stack = (leaf: NdArray, rank: number) => {
      const shaped = new NdArray(leaf.data, [1, ...leaf.shape].slice(-rank));
      return p.evaluate(p.stack([shaped, p.mul(shaped, 1.5), p.neg(shaped)]));
    };
    const { params } = await trained;
    const stacked = {
      conv: { weight: stack(params.conv.weight, 4), bias: stack(params.conv.bias, 4) },
      hidden: { weight: stack(params.hidden.weight, 2), bias: stack(params.hidden.bias, 2) },
      out: { weight: stack(params.out.weight, 2), bias: stack(params.out.bias, 2) },
    };
    const inputs = { images: { shape: [3, ...shape] } };
    const fn: Model = ({ images }) => ({ logits: network(stacked as never, images) });
    const { run } = await load(exportOnnx(fn, { inputs }), ort);
    for (const n of [1, 4]) expect(await differs(fn, run, arraysFor(inputs, { batch: n }))).toBeUndefined();
  });
});

describe.each(runtimes)("functions of rows in %s", (_, ort) => {
  test.each(Object.entries(models))("%s", async (_name, [inputs, fn]) => {
    const { run } = await load(exportOnnx(fn, { inputs }), ort);
    const axes = [...new Set(Object.values(inputs).flatMap(({ shape }) => shape))];
    for (const n of [4, 1, 2, 9]) {
      const sizes = axes.filter((d) => typeof d === "string").map((axis, i) => [axis, n + 2 * i] as const);
      const gone = await differs(fn, run, arraysFor(inputs, Object.fromEntries(sizes)));
      expect(gone, JSON.stringify(sizes)).toBeUndefined();
    }
  });
});

describe("the description of a model", () => {
  test("its inputs and outputs by name, type and shape", async () => {
    const bytes = exportOnnx(
      ({ x, label }) => ({ y: x.matmul(p.full([3, 4], 1)), hit: x.argmax().eq(label), flat: x.flatten() }),
      { inputs: { x: { shape: ["batch", 3] }, label: { shape: ["batch"], dtype: "int32" } } },
    );
    const { session } = await load(bytes, native);
    expect([...session.inputMetadata, ...session.outputMetadata]).toMatchObject([
      { name: "x", type: "float32", shape: ["batch", 3] },
      { name: "label", type: "int32", shape: ["batch"] },
      { name: "y", type: "float32", shape: ["batch", 4] },
      { name: "hit", type: "bool", shape: ["batch"] },
      { name: "flat", type: "float32", shape: ["3*batch"] },
    ]);
  });

  test("its maker, name and description", () => {
    const bytes = exportOnnx(({ x }) => ({ y: x.neg() }), {
      inputs: { x: { shape: [2] } },
      name: "opposite",
      description: "Turns signs around.",
    });
    const text = new TextDecoder().decode(bytes);
    for (const part of ["pliant", "opposite", "Turns signs around."]) expect(text).toContain(part);
  });

  test("an array used twice is stored once", () => {
    const w = inputsAs([real([40, 40])], "float32")[0];
    const bytes = exportOnnx(({ x }) => ({ y: x.matmul(w).tanh().matmul(w) }), {
      inputs: { x: { shape: ["batch", 40] } },
    });
    expect(bytes.length).toBeLessThan(1.2 * w.data.byteLength);
  });
});

describe("every operation", () => {
  test.each(operations)("$name", async ({ inputs, fn }) => {
    const arrays = inputsAs(inputs, "float32");
    const named = Object.fromEntries(arrays.map((x, i) => [`x${i}`, x]));
    const model: Model = (given) => ({ y: fn(...arrays.map((_, i) => given[`x${i}`])) });
    const { run } = await load(exportOnnx(model, { inputs: named }), native);
    expect(await differs(model, run, named)).toBeUndefined();
  });

  // The first axis of all inputs together, then each axis of each input by itself.
  const dynamicIn = ({ inputs }: (typeof operations)[number]): number[][] => [
    inputs.map(() => 0),
    ...inputs.flatMap(({ shape }, at) =>
      shape.map((_, axis) => inputs.map((_, i) => (i === at ? axis : -1))),
    ),
  ];
  test.each(operations)("$name with dynamic axes: right at every size, or refused", async (operation) => {
    const { inputs, fn } = operation;
    const model: Model = (given) => ({ y: fn(...inputs.map((_, i) => given[`x${i}`])) });
    for (const dynamic of dynamicIn(operation)) {
      const shapes = Object.fromEntries(
        inputsAs(inputs, "float32").map(({ shape, dtype }, i) => {
          const named = shape.map((d, axis) => (axis === dynamic[i] ? "n" : d));
          return [`x${i}`, { shape: named, dtype }];
        }),
      );
      const bytes = attempt(model, shapes);
      if (!bytes) continue;
      const { run } = await load(bytes, native);
      for (const n of [6, 10]) {
        const there = await differs(model, run, arraysFor(shapes, { n }));
        expect(there, `axes ${dynamic}, n = ${n}`).toBeUndefined();
      }
    }
  });

  function attempt(model: Model, inputs: Shapes): Uint8Array | undefined {
    try {
      return exportOnnx(model, { inputs });
    } catch (refusal) {
      expect(refusal).toBeInstanceOf(p.EngineError);
      return undefined;
    }
  }
});
