// When clients can be reached, and how far they come: models of a federation whose clients come and go. What they say of a client
// and a round depends on the seed alone, so that a run that goes on, or is done again, meets the same clients.
import { InputError } from "@pliant/core";
import { random } from "@pliant/engine";

/** Whether a client can be reached in a round, which counts from 0. */
export type Availability = (client: number, round: number) => boolean;

/** A number between 0 and 1 of a client and a round. */
function drawing(seed: number): (client: number, round: number) => number {
  const key = random.foldIn(random.key(seed), 5);
  return (client, round) =>
    random.uniform(random.foldIn(random.foldIn(key, client), round), [1], { dtype: "float64" }).data[0];
}

/** Each client is there by a coin of its own, in every round anew: one chance for all, or one each. */
export function sometimes(chance: number | readonly number[], seed = 0): Availability {
  for (const one of [chance].flat())
    if (!(one >= 0 && one <= 1))
      throw new InputError(`A chance to be there lies between 0 and 1, got ${one}.`);
  const draw = drawing(seed);
  return (client, round) =>
    draw(client, round) < (typeof chance === "number" ? chance : (chance[client] ?? 0));
}

/** Each client is there for a share of every period, as by day and night, from a round of its own on. */
export function inTurns(
  { period, share }: { readonly period: number; readonly share: number },
  seed = 0,
): Availability {
  if (!(Number.isInteger(period) && period >= 1))
    throw new InputError(`A period is a whole number of rounds, got ${period}.`);
  if (!(share >= 0 && share <= 1))
    throw new InputError(`A share of a period lies between 0 and 1, got ${share}.`);
  const draw = drawing(seed);
  return (client, round) => (round + Math.floor(period * draw(client, 0))) % period < share * period;
}

/** Clients come and stay: so many rounds there and so many away, on average, from a mixture of both on. */
export function inSpells(
  { there, away }: { readonly there: number; readonly away: number },
  seed = 0,
): Availability {
  for (const mean of [there, away])
    if (!(mean >= 1 && Number.isFinite(mean)))
      throw new InputError(`A spell is of at least 1 round on average, got ${mean}.`);
  const draw = drawing(seed);
  const known = new Map<number, boolean[]>();
  return (client, round) => {
    const past = known.get(client) ?? [draw(client, 0) < there / (there + away)];
    known.set(client, past);
    for (let r = past.length; r <= round; r++) {
      const changes = draw(client, r) < 1 / (past[r - 1] ? there : away);
      past.push(past[r - 1] !== changes);
    }
    return past[round];
  };
}

/** Clients that may not get through their local steps in time. */
export interface Stragglers {
  /** How many local steps a client has time for in a communication round, which counts from 0. */
  steps(client: number, round: number): number;
  /** What happens then: it is "left out" of that sum, or is "cut short", and sends what it has. */
  readonly late: "left out" | "cut short";
}

/** Time for `typical` steps, times exp(spread·N) with a normal number N of each client and round. */
export function variedPace(
  { typical, spread }: { readonly typical: number; readonly spread: number },
  seed = 0,
): Stragglers["steps"] {
  if (!(typical > 0 && spread >= 0))
    throw new InputError(
      `A pace has a positive number of steps and a spread of at least 0, got ${typical} and ${spread}.`,
    );
  const key = random.foldIn(random.key(seed), 6);
  return (client, round) => {
    const [normal] = random.normal(random.foldIn(random.foldIn(key, client), round), [1]).data;
    return Math.floor(typical * Math.exp(spread * normal));
  };
}

export function checkStragglers({ late }: Stragglers): void {
  if (late !== "left out" && late !== "cut short")
    throw new InputError(`stragglers.late is "left out" or "cut short", got "${late}".`);
}
