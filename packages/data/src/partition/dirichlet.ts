// Heterogeneous clients of equal size: each draws the classes of its samples from its own Dirichlet prior, until a
// class runs out. The rules differ in who draws next and in what happens then.

import { InputError } from "@pliant/core";
import type { NumpyStream } from "../streams/index.js";
import { checkClasses, checkClients } from "./checks.js";
import { byClass } from "./classes.js";

/**
 * - `own-prior`: clients are filled one after another; where a class has run out the client redraws from its own
 *   prior without that class.
 * - `first-client`: the same, but the redraw uses the prior of client 0, as the published code does.
 * - `random-client`: a random client draws next (FedDyn), and redraws from its own prior until the class is there.
 */
export type DirichletRule = "own-prior" | "first-client" | "random-client";

/** How unlike the clients of a Dirichlet split are. */
export interface DirichletOptions {
  readonly clients: number;
  /** The concentration of every class: small for clients with few classes, large for alike ones. */
  readonly level: number;
  /** Draws the priors, then one double for each draw or redraw of a class. */
  readonly stream: NumpyStream;
  readonly rule?: DirichletRule;
}

// With less than this of its prior left, a client is dealt what remains instead of waiting for a lucky draw.
const least = 1e-6;

/** ⌊n/clients⌋ positions for each client, without replacement, in the order drawn. */
export function dirichletPartition(
  labels: ArrayLike<number>,
  { clients, level, stream, rule = "own-prior" }: DirichletOptions,
): Int32Array<ArrayBuffer>[] {
  checkClients(clients, labels.length);
  if (!(level > 0)) {
    throw new InputError(
      `The Dirichlet level α must be above 0, not ${level}: 0.3 gives each client few classes.`,
    );
  }
  const queues = byClass(labels);
  const left = Int32Array.from(queues, (queue) => queue.length);
  checkClasses(left);

  const concentration = Array<number>(queues.length).fill(level);
  const priors = Array.from({ length: clients }, () => stream.dirichlet(concentration));
  const cumulative = priors.map((prior) => running(prior));
  const size = Math.floor(labels.length / clients);
  const parts = priors.map(() => new Int32Array(size));
  const filled = new Int32Array(clients);

  const draw = (sums: ArrayLike<number>) => firstAtLeast(sums, stream.double());
  const drawRemaining = () => draw(running(left, 1 / total(left)));
  const give = (client: number, label: number) => {
    parts[client][filled[client]++] = queues[label][queues[label].length - left[label]--];
  };

  if (rule === "random-client") {
    for (let placed = 0; placed < size * clients; ) {
      const client = stream.below(clients);
      if (filled[client] === size) continue;
      const possible = priors[client].reduce((sum, p, label) => (left[label] > 0 ? sum + p : sum), 0);
      let label = possible < least ? drawRemaining() : draw(cumulative[client]);
      while (left[label] === 0) label = draw(cumulative[client]);
      give(client, label);
      placed++;
    }
    return parts;
  }

  // A class leaves the priors when a draw first finds it empty; the sums of the first draw never change.
  const gone = new Uint8Array(queues.length);
  const redraw = (client: number) => {
    const rest = priors[client].map((p, label) => (gone[label] ? 0 : p));
    const mass = total(rest);
    return mass > 0 ? draw(running(rest, 1 / mass)) : drawRemaining();
  };
  for (let client = 0; client < clients; client++) {
    for (let i = 0; i < size; i++) {
      let label = draw(cumulative[client]);
      while (left[label] === 0) {
        gone[label] = 1;
        label = redraw(rule === "first-client" ? 0 : client);
      }
      give(client, label);
    }
  }
  return parts;
}

const total = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0);

function running(values: ArrayLike<number>, factor = 1): Float64Array {
  let sum = 0;
  return Float64Array.from(values, (value) => {
    sum += value * factor;
    return sum;
  });
}

// Sums that end just below 1 by rounding leave the numbers above them to the last value that has any mass.
function firstAtLeast(sums: ArrayLike<number>, value: number): number {
  const target = Math.min(value, sums[sums.length - 1]);
  let i = 0;
  while (sums[i] < target || sums[i] === 0) i++;
  return i;
}
