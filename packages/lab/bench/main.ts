// npm run bench -- invariance [--device auto|cpu|cuda] [--model mlp|lenet] [--seeds N] [--json]: what requirements cost. A resilient
// step beside a plain one on the same images (a clean one and six transformed copies each, their mean loss), and beside
// a plain one on as many images that are not resampled. The three are timed in turn; of each the median.
import { parseArgs } from "node:util";
import { applyUpdates } from "@pliant/core";
import {
  concat,
  full,
  type Loop,
  loop,
  NdArray,
  random,
  type Stored,
  type Tensor,
  valueAndGrad,
} from "@pliant/engine";
import { type Device, open } from "@pliant/engine/device";
import { invariance } from "@pliant/lab";
import { crossEntropy } from "@pliant/learn";

const { chosen, modelOf, recipe, requirementCopies, seedNumbers, training } = invariance;
type Learned = invariance.Learned<Tensor>;

const { values: options } = parseArgs({
  options: {
    device: { type: "string", default: "auto" },
    model: { type: "string", default: "mlp" },
    seeds: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});

const seeds = Number(options.seeds);
const images = 10_000;
const wanted = recipe({
  dataset: "mnist",
  variant: "rotated-90",
  method: "resilient",
  model: options.model as "mlp" | "lenet",
  preset: "official",
});
const { batch } = wanted;
const backend = await open(options.device as Device);
const steps = backend.name === "xla" ? 60 : 3;
const rounds = backend.name === "xla" ? 15 : 9;

const { init, step: resilient, optimizer } = training(wanted, steps);
const model = modelOf(wanted);

type Step = typeof resilient;

/** Descends on the mean loss of the clean image and its copies. */
const plain =
  (copiesOf: (b: invariance.Batch) => Tensor): Step =>
  (state, data, slice) => {
    const b = chosen(data, slice);
    const clean = b.images.expandDims(1);
    const all = [clean, copiesOf(b)].map((x) => x.reshape([seeds, x.size / seeds / 784, 1, 28, 28]));
    const count = 1 + 3 * wanted.samples;
    const labels = b.labels
      .expandDims(1)
      .broadcastTo([seeds, count, batch])
      .reshape([seeds, count * batch]);
    const { gradient, aux } = valueAndGrad((params: Learned) => {
      const logits = model.apply(params.model, concat(all, 1));
      const loss = crossEntropy(logits, labels).mean({ axis: -1 });
      return { loss: loss.sum(), aux: loss };
    })(state.params);
    const done = optimizer.update(gradient, state.optimizer as never, state.params);
    return {
      state: { ...state, params: applyUpdates(state.params, done.updates) as Learned, optimizer: done.state },
      record: { objective: aux, requirements: [] },
    };
  };

const repeated = ({ images: x }: invariance.Batch): Tensor =>
  x.expandDims(1).broadcastTo([seeds, 3 * wanted.samples, ...x.shape.slice(1)]);

const contenders: Record<string, Step> = {
  resilient,
  "plain, the same images": plain((b) => requirementCopies(wanted, b).copies),
  "plain, as many images, not resampled": plain(repeated),
};

const key = random.key(1);
const data = {
  images: backend.put(random.uniform(key, [images, 1, 28, 28])),
  labels: backend.put(random.randint(key, [images], 0, 10)),
  alphas: [backend.put(full([seeds, 1], wanted.alpha))],
  levels: [backend.put(full([seeds, 1], wanted.level))],
};
const slices = {
  rows: backend.put(random.randint(key, [steps, seeds, batch], 0, images)),
  keys: backend.put(new NdArray(random.packed(random.split(key, steps * seeds)).data, [steps, seeds, 2])),
};
const first = init(
  Array.from({ length: seeds }, (_, seed) => seedNumbers(seed, "corrected", model, images).params),
);

const times = new Map<string, number[]>();
const running = new Map<string, { run: Loop<never, never, never, unknown>; state: unknown }>();
for (const [name, step] of Object.entries(contenders))
  running.set(name, { run: loop(step as never, { backend }) as never, state: first });
for (let round = 0; round < rounds; round++) {
  for (const [name, entry] of running) {
    const start = performance.now();
    const done = (await entry.run(entry.state as never, data as never, slices as never)) as unknown as {
      state: unknown;
      record: { objective: Stored };
    };
    await done.record.objective.read();
    entry.state = done.state;
    // The first round compiles.
    if (round > 0) times.set(name, [...(times.get(name) ?? []), (performance.now() - start) / steps]);
  }
}
const median = (x: readonly number[]): number => [...x].sort((a, b) => a - b)[Math.floor(x.length / 2)];
const rows = [...times].map(([name, each]) => ({ name, milliseconds: median(each) }));
const of = (i: number): number => rows[0].milliseconds / rows[i].milliseconds;
const result = {
  device: backend.name,
  model: wanted.model,
  seeds,
  batch,
  rows,
  ratio: of(1),
  ratioNotResampled: of(2),
};
await backend.close();

if (options.json) console.log(JSON.stringify(result, null, 2));
else {
  console.log(
    `A step of ${seeds} × ${batch} × ${1 + 3 * wanted.samples} images, ${wanted.model}, ${result.device}`,
  );
  for (const { name, milliseconds } of rows) console.log(`${name.padEnd(38)} ${milliseconds.toFixed(3)} ms`);
  console.log(
    `A resilient step takes ${result.ratio.toFixed(3)} of a plain one on the same images, ${result.ratioNotResampled.toFixed(3)} of one that does not resample.`,
  );
}
