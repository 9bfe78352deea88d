// What a client's records are promised, what the noise has to be for it, and what is spent of it. The unit is a record of a
// client: nothing that leaves the client tells whether it was there, beyond ε at δ, to anyone who sees all of it, all other
// clients and the server together. How many rows a client has, and when it answers, are not covered.
import { InputError } from "@pliant/core";
import type { Formulation } from "../formulations/index.js";
import type { LocalOptions } from "../local.js";
import type { Task } from "../task.js";
import { epsilonOf, type NoisedSums, noiseFor } from "./accountant.js";
import { sampling } from "./steps.js";

/** What is promised of each record, and where its part in sums is cut off. */
export interface PrivacyOptions {
  /** The budget of the whole run, at δ. */
  readonly epsilon: number;
  readonly delta: number;
  /** The longest gradient of a record. */
  readonly clip: number;
  /** The largest loss of a record that is counted. */
  readonly lossClip: number;
  /** The deviation of the noise on a step's gradients over the clip; default: as little as the planned rounds allow. */
  readonly noise?: number;
}

/** What a client is to do, which settles how much is told. */
export interface PrivateWork {
  readonly rows: number;
  readonly local: LocalOptions;
  readonly rounds: number;
  readonly communicationRounds: number;
}

/** Sums told so far. */
export interface Spent {
  /** Local steps, each over a sample. */
  readonly steps: number;
  /** Mean losses, each over all rows. */
  readonly losses: number;
}

/** Before anything is told. */
export const nothingSpent: Spent = { steps: 0, losses: 0 };

/** What two were told, together. */
export const spentTogether = (a: Spent, b: Spent): Spent => ({
  steps: a.steps + b.steps,
  losses: a.losses + b.losses,
});

/** A client's privacy, settled: how much noise, and what is spent of the budget. */
export interface Privacy extends PrivacyOptions {
  readonly noise: number;
  /** The deviation of the noise on a sum of losses over the largest of them. */
  readonly lossNoise: number;
  /** Local steps of a communication round. */
  readonly steps: number;
  epsilonAt(spent: Spent): number;
  /** A sentence, where so much is beyond the budget. */
  refusal(spent: Spent): string | undefined;
}

/** Losses are to cost about a ninth of what steps do: both add up by 1/noise², samples by their rate squared. */
const lossShare = 3;

/** The noise with which a client keeps to its budget for all the work planned. */
export function privacyFor(options: PrivacyOptions, planned: PrivateWork): Privacy {
  const { epsilon, delta } = options;
  const { rows, local, rounds, communicationRounds } = planned;
  checkPrivacy(options);
  if (local.clip !== undefined)
    throw new InputError(
      "With privacy the gradient of each record is clipped, by privacy.clip; leave out the clip of the local steps.",
    );
  if (local.optimizer)
    throw new InputError(
      `Steps with noise are plain gradient steps; leave out ${local.optimizer.name}, or the privacy.`,
    );
  if (!(delta < 1 / rows))
    throw new InputError(
      `privacy.delta is ${delta}, but a client with ${rows} rows needs it below ${1 / rows}: δ = 1/rows is kept by telling one record whole.`,
    );
  const { rate, steps } = sampling(rows, local);
  const lossNoise = (noise: number) => (lossShare * noise) / (rate * Math.sqrt(steps * communicationRounds));
  const told = (noise: number, spent: Spent): NoisedSums[] => [
    { noise, rate, times: spent.steps },
    { noise: lossNoise(noise), rate: 1, times: spent.losses },
  ];
  const whole: Spent = { steps: steps * communicationRounds * rounds, losses: rounds };
  const noise = options.noise ?? noiseFor(epsilon, delta, (one) => told(one, whole));
  const epsilonAt = (spent: Spent): number => epsilonOf(told(noise, spent), delta);
  return {
    ...options,
    noise,
    lossNoise: lossNoise(noise),
    steps,
    epsilonAt,
    refusal: (spent) =>
      epsilonAt(spent) <= epsilon
        ? undefined
        : `The privacy budget ε = ${epsilon} at δ = ${delta} is spent; this site tells nothing more.`,
  };
}

/** Refuses what would tell of records without noise: only gradients and values of cross-entropy have it. */
export function checkTold({ loss }: Task, { name, judged, classWeighting }: Formulation): void {
  if (loss)
    throw new InputError(
      "With privacy the loss is cross-entropy, which is what clips and noise are about; leave out loss.",
    );
  if (judged || classWeighting)
    throw new InputError(
      `With privacy "${name}" can see the clients' losses alone, which have noise; leave out what else it sees, or the privacy.`,
    );
}

function checkPrivacy(options: PrivacyOptions): void {
  for (const name of ["epsilon", "delta", "clip", "lossClip", "noise"] as const) {
    const value = options[name];
    if (value !== undefined && !(value > 0 && Number.isFinite(value)))
      throw new InputError(`privacy.${name} must be a positive number, got ${value}.`);
  }
}
