// pliant reproduce invariance: the paper's invariance experiments in resumable run folders, with tables and figures
// beside the paper's numbers.
import { invariance } from "@pliant/lab";
import { Interrupted, openIn } from "@pliant/learn/runs";
import { readArgs, refuseWords } from "../arguments.js";
import { deadline, given, number, oneOf, someOf, whole } from "../options.js";
import { readRunning, running, settings, showResults } from "./experiment.js";

const {
  costNames,
  datasets,
  figures,
  finishedInvariance,
  methods,
  models,
  networkOf,
  presets,
  recipe,
  rowOf,
  runInvariance,
  tablesText,
  variants,
} = invariance;

const options = {
  dataset: { type: "string", value: "NAME", default: "mnist", about: "one of the paper's, or strokes" },
  variant: {
    type: "string",
    value: "NAMES",
    default: "rotated-180",
    about: "variants of the data: a,b or all",
  },
  method: { type: "string", value: "NAMES", default: "all", about: "methods to compare: a,b or all" },
  model: { type: "string", value: "NAME", about: "mlp or lenet (default: the one of the paper's numbers)" },
  ...settings,
  epochs: { type: "string", value: "N", about: "override the preset" },
  subset: { type: "string", value: "N", about: "number of training images" },
  samples: { type: "string", value: "N", about: "samples of each transformation per step" },
  width: { type: "string", value: "X", about: "the initial widths of Augerino (default: 0)" },
  cost: { type: "string", value: "NAMES", default: "quadratic", about: "relaxation costs: a,b or all" },
  seeds: { type: "string", value: "LIST", default: "1", about: "1,2,3 or 1-3" },
  minutes: { type: "string", value: "N", about: "stop after so many minutes" },
  out: { type: "string", value: "DIR", default: "runs/invariance", about: "the folder to write runs to" },
  ...running,
} as const;

export async function reproduceInvariance(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "reproduce invariance",
    about: "Runs the paper's invariance experiments, and prints them beside its numbers.",
    options,
  });
  refuseWords(positionals, "reproduce invariance");
  const choices = {
    dataset: oneOf("a dataset", values.dataset, datasets),
    preset: oneOf("a preset", values.preset, presets),
    ...given({
      epochs: whole("epochs", values.epochs),
      subset: whole("subset", values.subset),
      alpha: number("alpha", values.alpha),
      level: number("epsilon", values.epsilon),
      samples: whole("samples", values.samples),
      initialWidth: number("width", values.width),
    }),
  };
  const model = values.model === undefined ? undefined : oneOf("a model", values.model, models);
  const costs = someOf("a cost", values.cost, costNames);
  const chosenMethods = someOf("a method", values.method, methods);
  const recipes = someOf("a variant", values.variant, variants).flatMap((variant) =>
    chosenMethods.flatMap((method) =>
      // Only the resilient method has a relaxation cost.
      (method === "resilient" ? costs : costs.slice(0, 1)).map((cost) =>
        recipe({
          ...choices,
          variant,
          method,
          model: model ?? networkOf({ dataset: choices.dataset, method }),
          ...(method === "resilient" && { cost }),
        }),
      ),
    ),
  );
  const { device, precision, seeds, runner } = readRunning(values);
  const until = deadline(values.minutes);

  const backend = await openIn(device, precision);
  try {
    const within = { backend, ...runner, ...given({ until }) };
    let stopped: Interrupted | undefined;
    const results = await runInvariance(recipes, seeds, within).catch((reason: unknown) => {
      if (!(reason instanceof Interrupted) || reason.reason !== "deadline") throw reason;
      stopped = reason;
      return finishedInvariance(recipes, seeds, within);
    });
    const rows = results.map((result) => rowOf(result.recipe, result.seeds));
    showResults({ rows, text: tablesText(rows), figures: figures(rows) }, values);
    if (stopped) throw stopped;
  } finally {
    await backend.close();
  }
}
