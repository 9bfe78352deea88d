import { atMost, minimise, sgd, solve } from "pliant";
import { numberColumn, readTable } from "pliant/data";
import { array, type Tensor } from "pliant/engine";
import { binaryCrossEntropy } from "pliant/learn";

const table = await readTable("train.csv");
const columns = ["x1", "x2", "x3", "x4", "y"].map((name) => [...numberColumn(table, name).values]);
const data = { x: array(columns.slice(0, 4)), y: array(columns[4]!) };

const bounded = minimise({
  params: { w: array([0, 0, 0, 0]), b: array([0]) },
  forward: ({ w, b }: { w: Tensor; b: Tensor }, { x }: { x: Tensor; y: Tensor }) => ({
    logits: w.matmul(x).add(b),
    length: w.pow(2).sum(),
  }),
  objective: ({ logits }, { y }) => binaryCrossEntropy(logits, y).mean(),
}).subjectTo({ length: atMost(1, ({ length }) => length, { hard: true }) });

const { report } = await solve(bounded, { data, optimizer: sgd(0.5) });

const { length } = report.requirements;
console.log(
  `loss ${report.objective.toFixed(4)}, length ${length.reached.toFixed(4)}, price ${length.price.toFixed(4)}`,
);
