// The commands around training, for the table of commands.
import { compareCommand } from "./compare.js";
import { evaluateCommand } from "./evaluate.js";
import { exampleCommand } from "./example.js";
import { exportCommand } from "./export.js";
import { insistCommand } from "./insist.js";
import { inspectCommand } from "./inspect.js";
import { predictCommand } from "./predict.js";
import { reportCommand } from "./report.js";
import { schemaCommand } from "./schema.js";
import { trainCommand } from "./train.js";

export const trainCommands = {
  example: {
    summary: "write an example to train: loans, strokes or svm (--out DIR)",
    run: exampleCommand,
  },
  inspect: {
    summary: "what a table holds: kinds, gaps, ranges, what to look at (--target, --group, --json)",
    run: inspectCommand,
  },
  train: {
    summary:
      "train a model under the requirements of a spec file (--out, --hard, --set, --sweep, --resume, --no-insist, --json)",
    run: trainCommand,
  },
  report: { summary: "what a run came to, in plain words (--json)", run: reportCommand },
  insist: {
    summary: 'what insisting on a requirement of a run would cost: RUN "NAME" [LEVEL] (--json)',
    run: insistCommand,
  },
  compare: { summary: "runs side by side (--json)", run: compareCommand },
  evaluate: {
    summary: "a run's model on new rows: requirements, intervals, drift of the columns (--json)",
    run: evaluateCommand,
  },
  predict: { summary: "what a run's model says of the rows of a CSV file (--out FILE)", run: predictCommand },
  export: { summary: "a run's model as ONNX, which takes raw rows", run: exportCommand },
  schema: { summary: "the JSON Schema of spec files, for editors (--out FILE)", run: schemaCommand },
};
