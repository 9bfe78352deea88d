// The federated experiments as data: which clients train what, by which method, with every number that decides the
// outcome. A recipe is all of it; a request names what differs from its preset.

import { InputError } from "@pliant/core";
import { minorityClasses } from "@pliant/data";
import type { Precision } from "@pliant/engine/xla";
import type { CostName, Preset } from "../choices.js";
import { settingsOf } from "./presets.js";

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
export const solvers = ["fedavg", "fedprox", "scaffold", "fedpd"] as const;
/** Dirichlet priors with a rule for classes that have run out, or `mix`: a share dealt at random, the rest by label. */
export const splits = ["first-client", "own-prior", "random-client", "mix"] as const;

export type DatasetName = (typeof datasets)[number];
export type ModelName = (typeof models)[number];
export type Method = (typeof methods)[number];
export type SolverName = (typeof solvers)[number];
export type Split = (typeof splits)[number];

/** A recipe has only the settings that its method uses: constrained runs that differ only in α are one run. */
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
  /** The communication rounds that the dual rates are for; see `ratesOf` for a run of another length. */
  readonly horizon: number;
  /** η_λ, divided by the number of clients where it is used. */
  readonly dualRate?: number;
  /** η_u of the published explicit step, divided likewise; without it u minimises h(u) − λu in each dual step. */
  readonly relaxationRate?: number;
  /** No price above this; default: none for constrained runs. */
  readonly cap?: number;
  /** ε: no client's loss above the mean by more than this. */
  readonly level: number;
  readonly cost?: CostName;
  /** In the published code's meaning: ∇h = αu for the quadratic cost, so that u = λ/α at equilibrium. */
  readonly alpha?: number;
  /** q of q-fair. */
  readonly fairness?: number;
  /** The step of agnostic's exponentiated weights. */
  readonly agnosticRate?: number;
  readonly solver: SolverName;
  /** μ of FedProx. */
  readonly proximal?: number;
  /** η of FedPD. */
  readonly penalty?: number;
  /** How many clients, or which share of them below 1, take part in a round; default: all. */
  readonly participation?: number;
  /** Minority classes, and the share of their samples that is kept. */
  readonly minority: readonly number[];
  readonly ratio: number;
  readonly split: Split;
  /** The Dirichlet concentration of the clients' classes. */
  readonly heterogeneity?: number;
  /** For `mix`: the share of the samples that is dealt at random. */
  readonly alike?: number;
  /** Client test sets: at most this share of the test images, rounded as published or to the client's balance. */
  readonly testShare: number;
  readonly testRounding: "floor" | "balanced";
  /** Flips and crops of what clients train on, and as published of what drives the prices too. */
  readonly augmentation?: "training" | "training and losses";
  /** Whether u and λ are reported as they were before the last update, as the published logs have them, or after it. */
  readonly reportedDuals: "before" | "after";
  /** How a GPU computes float32 products; the device's own unless asked for. */
  readonly precision?: Precision;
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
  | "cap"
  | "fairness"
  | "agnosticRate"
  | "solver"
  | "proximal"
  | "penalty"
  | "participation"
  | "minority"
  | "split"
  | "heterogeneity"
  | "alike"
  | "precision"
> & {
  /** `exact` asks for the minimum of h(u) − λu. */
  readonly relaxationRate: number | "exact";
};
export type Request = Named & Partial<Optional>;

/** A request with everything else as its preset has it. */
export function recipe(request: Request): Recipe {
  const { dataset, method, preset, clients = 100, ratio = 0.1, solver = "fedavg" } = request;
  const { dualRate, relaxationRate, alpha, localRate, remainder, ...settings } = settingsOf[preset]({
    dataset,
    clients,
    ratio,
  });
  const priced = method === "resilient" || method === "constrained";
  const split = request.split ?? settings.split;
  const made: Recipe = {
    dataset,
    method,
    preset,
    clients,
    rounds: request.rounds ?? settings.horizon,
    roundsPerDual: 5,
    ...settings,
    model: request.model ?? settings.model,
    level: request.level ?? settings.level,
    ...(priced && { dualRate: request.dualRate ?? dualRate }),
    ...(method === "resilient" && relaxing(request, { relaxationRate, alpha })),
    ...(method === "constrained" && request.cap !== undefined && { cap: request.cap }),
    ...(method === "q-fair" && { fairness: request.fairness ?? 1 }),
    // The step of its weights is the one that the prices of the others take.
    ...(method === "agnostic" && { agnosticRate: request.agnosticRate ?? dualRate / clients }),
    solver,
    ...(solver === "fedprox" && { proximal: request.proximal ?? 0.1 }),
    // As the published code has it.
    ...(solver === "fedpd" && { penalty: request.penalty ?? 10 }),
    ...(request.participation !== undefined && { participation: request.participation }),
    minority: request.minority ?? minorityClasses[3],
    ratio,
    split,
    ...(split === "mix" ? { alike: request.alike ?? 0.1 } : { heterogeneity: request.heterogeneity ?? 0.3 }),
    ...(request.precision !== undefined && { precision: request.precision }),
    local: { rate: localRate, epochs: 5, clip: 5, decay: 1e-3, stepsPerEpoch: 5, remainder },
  };
  checkRecipe(made);
  return made;
}

/** The relaxation of a resilient run. */
function relaxing(
  { cost = "quadratic", alpha, relaxationRate }: Request,
  preset: { readonly alpha: number; readonly relaxationRate?: number },
): Pick<Recipe, "cost" | "alpha" | "relaxationRate"> {
  // The maximum norm has no explicit step: it is tied at its largest.
  const rate = cost === "maximum" ? "exact" : (relaxationRate ?? preset.relaxationRate ?? "exact");
  return { cost, alpha: alpha ?? preset.alpha, ...(rate !== "exact" && { relaxationRate: rate }) };
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
  if (alpha !== undefined && !(alpha > 0 && Number.isFinite(alpha)))
    throw new InputError(
      `The cost coefficient α must be above 0, not ${alpha}; α = ∞ is the constrained method.`,
    );
  if (dataset === "cifar-10" && model === "mlp")
    throw new InputError("The mlp takes 28×28 images of one channel; CIFAR-10 needs the convnet.");
}
