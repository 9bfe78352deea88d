// pliant reproduce invariance: the paper's invariance experiments in run folders that can be resumed, with tables and figures
// beside the paper's numbers.
import { join } from "node:path";
import { devices, precisions } from "@pliant/engine/device";
import { invariance } from "@pliant/lab";
import { Interrupted, openIn, progress } from "@pliant/learn/runs";
import { readArgs, refuseWords } from "./arguments.js";
import { count, given, number, oneOf, seedList, someOf, writeResults } from "./options.js";

const {
  costNames,
  datasets,
  figures,
  finishedInvariance,
  methods,
  models,
  presets,
  recipe,
  rowOf,
  runInvariance,
  tablesText,
  variants,
} = invariance;

const options = {
  dataset: { type: "string", value: "NAME", default: "mnist", about: "one of the paper's, or strokes" },
  variant: { type: "string", value: "NAMES", default: "rotated-180", about: "of the data: a,b or all" },
  method: { type: "string", value: "NAMES", default: "all", about: "of training: a,b or all" },
  model: { type: "string", value: "NAME", default: "mlp", about: "mlp or another of the paper's" },
  preset: {
    type: "string",
    value: "NAME",
    default: "official",
    about: "whose settings: the code's or the text's",
  },
  epochs: { type: "string", value: "N", about: "another number than the preset's" },
  subset: { type: "string", value: "N", about: "images to learn from" },
  alpha: { type: "string", value: "X", about: "of the relaxation cost" },
  epsilon: { type: "string", value: "X", about: "the level of the requirements" },
  samples: { type: "string", value: "N", about: "of each transformation, a step" },
  cost: { type: "string", value: "NAMES", default: "quadratic", about: "of giving way: a,b or all" },
  seeds: { type: "string", value: "LIST", default: "1", about: "1,2,3 or 1-3" },
  device: { type: "string", value: "NAME", default: "auto", about: "auto, cpu, cuda or reference" },
  precision: { type: "string", value: "NAME", about: "of products on a GPU" },
  minutes: { type: "string", value: "N", about: "stops after so long" },
  out: { type: "string", value: "DIR", default: "runs/invariance", about: "where the runs go" },
  resume: { type: "boolean", default: false, about: "goes on with runs that are there" },
  again: { type: "boolean", default: false, about: "replaces runs that are there" },
  json: { type: "boolean", default: false, about: "one JSON object on standard output" },
} as const;

export async function reproduceInvariance(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "reproduce invariance",
    about: "The paper's invariance experiments, in run folders, beside its numbers.",
    options,
  });
  refuseWords(positionals, "reproduce invariance");
  const asked = {
    dataset: oneOf("a dataset", values.dataset, datasets),
    model: oneOf("a model", values.model, models),
    preset: oneOf("a preset", values.preset, presets),
    ...given({
      epochs: count("epochs", values.epochs),
      subset: count("subset", values.subset),
      alpha: number("alpha", values.alpha),
      level: number("epsilon", values.epsilon),
      samples: count("samples", values.samples),
    }),
  };
  const costs = someOf("a cost", values.cost, costNames);
  const chosenMethods = someOf("a method", values.method, methods);
  const recipes = someOf("a variant", values.variant, variants).flatMap((variant) =>
    chosenMethods.flatMap((method) =>
      // A cost is of relaxations: only the resilient method has one.
      (method === "resilient" ? costs : costs.slice(0, 1)).map((cost) =>
        recipe({ ...asked, variant, method, ...(method === "resilient" && { cost }) }),
      ),
    ),
  );
  const seeds = seedList(values.seeds);
  const device = oneOf("a device", values.device, devices);
  const precision =
    values.precision === undefined ? undefined : oneOf("a precision", values.precision, precisions);
  const minutes = number("minutes", values.minutes);
  const until = minutes === undefined ? undefined : Date.now() + minutes * 60_000;

  const backend = await openIn(device, precision);
  try {
    const settings = {
      backend,
      out: values.out,
      resume: values.resume,
      again: values.again,
      progress: progress(),
      resumeWith: "the same command and --resume",
      ...given({ until }),
    };
    let stopped: Interrupted | undefined;
    const results = await runInvariance(recipes, seeds, settings).catch((reason: unknown) => {
      if (!(reason instanceof Interrupted) || reason.reason !== "deadline") throw reason;
      stopped = reason;
      return finishedInvariance(recipes, seeds, settings);
    });
    const rows = results.map((result) => rowOf(result.recipe, result.seeds));
    const text = tablesText(rows);
    const json = `${JSON.stringify({ rows }, null, 2)}\n`;
    const drawn = figures(rows);
    writeResults(values.out, { "table.txt": `${text}\n`, "rows.json": json });
    writeResults(
      join(values.out, "figures"),
      Object.fromEntries(drawn.map(({ name, svg }) => [`${name}.svg`, svg])),
    );
    console.log(
      values.json
        ? json.trimEnd()
        : `${text}\n\nRuns, rows.json and ${drawn.length} figures are in ${values.out}.`,
    );
    if (stopped) throw stopped;
  } finally {
    await backend.close();
  }
}
