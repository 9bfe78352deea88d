// Entries of the command table for training and trained models.

export const trainCommands = {
  example: {
    summary: "write an example to train: loans, strokes or svm",
    run: async (args: string[]) => (await import("./example.js")).exampleCommand(args),
  },
  inspect: {
    summary: "summarise a table: column types, missing values, ranges",
    run: async (args: string[]) => (await import("./inspect.js")).inspectCommand(args),
  },
  train: {
    summary: "train a model under the requirements of a spec file",
    run: async (args: string[]) => (await import("./train.js")).trainCommand(args),
  },
  report: {
    summary: "print the report of a run",
    run: async (args: string[]) => (await import("./report.js")).reportCommand(args),
  },
  insist: {
    summary: "measure what making a requirement hard would cost",
    run: async (args: string[]) => (await import("./insist.js")).insistCommand(args),
  },
  compare: {
    summary: "compare runs, and test whether they differ significantly",
    run: async (args: string[]) => (await import("./compare.js")).compareCommand(args),
  },
  evaluate: {
    summary: "evaluate a run's model on new rows: requirements, intervals, drift",
    run: async (args: string[]) => (await import("./evaluate.js")).evaluateCommand(args),
  },
  predict: {
    summary: "predict the rows of a table with a run's model",
    run: async (args: string[]) => (await import("./predict.js")).predictCommand(args),
  },
  export: {
    summary: "write a run's model as ONNX, preprocessing included",
    run: async (args: string[]) => (await import("./export.js")).exportCommand(args),
  },
  card: {
    summary: "write a run's model card as Markdown or HTML",
    run: async (args: string[]) => (await import("./card.js")).cardCommand(args),
  },
  schema: {
    summary: "print the JSON Schema of spec files, for editors",
    run: async (args: string[]) => (await import("./schema.js")).schemaCommand(args),
  },
};
