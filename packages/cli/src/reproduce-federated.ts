// pliant reproduce federated: the paper's federated experiments, one by name or a comparison of methods, in run folders
// that can be resumed, with tables and figures beside the paper's numbers.
import { join } from "node:path";
import { InputError } from "@pliant/core";
import { devices, precisions } from "@pliant/engine/device";
import { federated } from "@pliant/lab";
import { openIn, progress } from "@pliant/learn/runs";
import { readArgs, refuseWords } from "./arguments.js";
import { count, given, number, oneOf, seedList, someOf, writeResults } from "./options.js";

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
  model: { type: "string", value: "NAME", about: "of every client" },
  method: { type: "string", value: "NAMES", about: "of training: a,b or all" },
  preset: {
    type: "string",
    value: "NAME",
    default: "official",
    about: "whose settings: the code's or the text's",
  },
  clients: { type: "string", value: "N", about: "how many" },
  rounds: { type: "string", value: "N", about: "of communication" },
  ratio: { type: "string", value: "X", about: "of rare classes to others" },
  alpha: { type: "string", value: "X", about: "of the relaxation cost" },
  epsilon: { type: "string", value: "X", about: "the level of the requirements" },
  cost: { type: "string", value: "NAME", about: "of giving way" },
  "dual-rate": { type: "string", value: "X", about: "of the prices" },
  "relaxation-rate": { type: "string", value: "X", about: "of the relaxations, or exact" },
  "dual-cap": { type: "string", value: "X", about: "the largest price" },
  q: { type: "string", value: "X", about: "of q-fair training" },
  "agnostic-rate": { type: "string", value: "X", about: "of agnostic training's weights" },
  solver: { type: "string", value: "NAME", about: "of each client's step" },
  proximal: { type: "string", value: "X", about: "weight of staying near the shared model" },
  penalty: { type: "string", value: "X", about: "of a penalised solver" },
  participation: { type: "string", value: "X", about: "the share of clients a round" },
  minority: { type: "string", value: "LIST", about: "the classes that are rare" },
  split: { type: "string", value: "NAME", about: "how examples are dealt to clients" },
  heterogeneity: { type: "string", value: "X", about: "of the split" },
  alike: { type: "string", value: "X", about: "the share of each client that is alike" },
  seeds: { type: "string", value: "LIST", default: "0", about: "0,1,2 or 0-2" },
  device: { type: "string", value: "NAME", default: "auto", about: "auto, cpu, cuda or reference" },
  precision: { type: "string", value: "NAME", about: "of products on a GPU" },
  out: { type: "string", value: "DIR", default: "runs/federated", about: "where the runs go" },
  resume: { type: "boolean", default: false, about: "goes on with runs that are there" },
  again: { type: "boolean", default: false, about: "replaces runs that are there" },
  json: { type: "boolean", default: false, about: "one JSON object on standard output" },
} as const;

/** What is asked for, told apart from running it. */
export function readFederated(args: string[]) {
  const { values, positionals } = readArgs(args, {
    usage: "reproduce federated",
    about: "The paper's federated experiments, one by name or a comparison of methods, beside its numbers.",
    options,
  });
  refuseWords(positionals, "reproduce federated");
  const asked = {
    preset: oneOf("a preset", values.preset, presets),
    ...given({
      dataset: named("a dataset", values.dataset, datasets),
      model: named("a model", values.model, models),
      clients: count("clients", values.clients),
      rounds: count("rounds", values.rounds),
      ratio: number("ratio", values.ratio),
      alpha: number("alpha", values.alpha),
      level: number("epsilon", values.epsilon),
      cost: named("a cost", values.cost, costNames),
      dualRate: number("dual-rate", values["dual-rate"]),
      relaxationRate:
        values["relaxation-rate"] === "exact"
          ? ("exact" as const)
          : number("relaxation-rate", values["relaxation-rate"]),
      cap: number("dual-cap", values["dual-cap"]),
      fairness: number("q", values.q),
      agnosticRate: number("agnostic-rate", values["agnostic-rate"]),
      solver: named("a solver", values.solver, solvers),
      proximal: number("proximal", values.proximal),
      penalty: number("penalty", values.penalty),
      participation: number("participation", values.participation),
      minority: classes(values.minority),
      split: named("a split", values.split, splits),
      heterogeneity: number("heterogeneity", values.heterogeneity),
      alike: number("alike", values.alike),
      precision: named("a precision", values.precision, precisions),
    }),
  };
  const experiment = experimentCalled(values.recipe);
  const chosen = values.method === undefined ? undefined : someOf("a method", values.method, methods);
  const requests = experiment
    ? experiment.requests.filter(({ method }) => chosen?.includes(method) ?? true)
    : (chosen ?? ["resilient", "constrained"]).map((method) => ({ dataset: "mnist", method }) as const);
  if (requests.length === 0)
    throw new InputError(`The recipe ${values.recipe} has no run of the method ${values.method}.`);
  const recipes = distinct(requests.map((request) => recipe({ ...request, ...asked })));
  const seeds = seedList(values.seeds);
  const device = oneOf("a device", values.device, devices);
  return { values, recipes, seeds, device, experiment, precision: asked.precision };
}

export async function reproduceFederated(args: string[]): Promise<void> {
  const { values, recipes, seeds, device, experiment, precision } = readFederated(args);
  for (const warning of new Set(recipes.map(rateWarning)))
    if (warning !== undefined) process.stderr.write(`${warning}\n`);

  const backend = await openIn(device, precision);
  try {
    const rows = await runFederated(recipes, seeds, {
      backend,
      out: values.out,
      resume: values.resume,
      again: values.again,
      progress: progress(),
      resumeWith: "the same command and --resume",
    });
    const { tables, figures } = experiment ?? comparison;
    const text = [...tables(rows).map(tableText), ...notesOf(rows)].join("\n\n");
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
  } finally {
    await backend.close();
  }
}

/** One of some names, where one was given. */
const named = <Name extends string>(kind: string, text: string | undefined, known: readonly Name[]) =>
  text === undefined ? undefined : oneOf(kind, text, known);

/** `0,2,4`. */
function classes(text: string | undefined): number[] | undefined {
  const labels = text?.split(",").map((each) => (/^\d+$/.test(each.trim()) ? Number(each) : Number.NaN));
  if (labels?.some(Number.isNaN))
    throw new InputError(`--minority is a list of classes such as 0,2,4, not ${text}.`);
  return labels;
}

/** What a reader of the tables has to know. */
function notesOf(rows: readonly federated.Row[]): string[] {
  const notes = rows.flatMap(({ notes, dataset, method, preset, alpha, seed }) => {
    const run = [dataset, method, preset, ...(alpha === undefined ? [] : [`α = ${alpha}`]), `seed ${seed}`];
    return notes.map((note) => `${run.join(", ")}: ${note}`);
  });
  return notes.length > 0 ? [notes.join("\n")] : [];
}

function experimentCalled(name: string | undefined): federated.Experiment | undefined {
  const names = experiments.map((each) => each.name);
  return name === undefined ? undefined : experiments[names.indexOf(oneOf("a recipe", name, names))];
}

/** Settings that a person fixes may make runs of a recipe the same. */
const distinct = (recipes: readonly federated.Recipe[]): federated.Recipe[] => [
  ...new Map(recipes.map((each) => [JSON.stringify(each), each])).values(),
];
