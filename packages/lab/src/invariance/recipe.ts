// The invariance experiments as data: dataset, method, network and every number that decides the outcome. A request names the
// differences from a preset; text and published code differ:
//
//   official   the published code and its scripts' numbers, mistakes included: whether a copy counts is decided by the batch's mean
//              loss, translations and scales mix two corner conventions, only the methods with requirements clip, one more
//              step of the rate's schedule an epoch, prices before relaxations.
//   stated     the text: ε = 0.1 for every set, each image's own worst copies by the sampler, shifts of 16 pixels, no clipping,
//              Algorithm 1 from the old values. What the text leaves open (α, η_u, η_λ, Augerino's copies) is the code's.
//   corrected  the scripts' numbers with the code's mistakes mended: each image's own chain, one corner convention, the text's shifts,
//              clipping for all methods, u and λ by the proximal step.

import { type Cost, hard, linear, maximum, power, quadratic } from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import type { CostName, Preset } from "../choices.js";

export const datasets = ["mnist", "fashion-mnist", "strokes"] as const;
export const variants = ["original", "rotated-90", "rotated-180", "translated", "scaled"] as const;
export const methods = ["unconstrained", "uniform", "augerino", "constrained", "resilient"] as const;
export const models = ["mlp", "lenet"] as const;
/** The requirements: the loss under each transformation is to stay low. In the order the paper's code has them. */
export const transformations = ["rotation", "translation", "scale"] as const;

export type DatasetName = (typeof datasets)[number];
export type Variant = (typeof variants)[number];
export type Method = (typeof methods)[number];
export type ModelName = (typeof models)[number];
export type Transformation = (typeof transformations)[number];

export interface Recipe {
  readonly dataset: DatasetName;
  readonly variant: Variant;
  readonly method: Method;
  readonly model: ModelName;
  readonly preset: Preset;
  readonly epochs: number;
  /** The first so many training images; default: all of them. */
  readonly subset?: number;
  readonly batch: number;
  /** Adam's rate at the start, falling along a cosine. */
  readonly rate: number;
  readonly decay: number;
  /** The largest norm of a gradient; default: none is clipped. */
  readonly clip?: number;
  /** ε, the level of every requirement. */
  readonly level: number;
  readonly cost: CostName;
  /** In the published code's meaning: ∇h = αu for the quadratic cost, so that u = λ/α. */
  readonly alpha: number;
  /** η_λ over the paper's 60,000 steps; a shorter run takes larger steps, so that prices come as far. */
  readonly dualRate: number;
  /** η_u of the published algorithm. */
  readonly relaxationRate: number;
  /** Transformed copies of an image for each requirement, or for Augerino's mean. */
  readonly samples: number;
  /** The initial value of all six widths of Augerino (default: 0, as in the published scripts). */
  readonly initialWidth?: number;
  /** Whose loss decides which copy counts: the batch's, as published, or each image's own. */
  readonly chain: "batch" | "sample";
  /** Whether translation and scale are sampled with the published code's two corner conventions. */
  readonly mixedCorners: boolean;
  /** Largest shift, in half images. */
  readonly shift: number;
  /** Whether the published code's extra step of the rate's schedule is taken after each epoch. */
  readonly extraScheduleStep: boolean;
}

/** The horizon the dual rates are for. */
export const paperSteps = 60_000;

export type Request = Pick<Recipe, "dataset" | "variant" | "method" | "model" | "preset"> &
  Partial<Pick<Recipe, "epochs" | "subset" | "alpha" | "level" | "cost" | "samples" | "initialWidth">>;

/** The network that the paper's numbers are of: Fashion-MNIST's are the CNN's, but for Augerino, whose script has the MLP. */
export const networkOf = ({ dataset, method }: Pick<Recipe, "dataset" | "method">): ModelName =>
  dataset === "fashion-mnist" && method !== "augerino" ? "lenet" : "mlp";

/** The scripts' coefficient: 1 for one set of MNIST alone, where the text has the same for all; Fashion-MNIST's CNN has 2 first. */
function alphaOf({ dataset, variant, model, preset }: Request): number {
  if (dataset === "fashion-mnist" && model === "lenet") return 2;
  return preset !== "stated" && dataset === "mnist" && variant === "original" ? 1 : 0.5;
}

/** A request with everything else as its preset has it. */
export function recipe(request: Request): Recipe {
  const { dataset, variant, method, model, preset } = request;
  const official = preset === "official";
  const required = method === "constrained" || method === "resilient";
  return {
    dataset,
    variant,
    method,
    model,
    preset,
    epochs: request.epochs ?? 1000,
    ...(request.subset !== undefined && { subset: request.subset }),
    batch: 1000,
    rate: 0.005,
    decay: 1e-4,
    ...((preset === "corrected" || (official && required)) && { clip: 1 }),
    level: request.level ?? (official && dataset === "fashion-mnist" && model === "mlp" ? 0.2 : 0.1),
    cost: request.cost ?? "quadratic",
    alpha: request.alpha ?? alphaOf(request),
    dualRate: 5e-4,
    relaxationRate: 1,
    samples: request.samples ?? (method === "augerino" && dataset === "fashion-mnist" ? 31 : 2),
    ...(method === "augerino" &&
      request.initialWidth !== undefined && { initialWidth: request.initialWidth }),
    chain: official ? "batch" : "sample",
    mixedCorners: official,
    // ±0.5 half images as published, ±16 of 28 pixels as stated.
    shift: official ? 0.5 : 16 / 14,
    extraScheduleStep: official && required,
  };
}

/** The relaxation cost of a method, with its α. A hard requirement is the limit of all of them. */
export function costOf({ method, cost }: Pick<Recipe, "method" | "cost">, alpha: number | Tensor): Cost {
  if (method === "constrained") return hard;
  const part = (n: number): number | Tensor => (typeof alpha === "number" ? alpha / n : alpha.div(n));
  switch (cost) {
    case "quadratic":
      return quadratic(part(2));
    case "linear":
      return linear(alpha);
    case "power4":
      return power(4, part(4));
    case "maximum":
      return maximum(alpha);
  }
}

/**
 * Costs without curvature: a slope says only whether to give way, not how far, so the official preset's explicit step of u swings
 * about the equilibrium for ever. There is no published code for them; u and λ take the exact step, as in federations.
 */
export const solvedExactly = ({ method, cost }: Pick<Recipe, "method" | "cost">): boolean =>
  method === "resilient" && (cost === "linear" || cost === "maximum");

/**
 * Whether u is in a two-cycle: the published step u ← u − η_u (h′(u) − λ) turns about its equilibrium and comes no nearer to it
 * where η_u h″(u) is 2 or more, as it is for α = 2 and η_u = 1. Then u of one step means little, the mean of two much.
 */
export function inTwoCycle(
  { method, cost, preset, alpha, relaxationRate }: Omit<Recipe, "dataset">,
  u: number,
): boolean {
  const explicit = method === "resilient" && preset !== "corrected";
  const curvature = cost === "quadratic" ? alpha : cost === "power4" ? 3 * alpha * u ** 2 : 0;
  return explicit && relaxationRate * curvature >= 2;
}
