// Where a seed's numbers come from: initial parameters and the order of the images in each epoch. The official preset takes
// both from one torch stream, as the published code does, the others from the engine's keys.
import { torchStream } from "@pliant/data";
import { random } from "@pliant/engine";
import { keyed, type Model, type Params } from "@pliant/learn";
import type { Preset } from "../choices.js";
import { torchDraws } from "../torch-draws.js";

export interface SeedNumbers {
  readonly params: Params;
  /** The order of epoch 0, 1, 2, … one after another. */
  nextOrder(): Int32Array;
  /** The key of a step's transformations. */
  stepKey(step: number): random.Key;
}

export function seedNumbers(seed: number, preset: Preset, model: Model<Params>, images: number): SeedNumbers {
  const [parameters, orders, steps] = random.split(random.key(seed), 3);
  const stepKey = (step: number): random.Key => random.foldIn(steps, step);
  if (preset !== "official") {
    let epoch = 0;
    return {
      params: model.init(keyed(parameters)),
      nextOrder: () => random.permutation(random.foldIn(orders, epoch++), images).data as Int32Array,
      stepKey,
    };
  }
  const stream = torchStream(seed);
  const params = model.init(torchDraws(stream));
  let order = Int32Array.from({ length: images }, (_, i) => i);
  return {
    params,
    // Each epoch shuffles what the last one left.
    nextOrder: () => {
      const last = order;
      order = stream.permutation(images).map((i) => last[i]);
      return order;
    },
    stepKey,
  };
}
