// The size of the parameters: √(Σ w²) over all weights, biases left out.
import { kind } from "./kind.js";
import { type Look, type Statistic, trained } from "./metric.js";

const norm = ({ squares }: Look) => squares.add(1e-12).sqrt();

export const size: Statistic = {
  kind: "statistic",
  strictly: "size",
  level: "trained",
  ...trained(norm),
  strict: norm,
};

export const sizeKinds = [
  kind({
    name: "size",
    target: "any",
    keys: {},
    row: ["root of the sum of squared weights, without biases", "the same"],
    make: () => size,
  }),
] as const;
