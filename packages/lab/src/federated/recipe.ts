// The federated experiments as data: which clients train what, by which method, with every number that decides the
// outcome. A recipe is all of it; a request names what differs from the paper's.

import { minorityClasses } from "@pliant/data";
import { InputError } from "pliant";

export const datasets = ["mnist", "fashion-mnist", "cifar-10", "strokes"] as const;
export const models = ["mlp", "convnet"] as const;
export const methods = [
  "resilient",
  "constrained",
  "unconstrained",
  "agnostic",
  "q-fair",
  "ratio-loss",
] as const;
export const presets = ["official", "corrected"] as const;
/** ‖u‖_β to the power β, over β: linear, quadratic and power4 are β = 1, 2 and 4, maximum is β = ∞. */
export const costNames = ["quadratic", "linear", "power4", "maximum"] as const;

export type DatasetName = (typeof datasets)[number];
export type ModelName = (typeof models)[number];
export type Method = (typeof methods)[number];
export type Preset = (typeof presets)[number];
export type CostName = (typeof costNames)[number];

export interface Recipe {
  readonly dataset: DatasetName;
  readonly model: ModelName;
  readonly method: Method;
  readonly preset: Preset;
  readonly clients: number;
  /** Communication rounds. */
  readonly rounds: number;
  /** Communication rounds to each dual step. */
  readonly roundsPerDual: number;
  /** The communication rounds that the dual rates are for; a shorter run scales them up to come as far. */
  readonly horizon: number;
  /** η_λ, divided by the number of clients where it is used. */
  readonly dualRate: number;
  /** η_u of the published explicit step, divided likewise; without it u minimises h(u) − λu in each dual step. */
  readonly relaxationRate?: number;
  /** ε: no client's loss above the mean by more than this. */
  readonly level: number;
  readonly cost: CostName;
  /** In the published code's meaning: ∇h = αu for the quadratic cost, so that u = λ/α at equilibrium. */
  readonly alpha: number;
  /** q of q-fair. */
  readonly fairness: number;
  /** Minority classes, and the share of their samples that is kept. */
  readonly minority: readonly number[];
  readonly ratio: number;
  /** The Dirichlet concentration of the clients' classes. */
  readonly heterogeneity: number;
  readonly split: "first-client" | "own-prior" | "random-client";
  /** Client test sets: at most this share of the test images, rounded as published or to the client's balance. */
  readonly testShare: number;
  readonly testRounding: "floor" | "balanced";
  /** Flips and crops of what clients train on, and as published of what drives the prices too. */
  readonly augmentation?: "training" | "training and losses";
  readonly local: {
    readonly rate: number;
    readonly epochs: number;
    readonly clip: number;
    readonly decay: number;
    readonly stepsPerEpoch: number;
    /** Whether the samples that fill no batch make one of their own. */
    readonly remainder: "keep" | "drop";
  };
}

type Named = Pick<Recipe, "dataset" | "method" | "preset">;
type Optional = Pick<
  Recipe,
  | "model"
  | "clients"
  | "rounds"
  | "ratio"
  | "level"
  | "alpha"
  | "cost"
  | "dualRate"
  | "relaxationRate"
  | "minority"
  | "split"
>;
export type Request = Named & Partial<Optional>;

interface Scripted {
  readonly model: ModelName;
  readonly horizon: number;
  readonly rate: number;
  readonly level: number;
  readonly dualRate: number;
  readonly relaxationRate: number;
  readonly alpha: number;
}

// As the published scripts have them.
const mnist = {
  model: "mlp",
  horizon: 2500,
  rate: 0.05,
  level: 0.02,
  dualRate: 0.1,
  relaxationRate: 0.1,
  alpha: 2,
} as const;
const scripted: Record<DatasetName, Scripted> = {
  "cifar-10": {
    model: "convnet",
    horizon: 5000,
    rate: 0.1,
    level: 0.02,
    dualRate: 2,
    relaxationRate: 0.5,
    alpha: 2,
  },
  "fashion-mnist": {
    model: "convnet",
    horizon: 5000,
    rate: 0.05,
    level: 0.01,
    dualRate: 2,
    relaxationRate: 0.1,
    alpha: 2,
  },
  mnist,
  strokes: mnist,
};

/** A request with everything else as the paper's code has it, or as its text describes it. */
export function recipe(request: Request): Recipe {
  const { dataset, method, preset } = request;
  const base = scripted[dataset];
  const official = preset === "official";
  const made: Recipe = {
    dataset,
    model: request.model ?? base.model,
    method,
    preset,
    clients: request.clients ?? 100,
    rounds: request.rounds ?? base.horizon,
    roundsPerDual: 5,
    horizon: base.horizon,
    // The 0.1 of the MNIST scripts moves a price by at most half a violation in the whole run, which enforces nothing;
    // the rate behind every published figure is 2.
    dualRate: request.dualRate ?? (official ? base.dualRate : 2),
    // A request for a rate asks for the explicit step, which the maximum norm, tied at its largest, does not have.
    ...((official || request.relaxationRate !== undefined) &&
      request.cost !== "maximum" && {
        relaxationRate: request.relaxationRate ?? base.relaxationRate,
      }),
    level: request.level ?? base.level,
    cost: request.cost ?? "quadratic",
    alpha: request.alpha ?? base.alpha,
    fairness: 1,
    minority: request.minority ?? minorityClasses[3],
    ratio: request.ratio ?? 0.1,
    heterogeneity: 0.3,
    split: request.split ?? (official ? "first-client" : "own-prior"),
    testShare: official ? 0.01 : 0.1,
    testRounding: official ? "floor" : "balanced",
    ...(dataset === "cifar-10" && { augmentation: official ? "training and losses" : "training" }),
    local: {
      rate: base.rate,
      epochs: 5,
      clip: 5,
      decay: 1e-3,
      stepsPerEpoch: 5,
      remainder: official ? "keep" : "drop",
    },
  };
  checkRecipe(made);
  return made;
}

function checkRecipe({ clients, rounds, roundsPerDual, level, alpha, dataset, model }: Recipe): void {
  const whole = (what: string, value: number) => {
    if (!Number.isInteger(value) || value < 1)
      throw new InputError(`The number of ${what} must be a whole number from 1, not ${value}.`);
  };
  whole("clients", clients);
  whole("rounds", rounds);
  if (rounds % roundsPerDual !== 0)
    throw new InputError(
      `The number of rounds must be a multiple of ${roundsPerDual}, the communication rounds to each dual step, not ${rounds}.`,
    );
  if (!Number.isFinite(level)) throw new InputError(`The level ε must be a number, not ${level}.`);
  if (!(alpha > 0 && Number.isFinite(alpha)))
    throw new InputError(
      `The cost coefficient α must be above 0, not ${alpha}; α = ∞ is the constrained method.`,
    );
  if (dataset === "cifar-10" && model === "mlp")
    throw new InputError("The mlp takes 28×28 images of one channel; CIFAR-10 needs the convnet.");
}

/** The dual rates of a run of this length: rounds × rate stays what it is over the horizon. */
export function ratesOf({ horizon, rounds, dualRate, relaxationRate }: Recipe): {
  readonly dualRate: number;
  readonly relaxationRate?: number;
} {
  const longer = horizon / rounds;
  return {
    dualRate: dualRate * longer,
    ...(relaxationRate !== undefined && { relaxationRate: relaxationRate * longer }),
  };
}
