// Flips and crops, against the same done by hand, and in a federation.
import { constant, evaluate, random } from "@pliant/engine";
import { flipAndCrop, simulate } from "@pliant/federated";
import { convnet } from "@pliant/learn";
import { expect, test } from "vitest";
import { distance, images } from "./problems.js";

const [size, padding] = [5, 2];

test("an image is flipped or not, padded with black, and cut out at its offset", () => {
  const shape = [2, 3, 2, size, size];
  const x = random.normal(random.key(1), shape);
  const numbers = random.uniform(random.key(2), [2, 3, 3]);
  const black = [-1, 0.5];
  const { apply } = flipAndCrop({ padding, black });
  const found = evaluate(apply(constant(x), constant(numbers)));
  expect(found.shape).toEqual(shape);
  for (let i = 0; i < 6; i++) {
    const [flip, down, right] = Array.from(numbers.data.subarray(3 * i, 3 * i + 3));
    const [top, left] = [down, right].map((u) => Math.floor(u * (2 * padding + 1)) - padding);
    for (let channel = 0; channel < 2; channel++)
      for (let r = 0; r < size; r++)
        for (let c = 0; c < size; c++) {
          const [row, column] = [r + top, c + left];
          const at = (i * 2 + channel) * size * size;
          const inside = row >= 0 && row < size && column >= 0 && column < size;
          const from = row * size + (flip < 0.5 ? size - 1 - column : column);
          const wanted = inside ? x.data[at + from] : black[channel];
          expect(found.data[at + r * size + c]).toBeCloseTo(wanted, 5);
        }
  }
});

test("the same numbers reach a client's samples however clients are grouped, and its losses only if asked", async () => {
  const data = images({ sizes: [6, 9, 4], channels: 1, size: 16, classes: 3 });
  const augmentation = flipAndCrop();
  const model = convnet({ channels: 1, size: 16, outputs: 3, filters: 2, hidden: [4] });
  const options = { model, data, local: { rate: 0.1, batch: 4 }, rounds: 2, communicationRounds: 1 };
  const first = async (more: object) => {
    const losses: number[][] = [];
    const { state } = await simulate({
      ...options,
      ...more,
      onRound: ({ train }) => void losses.push(train.loss),
    });
    return { params: state.params, losses };
  };
  const plain = await first({});
  const one = await first({ augmentation, together: 1 });
  const all = await first({ augmentation, together: 3 });
  const losses = { ...augmentation, losses: true };
  const measured = await first({ augmentation: losses });
  // The final losses are those that the next round would begin with.
  const { evaluation } = await simulate({ ...options, augmentation: losses, rounds: 1 });
  expect(evaluation.train.loss).toEqual(measured.losses[1]);
  expect(distance(one.params, all.params)).toBeLessThan(1e-5);
  expect(distance(one.params, plain.params)).toBeGreaterThan(1e-4);
  expect(one.losses[0]).toEqual(plain.losses[0]);
  expect(measured.losses[0]).not.toEqual(plain.losses[0]);
});
