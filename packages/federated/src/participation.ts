// Who takes part in a round, and what that means for those who do not.
//
// One draw a round: its participants measure their losses, take all its communication rounds and update their duals. Absent
// clients keep λ_c and u_c: they have measured nothing, and a price moved by a guess would not be theirs. The mean price is
// over all clients, absent ones included: only participants' prices change, so the server keeps it exactly by adding the
// average change, and weights 1 + λ_c − λ̄ of a random S are unbiased (they sum to |S| on average). The mean loss is over the
// participants: losses of earlier rounds belong to other models, mostly worse ones, and would make every slack too small.

import { InputError } from "@pliant/core";
import { random } from "@pliant/engine";
import type { Availability } from "./availability.js";

/** A number of clients, or a share of them below 1. */
export type Participation = number;

/** How many clients that is. */
export function participantCount(participation: Participation, clients: number): number {
  const count = participation < 1 ? Math.round(participation * clients) : participation;
  if (!(participation > 0 && Number.isInteger(count)))
    throw new InputError(
      `participation is a share between 0 and 1 or a whole number of clients, got ${participation}.`,
    );
  if (count < 1)
    throw new InputError(
      `With participation ${participation} none of ${clients} clients takes part; raise it.`,
    );
  if (count > clients) throw new InputError(`${count} clients cannot take part, there are only ${clients}.`);
  return count;
}

/** In how many of the first rounds each client took part; what was counted once is kept. */
export function participations(
  chosen: (round: number) => readonly number[],
): (rounds: number, clients: number) => readonly number[] {
  let [counts, counted]: [number[], number] = [[], 0];
  return (rounds, clients) => {
    if (counted > rounds || counted === 0) [counts, counted] = [Array(clients).fill(0), 0];
    for (; counted < rounds; counted++) for (const c of chosen(counted)) counts[c]++;
    return counts;
  };
}

/**
 * The participants of a round in ascending order: all that can be reached, or a random set of them that depends on seed and
 * round alone. Of those that can be reached, fewer than wanted may be left, or none.
 */
export function chooseParticipants(
  clients: number,
  count: number,
  seed: number,
  round: number,
  availability?: Availability,
): number[] {
  const there = (c: number) => availability?.(c, round) ?? true;
  const everyone = Array.from({ length: clients }, (_, c) => c);
  if (count === clients) return everyone.filter(there);
  const key = random.foldIn(random.foldIn(random.key(seed), 2), round);
  const drawn = Array.from(random.permutation(key, clients).data).filter(there);
  return drawn.slice(0, count).sort((a, b) => a - b);
}
