// What every way of dealing samples to clients asks of its input.

import { InputError } from "@pliant/core";

/** Refuses a number of clients that leaves some of them without a sample. */
export function checkClients(clients: number, samples: number): void {
  if (!Number.isInteger(clients) || clients < 1) {
    throw new InputError(`The number of clients must be a whole number from 1, not ${clients}.`);
  }
  if (clients > samples) {
    throw new InputError(
      `${clients} clients cannot share ${samples} samples: each needs at least one, so ask for fewer clients.`,
    );
  }
}

/** Refuses labels that miss a class: no client could ever be dealt it. */
export function checkClasses(counts: ArrayLike<number>): void {
  const absent = Array.from(counts).indexOf(0);
  if (absent >= 0) {
    throw new InputError(
      `Class ${absent} has no sample anywhere in the training data: leave it out or keep more of it.`,
    );
  }
}

/** Refuses a client without samples. */
export function checkParts(parts: readonly ArrayLike<number>[]): void {
  const empty = parts.findIndex((part) => part.length === 0);
  if (empty >= 0)
    throw new InputError(`Client ${empty} holds no data: every client needs at least one sample.`);
}
