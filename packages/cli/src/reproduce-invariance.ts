// pliant reproduce invariance: the paper's invariance experiments in run folders that can be resumed, with tables and figures
// beside the paper's numbers.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { devices, open, precisions } from "@pliant/engine/device";
import { invariance } from "@pliant/lab";
import { Interrupted, progress } from "@pliant/learn/runs";
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
  dataset: { type: "string", default: "mnist" },
  variant: { type: "string", default: "rotated-180" },
  method: { type: "string", default: "all" },
  model: { type: "string", default: "mlp" },
  preset: { type: "string", default: "official" },
  epochs: { type: "string" },
  subset: { type: "string" },
  alpha: { type: "string" },
  epsilon: { type: "string" },
  samples: { type: "string" },
  cost: { type: "string", default: "quadratic" },
  seeds: { type: "string", default: "1" },
  device: { type: "string", default: "auto" },
  precision: { type: "string" },
  minutes: { type: "string" },
  out: { type: "string", default: "runs/invariance" },
  resume: { type: "boolean", default: false },
  again: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

export async function reproduceInvariance(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options });
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

  const backend = await open(device, { precision });
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
