// Two overlapping clouds of points for a soft-margin support vector machine. The same rows on every machine.
import { random } from "@pliant/engine";

/** Two clouds of points that overlap, as CSV. */
export function cloudsCsv({ rows = 200, seed = 3 } = {}): string {
  const noise = random.normal(random.key(seed), [rows, 2]).data;
  const lines = ["x,y,side"];
  for (let i = 0; i < rows; i++) {
    const side = i % 2 === 0 ? 1 : -1;
    const [x, y] = [noise[2 * i] + 1.1 * side, noise[2 * i + 1] + 0.6 * side];
    lines.push([x.toFixed(4), y.toFixed(4), side > 0 ? "right" : "left"].join(","));
  }
  return `${lines.join("\n")}\n`;
}

/** The spec of the svm example, as YAML: a soft-margin support vector machine. */
export const svmSpec = `# A soft-margin support vector machine: the smallest weights such that every example lies beyond the margin. Each example has
# a requirement of its own; with a linear cost what gives way is the hinge loss, and prices are the machine's multipliers.
name: svm
data:
  file: clouds.csv
  target: side
  positive: right
  test: 0.3
model:
  kind: linear
objective:
  loss: parameter-size # half the sum of squared weights
requirements:
  margin:
    metric: margin
    per: example
    level: 1
cost: linear(1)
budget:
  steps: 20000
  optimizer: sgd
  rate: 0.01
  momentum: 0
  priceRate: 0.2
  tolerance: 0.0001
seed: 1
`;
