// What a simulation is told, and what of it does not go together.

import { InputError } from "@pliant/core";
import type { Backend } from "@pliant/engine";
import type { Model } from "@pliant/learn";
import type { Augmentation } from "./augmentation.js";
import { type Availability, checkStragglers, type Stragglers } from "./availability.js";
import type { Order } from "./batches.js";
import type { FederatedData } from "./data.js";
import type { FixedPoint } from "./fixed-sums.js";
import type { Formulation } from "./formulations/index.js";
import type { LocalOptions } from "./local.js";
import type { Participation } from "./participation.js";
import { checkTold, type PrivacyOptions } from "./privacy/index.js";
import type { ServerOptimizer } from "./server-optimizer.js";
import type { Solver } from "./solvers.js";
import type { Task } from "./task.js";
import { checkWeighting, type Weighting } from "./weighting.js";

/** What a simulation is told. Model, data and local steps are all it needs. */
export interface SimulationOptions<P> extends Task {
  readonly model: Model<P>;
  readonly data: FederatedData;
  readonly local: LocalOptions;
  /** `unconstrained()` unless given. */
  readonly formulation?: Formulation;
  /** `fedAvg()` unless given. */
  readonly solver?: Solver;
  /** Whose losses R̄ is the mean of: that of clients unless given, or that of samples. */
  readonly weighting?: Weighting;
  /** Communication rounds for each dual step; default: 5, as published. */
  readonly communicationRounds?: number;
  /** η_g. */
  readonly serverRate?: number;
  /** `fedAvgM`, `fedAdam` or `fedYogi`, with a rate of its own; default: the mean update itself. */
  readonly server?: ServerOptimizer;
  /** How many clients, or which share of them below 1, take part in a round; default: all. */
  readonly participation?: Participation;
  /** Who can be reached in a round; default: everyone. See `sometimes`, `inTurns`, `inSpells`. */
  readonly availability?: Availability;
  /** Who does not get through its local steps in time; default: nobody. */
  readonly stragglers?: Stragglers;
  /**
   * When the losses measured at the beginning of a round reach the weights: "published", after the round, so that its
   * weights come from the prices before; "fresh", at once. Both have the same fixed points.
   */
  readonly timing?: "published" | "fresh";
  readonly seed?: number;
  /** The model to begin with; default: drawn from the seed. */
  readonly params?: P;
  /** The order of a client's samples in an epoch; default: from the seed. */
  readonly order?: Order;
  /** What happens to samples before a client trains on them, and to those of the losses that drive the duals if asked for. */
  readonly augmentation?: Augmentation & { readonly losses?: boolean };
  /** Noise on what clients tell of their records, by the seed; clients then advance one by one. Needs `rounds`. */
  readonly privacy?: PrivacyOptions;
  /** Rounds in all, those of a resumed state included. */
  readonly rounds?: number;
  /** Sums in fixed point, as secure sums over a network are, to the bit; clients then advance one by one. */
  readonly fixedPoint?: FixedPoint;
  readonly backend?: Backend;
  /** How many clients advance at once: 1, a number, or all (Infinity). Default: by `clientsTogether`. */
  readonly together?: number;
  /**
   * Steps as wide as their batches need, in one call for each width in a row, unless given as false: all of one width, in
   * one call, with samples of weight 0 in a small remainder batch.
   */
  readonly trim?: boolean;
  /** Samples in one call of an evaluation. */
  readonly chunk?: number;
}

/** What the options come to. */
export interface Chosen {
  readonly formulation: Formulation;
  readonly solver: Solver;
  readonly communicationRounds: number;
  readonly absent: boolean;
}

type Checked = Pick<
  SimulationOptions<unknown>,
  | "serverRate"
  | "server"
  | "together"
  | "fixedPoint"
  | "privacy"
  | "augmentation"
  | "loss"
  | "weighting"
  | "stragglers"
> & {
  readonly local: LocalOptions;
};

/** Refuses what does not go together. */
export function checkOptions(
  {
    serverRate = 1,
    server,
    together = 1,
    fixedPoint,
    privacy,
    augmentation,
    local,
    loss,
    weighting,
    stragglers,
  }: Checked,
  { formulation, solver, communicationRounds, absent }: Chosen,
): void {
  if (!(Number.isInteger(communicationRounds) && communicationRounds >= 1))
    throw new InputError(
      `communicationRounds must be a whole number of at least 1, got ${communicationRounds}.`,
    );
  if (!(serverRate > 0 && Number.isFinite(serverRate)))
    throw new InputError(`serverRate must be a positive number, got ${serverRate}.`);
  if (server && serverRate !== 1)
    throw new InputError(`${server.name} has a rate of its own; leave out serverRate.`);
  if (!(together >= 1 && (Number.isInteger(together) || together === Infinity)))
    throw new InputError(`together must be a whole number of at least 1, got ${together}.`);
  if (fixedPoint && together !== 1)
    throw new InputError("In fixed point each client's update is rounded by itself; leave out together.");
  if (absent && solver.refusesAbsence)
    throw new InputError(
      `${solver.refusesAbsence}, so all clients must take part; leave out participation, availability and stragglers, or choose another solver.`,
    );
  if (stragglers) checkStragglers(stragglers);
  if (privacy) checkPrivate({ together, loss, stragglers, augmentation }, formulation);
  if (local.optimizer && solver.refusesLocalOptimizer)
    throw new InputError(
      `${solver.refusesLocalOptimizer}; leave out local.optimizer (${local.optimizer.name}).`,
    );
  if (loss && formulation.classWeighting)
    throw new InputError("The ratio loss weighs the classes of cross-entropy; leave out loss.");
  checkWeighting(weighting, formulation);
  if (formulation.fairness === undefined) return;
  if (communicationRounds !== 1)
    throw new InputError(
      "q-FedAvg measures the losses before every communication round; set communicationRounds to 1.",
    );
  const other = solver.keeps || solver.shares ? solver : (server ?? local.optimizer);
  if (other)
    throw new InputError(
      `q-FedAvg chooses the server's step for plain local steps; it cannot go with ${other.name}.`,
    );
}

/** What noised steps cannot do, or would tell without noise. */
function checkPrivate(
  {
    together,
    stragglers,
    augmentation,
    loss,
  }: Pick<SimulationOptions<unknown>, "together" | "stragglers" | "augmentation" | "loss">,
  formulation: Formulation,
): void {
  checkTold({ loss }, formulation);
  if (together !== 1)
    throw new InputError("With privacy each client draws its own samples; leave out together.");
  if (stragglers?.late === "cut short")
    throw new InputError('With privacy the number of steps is settled; stragglers are to be "left out".');
  if (augmentation)
    throw new InputError("Steps with noise are on samples as they are; leave out augmentation.");
}
