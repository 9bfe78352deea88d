// The outcome of one run: every client's numbers, and the summary that tables show.

import type { CostName } from "../choices.js";
import { largest, mean, rms, spearman, spread } from "../statistics.js";
import { equilibriumNote, equilibriumResidual } from "./equilibrium.js";
import { type Rates, ratesOf, rateWarning } from "./rates.js";
import type { Recipe } from "./recipe.js";

/** A client at the end of a run; losses and accuracies (percent) are of the final model, u and λ as `reportedDuals` says. */
export interface ClientOutcome {
  readonly relaxation: number;
  readonly price: number;
  readonly minorityShare: number;
  readonly samples: number;
  readonly trainLoss: number;
  readonly trainAccuracy: number;
  readonly testLoss: number;
  readonly testAccuracy: number;
}

/** How many clients have a loss above the mean by more than was allowed. */
export interface Violating {
  readonly train: number;
  readonly test: number;
}

export interface Row {
  readonly dataset: string;
  readonly method: string;
  readonly model: string;
  readonly preset: string;
  readonly seed: number;
  readonly clients: number;
  /** Communication rounds. */
  readonly rounds: number;
  readonly ratio: number;
  /** ε. */
  readonly level: number;
  /** In the published code's meaning: ∇h = αu, so u = λ/α at equilibrium. Only of resilient runs. */
  readonly alpha?: number;
  readonly cost?: CostName;
  /** As asked for, over the recipe's horizon. */
  readonly dualRate?: number;
  readonly relaxationRate?: number;
  /** As used. */
  readonly rates?: Rates;
  /** All that was asked for, but the seed. */
  readonly recipe: Recipe;
  /** Over the test accuracies of the clients, in percent. */
  readonly meanAccuracy: number;
  readonly iqr: number;
  readonly range: number;
  /** The accuracy of the final model on the whole test set, in percent. */
  readonly globalAccuracy: number;
  readonly meanTrainLoss: number;
  /** Largest client loss above the mean, on training data. */
  readonly worstExcess: number;
  /** √ mean u². */
  readonly relaxationRms: number;
  readonly largestPrice: number;
  /** 0 where ∇h(u) = λ at every client; only of resilient runs. See `equilibriumResidual`. */
  readonly equilibriumResidual?: number;
  /** Warnings about the numbers, in sentences. */
  readonly notes: readonly string[];
  /** Largest rise from training to test of a client's loss above the mean. */
  readonly largestGap: number;
  /** Largest test loss above the (relaxed) requirement. */
  readonly largestViolation: number;
  /** Clients above the relaxed requirement; without relaxations it is the nominal one. */
  readonly violating: Violating;
  readonly violatingNominal: Violating;
  /** Spearman's, between relaxation and minority share, among the clients that hold minority data. */
  readonly minorityCorrelation?: number;
  readonly seconds: number;
  readonly perClient: readonly ClientOutcome[];
}

const set = { train: "trainLoss", test: "testLoss" } as const;

/** R_c − R̄ − ε of every client, minus u_c for the relaxed requirement. */
export function violations(
  { perClient, level }: Pick<Row, "perClient" | "level">,
  on: "train" | "test",
  { relaxed = true } = {},
): number[] {
  const losses = perClient.map((client) => client[set[on]]);
  const middle = mean(losses);
  return losses.map((loss, c) => loss - middle - level - (relaxed ? perClient[c].relaxation : 0));
}

/** By how much more each client's loss exceeds the mean on test than on training data. */
export function gaps({ perClient }: Pick<Row, "perClient">): number[] {
  const nominal = { perClient, level: 0 };
  const train = violations(nominal, "train", { relaxed: false });
  return violations(nominal, "test", { relaxed: false }).map((test, c) => test - train[c]);
}

export interface Outcome {
  readonly seed: number;
  readonly globalAccuracy: number;
  readonly seconds: number;
  readonly perClient: readonly ClientOutcome[];
}

/** A run's row. */
export function rowOf(recipe: Recipe, { seed, globalAccuracy, seconds, perClient }: Outcome): Row {
  const bounds = { perClient, level: recipe.level };
  const count = (relaxed: boolean): Violating => ({
    train: violations(bounds, "train", { relaxed }).filter((v) => v > 0).length,
    test: violations(bounds, "test", { relaxed }).filter((v) => v > 0).length,
  });
  const { mean: meanAccuracy, iqr, range } = spread(perClient.map((client) => client.testAccuracy));
  const trainLosses = perClient.map((client) => client.trainLoss);
  const relaxations = perClient.map((client) => client.relaxation);
  const holders = perClient.filter((client) => client.minorityShare > 0);
  const minorityCorrelation = spearman(
    holders.map((client) => client.relaxation),
    holders.map((client) => client.minorityShare),
  );
  const resilient = recipe.method === "resilient";
  const residual = equilibriumResidual(recipe, perClient);
  const notes = [rateWarning(recipe), equilibriumNote(recipe, residual, perClient)];
  return {
    dataset: recipe.dataset,
    method: recipe.method,
    model: recipe.model,
    preset: recipe.preset,
    seed,
    clients: recipe.clients,
    rounds: recipe.rounds,
    ratio: recipe.ratio,
    level: recipe.level,
    ...(resilient && { alpha: recipe.alpha, cost: recipe.cost }),
    ...(recipe.dualRate !== undefined && { dualRate: recipe.dualRate, rates: ratesOf(recipe) }),
    ...(recipe.relaxationRate !== undefined && { relaxationRate: recipe.relaxationRate }),
    recipe,
    meanAccuracy,
    iqr,
    range,
    globalAccuracy,
    meanTrainLoss: mean(trainLosses),
    worstExcess: largest(trainLosses) - mean(trainLosses),
    relaxationRms: rms(relaxations),
    largestPrice: largest(perClient.map((client) => client.price)),
    ...(residual !== undefined && { equilibriumResidual: residual }),
    notes: notes.filter((note) => note !== undefined),
    largestGap: largest(gaps({ perClient })),
    largestViolation: largest(violations(bounds, "test")),
    violating: count(true),
    violatingNominal: count(false),
    ...(resilient && minorityCorrelation !== undefined && { minorityCorrelation }),
    seconds,
    perClient,
  };
}
