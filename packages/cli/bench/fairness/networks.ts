// Beside Cooper and humancompatible-train on the same network, rows and number of steps: the counted rate and the loss. Pliant runs
// with its defaults; of each peer the best of some rates of its multipliers is shown, the one that misses least, then of least loss.
import type { Peer } from "../peer.js";
import { classes } from "../table.js";
import { type Kind, type Outcome, ours, violation, written } from "./ask.js";

interface Side {
  readonly seconds: number;
  readonly loss: number;
  readonly train: Outcome;
  readonly test: Outcome;
}

export interface NetworkRow {
  readonly kind: Kind;
  readonly level: number;
  readonly steps: number;
  readonly pliant: Side & { readonly certified: boolean };
  readonly peers: Readonly<Record<string, Side & { readonly dual: number }>>;
}

const hidden = 16;
const decay = 0.001;
const duals = [0.01, 0.1, 1];
const problems: readonly [Kind, number][] = [
  ["misses", 0.1],
  ["parity", 0.03],
  ["odds", 0.05],
];

export async function besideNetworks(
  root: string,
  libraries: readonly string[],
  peer: Peer | undefined,
  say: (line: string) => void,
): Promise<NetworkRow[]> {
  const table = classes({
    seed: 103,
    rows: 6000,
    positives: 0.35,
    groups: [7, 3],
    shift: 0.8,
    curved: true,
    signal: 1,
  });
  const rows = written(root, "network", table, 2000);
  const found: NetworkRow[] = [];
  for (const [kind, level] of problems) {
    const own = await ours(rows, kind, level, { hidden, decay });
    const { steps, certificate, train } = own.report;
    const question = { train: rows.train, test: rows.test, kind, level, hidden, decay, steps, rate: 0.01 };
    const peers: Record<string, Side & { dual: number }> = {};
    for (const library of peer ? libraries : []) {
      const tried: (Side & { dual: number })[] = [];
      for (const dual of duals)
        tried.push({ ...(await peer!.ask<Side>({ ...question, library, dual })), dual });
      peers[library] = tried.reduce((a, b) => (better(b, a, level) ? b : a));
    }
    const pliant = {
      seconds: own.seconds,
      loss: train.loss.value,
      train: own.train,
      test: own.test,
      certified: certificate.holds,
    };
    found.push({ kind, level, steps, pliant, peers });
    say(`${kind} ${level}, ${steps} steps:`);
    for (const [name, side] of Object.entries({ pliant, ...peers })) say(line(name, side, level));
  }
  return found;
}

/** A tenth of a percentage point is as good as none. */
const better = (a: Side, b: Side, level: number): boolean => {
  const apart = violation(a.train, level) - violation(b.train, level);
  return apart < -0.001 || (apart <= 0.001 && a.loss < b.loss);
};

const line = (name: string, side: Side & { dual?: number }, level: number): string =>
  [
    `  ${name.padEnd(16)}`,
    `violated by ${violation(side.train, level).toFixed(4)}`,
    `(test ${violation(side.test, level).toFixed(4)})`,
    `loss ${side.loss.toFixed(4)}`,
    `test error ${side.test.error.toFixed(4)}`,
    `${side.seconds.toFixed(1)} s`,
    ...(side.dual === undefined ? [] : [`best of ${duals.length} rates: ${side.dual}`]),
  ].join("  ");
