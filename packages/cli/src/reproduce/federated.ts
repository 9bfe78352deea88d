// pliant reproduce federated: the paper's federated experiments, one by name or a comparison of methods, in run folders
// that can be resumed, with tables and figures beside the paper's numbers.
import { InputError } from "@pliant/core";
import { federated } from "@pliant/lab";
import { openIn } from "@pliant/learn/runs";
import { readArgs, refuseWords } from "../arguments.js";
import { given, number, oneOf, someOf, whole } from "../options.js";
import { readRunning, running, settings, showResults } from "./experiment.js";

const {
  comparison,
  costNames,
  datasets,
  experiments,
  methods,
  models,
  presets,
  rateWarning,
  recipe,
  runFederated,
  solvers,
  splits,
  tableText,
} = federated;

const options = {
  recipe: { type: "string", value: "NAME", about: "one of the paper's experiments; pliant reproduce --list" },
  dataset: { type: "string", value: "NAME", about: "one of the paper's, or strokes" },
  model: { type: "string", value: "NAME", about: "the model that clients train" },
  method: { type: "string", value: "NAMES", about: "methods to compare: a,b or all" },
  ...settings,
  clients: { type: "string", value: "N", about: "number of clients" },
  rounds: { type: "string", value: "N", about: "number of communication rounds" },
  ratio: { type: "string", value: "X", about: "size of rare classes relative to others" },
  cost: { type: "string", value: "NAME", about: "relaxation cost" },
  "dual-rate": { type: "string", value: "X", about: "step size of the prices" },
  "relaxation-rate": { type: "string", value: "X", about: "step size of the relaxations, or exact" },
  "dual-cap": { type: "string", value: "X", about: "the largest price" },
  q: { type: "string", value: "X", about: "the exponent q of q-fair training" },
  "agnostic-rate": { type: "string", value: "X", about: "step size of the weights in agnostic training" },
  solver: { type: "string", value: "NAME", about: "local solver of the clients" },
  proximal: { type: "string", value: "X", about: "weight of staying near the shared model" },
  penalty: { type: "string", value: "X", about: "penalty weight of a penalised solver" },
  participation: { type: "string", value: "X", about: "share of clients per round" },
  minority: { type: "string", value: "LIST", about: "the rare classes" },
  split: { type: "string", value: "NAME", about: "how examples are assigned to clients" },
  heterogeneity: { type: "string", value: "X", about: "heterogeneity of the split" },
  alike: { type: "string", value: "X", about: "share of the samples assigned at random instead of by label" },
  seeds: { type: "string", value: "LIST", default: "0", about: "0,1,2 or 0-2" },
  out: { type: "string", value: "DIR", default: "runs/federated", about: "the folder to write runs to" },
  ...running,
} as const;

/** Parses the request without running it. */
export function readFederated(args: string[]) {
  const { values, positionals } = readArgs(args, {
    usage: "reproduce federated",
    about:
      "Runs the paper's federated experiments, one by name or a comparison of methods, beside its numbers.",
    options,
  });
  refuseWords(positionals, "reproduce federated");
  const { device, precision, seeds, runner } = readRunning(values);
  const choices = {
    preset: oneOf("a preset", values.preset, presets),
    ...given({
      dataset: oneOf("a dataset", values.dataset, datasets),
      model: oneOf("a model", values.model, models),
      clients: whole("clients", values.clients),
      rounds: whole("rounds", values.rounds),
      ratio: number("ratio", values.ratio),
      alpha: number("alpha", values.alpha),
      level: number("epsilon", values.epsilon),
      cost: oneOf("a cost", values.cost, costNames),
      dualRate: number("dual-rate", values["dual-rate"]),
      relaxationRate:
        values["relaxation-rate"] === "exact"
          ? ("exact" as const)
          : number("relaxation-rate", values["relaxation-rate"]),
      cap: number("dual-cap", values["dual-cap"]),
      fairness: number("q", values.q),
      agnosticRate: number("agnostic-rate", values["agnostic-rate"]),
      solver: oneOf("a solver", values.solver, solvers),
      proximal: number("proximal", values.proximal),
      penalty: number("penalty", values.penalty),
      participation: number("participation", values.participation),
      minority: classes(values.minority),
      split: oneOf("a split", values.split, splits),
      heterogeneity: number("heterogeneity", values.heterogeneity),
      alike: number("alike", values.alike),
      precision,
    }),
  };
  const experiment = experimentCalled(values.recipe);
  const chosen = values.method === undefined ? undefined : someOf("a method", values.method, methods);
  const requests = experiment
    ? experiment.requests.filter(({ method }) => chosen?.includes(method) ?? true)
    : (chosen ?? ["resilient", "constrained"]).map((method) => ({ dataset: "mnist", method }) as const);
  if (requests.length === 0)
    throw new InputError(`The recipe ${values.recipe} has no run of the method ${values.method}.`);
  const recipes = distinct(requests.map((request) => recipe({ ...request, ...choices })));
  return { values, recipes, seeds, device, precision, runner, experiment };
}

export async function reproduceFederated(args: string[]): Promise<void> {
  const { values, recipes, seeds, device, precision, runner, experiment } = readFederated(args);
  for (const warning of new Set(recipes.map(rateWarning)))
    if (warning !== undefined) process.stderr.write(`${warning}\n`);

  const backend = await openIn(device, precision);
  try {
    const rows = await runFederated(recipes, seeds, { backend, ...runner });
    const { tables, figures } = experiment ?? comparison;
    const text = [...tables(rows).map(tableText), ...notesOf(rows)].join("\n\n");
    showResults({ rows, text, figures: figures(rows) }, values);
  } finally {
    await backend.close();
  }
}

/** `0,2,4`. */
function classes(text: string | undefined): number[] | undefined {
  const labels = text?.split(",").map((word) => (/^\d+$/.test(word.trim()) ? Number(word) : Number.NaN));
  if (labels?.some(Number.isNaN))
    throw new InputError(`--minority is a list of classes such as 0,2,4, not ${text}.`);
  return labels;
}

/** Notes for a reader of the tables. */
function notesOf(rows: readonly federated.Row[]): string[] {
  const notes = rows.flatMap(({ notes, dataset, method, preset, alpha, seed }) => {
    const run = [dataset, method, preset, ...(alpha === undefined ? [] : [`α = ${alpha}`]), `seed ${seed}`];
    return notes.map((note) => `${run.join(", ")}: ${note}`);
  });
  return notes.length > 0 ? [notes.join("\n")] : [];
}

function experimentCalled(name: string | undefined): federated.Experiment | undefined {
  const names = experiments.map((known) => known.name);
  return name === undefined ? undefined : experiments[names.indexOf(oneOf("a recipe", name, names))];
}

/** Overrides may make several runs of a recipe identical; each runs once. */
const distinct = (recipes: readonly federated.Recipe[]): federated.Recipe[] => [
  ...new Map(recipes.map((recipe) => [JSON.stringify(recipe), recipe])).values(),
];
