// The commands around training, for the table of commands.

export const trainCommands = {
  example: {
    summary: "write an example to train: loans, strokes or svm (--out DIR)",
    run: async (args: string[]) => (await import("./example.js")).exampleCommand(args),
  },
  inspect: {
    summary: "what a table holds: kinds, gaps, ranges, what to look at (--target, --group, --json)",
    run: async (args: string[]) => (await import("./inspect.js")).inspectCommand(args),
  },
  train: {
    summary:
      "train a model under the requirements of a spec file (--out, --hard, --set, --sweep, --resume, --no-insist, --json)",
    run: async (args: string[]) => (await import("./train.js")).trainCommand(args),
  },
  report: {
    summary: "what a run came to, in plain words (--json)",
    run: async (args: string[]) => (await import("./report.js")).reportCommand(args),
  },
  insist: {
    summary: 'what insisting on a requirement of a run would cost: RUN "NAME" [LEVEL] (--json)',
    run: async (args: string[]) => (await import("./insist.js")).insistCommand(args),
  },
  compare: {
    summary: "runs side by side, and whether one is better beyond chance (--json)",
    run: async (args: string[]) => (await import("./compare.js")).compareCommand(args),
  },
  evaluate: {
    summary: "a run's model on new rows: requirements, intervals, drift of the columns (--json)",
    run: async (args: string[]) => (await import("./evaluate.js")).evaluateCommand(args),
  },
  predict: {
    summary: "what a run's model says of the rows of a CSV file (--out FILE)",
    run: async (args: string[]) => (await import("./predict.js")).predictCommand(args),
  },
  export: {
    summary: "a run's model as ONNX, which takes raw rows",
    run: async (args: string[]) => (await import("./export.js")).exportCommand(args),
  },
  card: {
    summary:
      "a run's model card, Markdown or HTML: data, what was asked, what gave way, at what price (--out FILE)",
    run: async (args: string[]) => (await import("./card.js")).cardCommand(args),
  },
  schema: {
    summary: "the JSON Schema of spec files, for editors (--out FILE)",
    run: async (args: string[]) => (await import("./schema.js")).schemaCommand(args),
  },
};
