// pliant reproduce: the paper's experiments by name.

import { InputError, unknownName } from "@pliant/core";
import { federated } from "@pliant/lab";
import { HelpAsked } from "../arguments.js";
import { reproduceAll } from "./all.js";
import { reproduceFederated } from "./federated.js";
import { reproduceInvariance } from "./invariance.js";
import { reproducePage } from "./page.js";
import { reproduceTheory } from "./theory.js";

const experiments: Record<string, (args: string[]) => Promise<void>> = {
  invariance: reproduceInvariance,
  federated: reproduceFederated,
  all: reproduceAll,
  page: reproducePage,
  theory: reproduceTheory,
};

/** The experiments by name. */
const recipes = (): { name: string; summary: string }[] =>
  [
    ["all", "all tables and figures of the paper, the most useful first"],
    ["page", "writes the pages of recorded results from run folders"],
    ["theory", "the first figure, the learnability example, the propositions and Theorem 1 as numbers"],
    ["invariance", "accuracies, relaxations and prices of five methods under synthetic invariances"],
    ["invariance --cost …", "the ablation of the relaxation cost: linear, quadratic, power4, maximum"],
    ...federated.experiments.map(({ name, summary }) => [`federated --recipe ${name}`, summary]),
  ].map(([name, summary]) => ({ name, summary }));

function list(): string {
  const width = Math.max(...recipes().map(({ name }) => name.length));
  return recipes()
    .map(({ name, summary }) => `pliant reproduce ${name.padEnd(width)}  ${summary}`)
    .join("\n");
}

export async function reproduce([name, ...args]: string[]): Promise<void> {
  if (name === "--help" || name === "-h")
    throw new HelpAsked(
      `Usage: pliant reproduce EXPERIMENT [options]\n\nThe paper's experiments; pliant reproduce EXPERIMENT --help lists the options of each.\n\n${list()}`,
    );
  if (name === "--list") {
    console.log(args.includes("--json") ? JSON.stringify(recipes(), null, 2) : list());
    return;
  }
  if (name === undefined)
    throw new InputError(
      `Name an experiment, ${Object.keys(experiments).join(", ")}; --list shows their recipes.`,
    );
  const run = experiments[name];
  if (!run) throw unknownName("an experiment", name, Object.keys(experiments));
  await run(args);
}
