// What the clients hold: rows of a common pool of samples, so that nothing is copied and clients may share test samples.

import { InputError } from "@pliant/core";
import type { NdArray } from "@pliant/engine";
import type { Task } from "./task.js";

/** Samples side by side. */
export interface Pool {
  /** [samples, …], as the model takes them. */
  readonly x: NdArray;
  /** [samples], int32 classes; under a loss of one's own whatever that takes, [samples, …]. */
  readonly y: NdArray;
}

/** One client: which rows of the pools are its own. */
export interface Client {
  /** Its samples, as rows of the training pool. */
  readonly train: ArrayLike<number>;
  /** What it is tested on, as rows of the test pool. */
  readonly test?: ArrayLike<number>;
}

/** The data of a simulation: pools of samples and who holds which of them. */
export interface FederatedData {
  readonly train: Pool;
  readonly test?: Pool;
  readonly clients: readonly Client[];
}

/** Labels are 0, 1, … up to this; 0 where targets are no classes. */
export const classesOf = ({ y }: Pool): number =>
  y.dtype !== "int32" || y.shape.length !== 1
    ? 0
    : (y.data as Int32Array).reduce((most, label) => Math.max(most, label + 1), 0);

export function checkData({ train, test, clients }: FederatedData, { loss }: Task = {}): void {
  checkPool("training", train, loss !== undefined);
  if (test) checkPool("test", test, loss !== undefined);
  if (clients.length === 0) throw new InputError("A federation needs at least one client.");
  for (const [c, client] of clients.entries()) {
    if (client.train.length === 0)
      throw new InputError(
        `Client ${c} has no data; leave it out, or give every client at least one sample.`,
      );
    checkRows(`Client ${c}`, "training", client.train, train);
    if (!client.test) continue;
    if (!test) throw new InputError(`Client ${c} has test samples, but there is no test pool.`);
    checkRows(`Client ${c}`, "test", client.test, test);
  }
}

function checkPool(name: string, { x, y }: Pool, ownLoss: boolean): void {
  const samples = x.shape[0] ?? 0;
  if (ownLoss && y.shape[0] === samples) return;
  if (ownLoss)
    throw new InputError(
      `The ${name} pool has ${samples} samples, so its targets must be [${samples}, …], got [${y.shape}].`,
    );
  if (y.dtype !== "int32" || y.shape.length !== 1 || y.shape[0] !== samples) {
    throw new InputError(
      `The ${name} pool has ${samples} samples, so its labels must be int32[${samples}], got ${y.dtype}[${y.shape}].`,
    );
  }
}

function checkRows(who: string, name: string, rows: ArrayLike<number>, { y }: Pool): void {
  for (let i = 0; i < rows.length; i++) {
    if (Number.isInteger(rows[i]) && rows[i] >= 0 && rows[i] < y.shape[0]) continue;
    throw new InputError(`${who} names row ${rows[i]} of the ${name} pool, which has ${y.shape[0]} rows.`);
  }
}
