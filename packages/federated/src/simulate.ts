// A whole run: rounds one after another, with something to look at after each.

import { InputError } from "@pliant/core";
import { readAll } from "@pliant/engine";
import type { LocalOptions } from "./local.js";
import type { SimulationOptions } from "./options.js";
import { createSimulation } from "./simulation.js";
import type { Evaluation, RoundMetrics, SimulationState } from "./state.js";

/** A simulation, and how long it runs. */
export interface SimulateOptions<P> extends SimulationOptions<P> {
  /** Rounds in all, those of a resumed state included. */
  readonly rounds: number;
  /** Steps of their own that clients take from the final model on, before it is evaluated as theirs. */
  readonly personalise?: LocalOptions;
  /** Goes on from here. */
  readonly state?: SimulationState<P>;
  /** Rounds between two evaluations on the test samples; 1 unless given, 0 for the end alone. */
  readonly evaluateEvery?: number;
  /** After each round; `save` brings the state to the host, as plain data for a checkpoint. */
  readonly onRound?: (metrics: RoundMetrics, save: () => Promise<SimulationState<P>>) => void | Promise<void>;
}

/** What a run ends with. */
export interface Simulated<P> {
  /** Plain data. */
  readonly state: SimulationState<P>;
  /** Of the final model. */
  readonly evaluation: Evaluation;
  /** ε that each client has spent, where records are private. */
  readonly epsilon?: number[];
}

/** Runs a federation for a number of rounds. */
export async function simulate<P>({
  rounds,
  state: given,
  evaluateEvery = 1,
  personalise,
  onRound,
  ...options
}: SimulateOptions<P>): Promise<Simulated<P>> {
  if (!(Number.isInteger(rounds) && rounds >= 0))
    throw new InputError(`rounds must be a whole number of at least 0, got ${rounds}.`);
  const simulation = createSimulation({ ...options, rounds });
  let state = given ?? simulation.init();
  while (state.step < rounds) {
    const done = await simulation.round(state);
    state = done.state;
    const look = evaluateEvery > 0 && state.step % evaluateEvery === 0;
    const test = look ? await simulation.evaluateTest(state) : undefined;
    const reached = state;
    await onRound?.({ ...done.metrics, test }, () => onHost(reached));
  }
  const train = await simulation.evaluateTrain(state);
  const epsilon = simulation.epsilon(state);
  return {
    ...(epsilon && { epsilon }),
    state: await onHost(state),
    evaluation: {
      train,
      test: await simulation.evaluateTest(state),
      ...(personalise && { personalised: await simulation.evaluatePersonalised(state, personalise) }),
    },
  };
}

/** A state as plain data. */
export async function onHost<P>({ step, ...arrays }: SimulationState<P>): Promise<SimulationState<P>> {
  return { step, ...((await readAll(arrays)) as unknown as Omit<SimulationState<P>, "step">) };
}
