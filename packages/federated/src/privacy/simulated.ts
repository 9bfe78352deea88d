// Private records in a simulation: what every client does between machines, with noise that comes from the seed. So a run can be
// repeated to the bit, its numbers are those of private clients, and it hides nothing from whoever knows the seed.
import { InputError } from "@pliant/core";
import { random } from "@pliant/engine";
import type { LocalOptions } from "../local.js";
import { type Draw, drawFrom, noisedMean } from "./noise.js";
import { type Privacy, type PrivacyOptions, privacyFor, type Spent } from "./plan.js";

/** Words drawn at once. */
const block = 1024;

/** Of a client in a communication round. */
export function simulatedDraw(seed: number, client: number, number: number): Draw {
  const key = random.foldIn(random.foldIn(random.foldIn(random.key(seed), 7), client), number);
  let [words, next, blocks]: [ArrayLike<number>, number, number] = [[], 0, 0];
  return drawFrom(() => {
    if (next === words.length) {
      words = random.bits(random.foldIn(key, blocks++), block);
      next = 0;
    }
    return words[next++];
  });
}

/** The same draw for the same client and round, which goes on where it was: the loss is told before the first steps. */
export function keptDraws(seed: number): (client: number, number: number) => Draw {
  let kept = new Map<number, Draw>();
  let of = -1;
  return (client, number) => {
    if (number !== of) [kept, of] = [new Map(), number];
    const draw = kept.get(client) ?? simulatedDraw(seed, client, number);
    kept.set(client, draw);
    return draw;
  };
}

/** Private clients of a simulation. */
export interface PrivateFederation {
  /** What local steps are told: the same noise for all clients. */
  readonly privacy: Privacy;
  /** A client's mean loss, as it tells it. */
  tell(client: number, losses: ArrayLike<number>, draw: Draw): number;
  /** ε of each client after so many rounds it took part in. */
  epsilons(rounds: readonly number[]): number[];
}

/** The promise, and the work it is to last for. */
export interface PrivateFederationOptions {
  readonly privacy: PrivacyOptions;
  /** Of each client. */
  readonly samples: readonly number[];
  readonly local: LocalOptions;
  readonly rounds: number | undefined;
  readonly communicationRounds: number;
}

/** One noise for all: as much as the client needs that needs most, so that each keeps to the budget. */
export function privateFederation(options: PrivateFederationOptions): PrivateFederation {
  const { privacy, samples, local, rounds, communicationRounds } = options;
  if (rounds === undefined)
    throw new InputError("With privacy say for how many rounds the noise is to last: rounds.");
  const different = [...new Set(samples)];
  const planned = (given: PrivacyOptions) =>
    different.map((rows) => privacyFor(given, { rows, local, rounds, communicationRounds }));
  const noise = privacy.noise ?? Math.max(...planned(privacy).map((one) => one.noise));
  const settled = planned({ ...privacy, noise });
  const of = samples.map((rows) => settled[different.indexOf(rows)]);
  const spentIn = (client: number, times: number): Spent => ({
    steps: of[client].steps * communicationRounds * times,
    losses: times,
  });
  return {
    privacy: settled[0],
    tell: (client, losses, draw) => noisedMean(losses, of[client].lossClip, of[client].lossNoise, draw),
    epsilons: (taken) =>
      taken.map((times, client) => {
        const spent = spentIn(client, times);
        const refusal = of[client].refusal(spent);
        if (refusal) throw new InputError(`Client ${client}, round ${times} of its own: ${refusal}`);
        return of[client].epsilonAt(spent);
      }),
  };
}
