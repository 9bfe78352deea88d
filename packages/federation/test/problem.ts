// A small federation: tables that differ from site to site, one of which nobody can serve well.
import { NdArray, reference } from "@pliant/engine";
import { type Pool, simulate } from "@pliant/federated";
import { checkSpec, type FederationSpec, type FederationSpecGiven, networkOptions } from "@pliant/federation";
import { seededNumbers } from "./seeded.js";

type More = Partial<Omit<FederationSpecGiven, "training" | "sites">> & {
  training?: Partial<FederationSpecGiven["training"]>;
  sites?: Partial<FederationSpecGiven["sites"]>;
};

export const specOf = ({ training, sites, ...more }: More = {}): FederationSpec =>
  checkSpec({
    name: "test",
    data: { features: ["a", "b"], label: "class", classes: ["no", "yes"] },
    model: { hidden: [4] },
    sites: { number: 4, loss: "mean + 0.01", dualRate: 8, cost: { alpha: 2 }, ...sites },
    training: { rounds: 2, communicationRounds: 2, rate: 0.2, batch: 8, clip: 5, ...training },
    seed: 5,
    ...more,
  });

/** Two clouds; at the last site they lie on top of each other. */
export function tablesOf(sites: number, rows = 16, seed = 1): Pool[] {
  const draw = seededNumbers(`tables ${seed}`);
  const normal = () => draw() + draw() + draw() + draw() - 2;
  return Array.from({ length: sites }, (_, c) => {
    const y = Int32Array.from({ length: rows }, (_, i) => i % 2);
    const apart = c === sites - 1 ? 0.05 : 0.6 + 0.1 * c;
    const x = Float32Array.from(
      { length: 2 * rows },
      (_, k) => (y[k >> 1] === 1 ? apart : -apart) + normal(),
    );
    return { x: new NdArray(x, [rows, 2]), y: new NdArray(y, [rows]) };
  });
}

/** As a site has it on its disk. */
export function csvOf({ x, y }: Pool, { data: { features, label, classes } }: FederationSpec): string {
  const lines = Array.from(y.data, (one, r) => `${x.data[2 * r]},${x.data[2 * r + 1]},${classes[one]}`);
  return `${[...features, label].join(",")}\n${lines.join("\n")}\n`;
}

/** What the simulator makes of it. */
export async function simulated(spec: FederationSpec, tables: readonly Pool[]) {
  const { formulation, solver, ...told } = networkOptions(spec, reference());
  const rows = tables.reduce((sum, { y }) => sum + y.size, 0);
  const width = spec.data.features.length;
  const x = new Float32Array(rows * width);
  const y = new Int32Array(rows);
  const clients: { train: number[] }[] = [];
  let first = 0;
  for (const table of tables) {
    x.set(table.x.data as Float32Array, first * width);
    y.set(table.y.data as Int32Array, first);
    clients.push({ train: Array.from(table.y.data, (_, i) => first + i) });
    first += table.y.size;
  }
  const sums = spec.sums.kind === "plain" ? { together: 1 } : { fixedPoint: { bound: spec.sums.bound } };
  const data = { train: { x: new NdArray(x, [rows, width]), y: new NdArray(y, [rows]) }, clients };
  const weights: number[] = [];
  const { state } = await simulate({
    ...told,
    ...sums,
    formulation,
    solver,
    data,
    rounds: spec.training.rounds,
    onRound: (metrics) => void weights.push(...metrics.weights),
  });
  return { state, weights };
}
