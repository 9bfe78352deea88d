// Clients between alike and sorted: a part of each client's samples is dealt at random, the rest by label.

import { InputError } from "@pliant/core";
import { checkClients } from "./checks.js";
import { byClass } from "./classes.js";

/**
 * A share `alike` of the samples (taken in order, so permute them before) is cut into equal pieces as it stands, the
 * rest is sorted by label and cut; client c gets piece c of both. 1 gives alike clients, 0 sorted ones. Samples
 * beyond a multiple of the number of clients are left out.
 */
export function mixPartition(
  labels: ArrayLike<number>,
  { clients, alike }: { clients: number; alike: number },
): Int32Array<ArrayBuffer>[] {
  checkClients(clients, labels.length);
  if (!(alike >= 0 && alike <= 1)) {
    throw new InputError(`The share of alike samples must lie between 0 and 1, not ${alike}.`);
  }
  const perClient = Math.floor(labels.length / clients);
  const mixed = Math.floor(Math.floor(labels.length * alike) / clients);
  const rest = Array.from({ length: (perClient - mixed) * clients }, (_, i) => mixed * clients + i);
  const sorted = byClass(rest.map((i) => labels[i])).flatMap((group) => Array.from(group, (i) => rest[i]));
  return Array.from({ length: clients }, (_, c) =>
    Int32Array.from({ length: perClient }, (_, i) =>
      i < mixed ? c * mixed + i : sorted[c * (perClient - mixed) + i - mixed],
    ),
  );
}
