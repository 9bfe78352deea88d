// Clients with few labels: samples sorted by label, cut into shards, and a few shards dealt to each client.
// McMahan et al., "Communication-efficient learning of deep networks from decentralized data", 2017.

import { InputError } from "@pliant/core";
import { checkClients } from "./checks.js";
import { byClass } from "./classes.js";

/** `shards` random pieces of the samples sorted by label for each client; samples beyond a multiple are left out. */
export function shardPartition(
  labels: ArrayLike<number>,
  {
    clients,
    shards = 2,
    stream,
  }: { clients: number; shards?: number; stream: { permutation(n: number): Int32Array } },
): Int32Array<ArrayBuffer>[] {
  checkClients(clients, labels.length);
  const pieces = clients * shards;
  const size = Math.floor(labels.length / pieces);
  if (!Number.isInteger(shards) || shards < 1 || size < 1) {
    throw new InputError(
      `${clients} clients with ${shards} shards each cannot share ${labels.length} samples: each shard needs one.`,
    );
  }
  const sorted = byClass(labels).flatMap((group) => Array.from(group));
  const order = stream.permutation(pieces);
  return Array.from({ length: clients }, (_, c) =>
    Int32Array.from({ length: shards * size }, (_, i) => {
      const shard = order[c * shards + Math.floor(i / size)];
      return sorted[shard * size + (i % size)];
    }),
  );
}
