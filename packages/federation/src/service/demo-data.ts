// The demo's federation: hospitals whose patients differ, and one whose sick and well cannot be told apart as well as elsewhere.
import { NdArray, random } from "@pliant/engine";
import type { Pool } from "@pliant/federated";
import { checkSpec, type FederationSpec } from "../spec/spec.js";

const names = ["north", "east", "south", "west", "hills"];

/** Five with names of their own, more with numbers; the last cannot meet its requirement. */
export const siteNames = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => names[i] ?? `site-${i + 1}`);

export const demoSpec = (sites: number, rounds: number, seed: number): FederationSpec =>
  checkSpec({
    name: "demo",
    data: { features: ["marker", "age"], label: "outcome", classes: ["well", "sick"] },
    model: { hidden: [8] },
    sites: { number: sites, loss: "mean + 0.02", dualRate: 2 * sites, cost: { alpha: 2 } },
    training: { rounds, communicationRounds: 5, rate: 0.3, epochs: 1, batch: 16, clip: 5 },
    seed,
  });

const rows = 64;

/** Sick and well lie 2.4 deviations apart; at the last site 0.6. */
export function demoTable(site: number, sites: number, seed: number): Pool {
  const key = random.foldIn(random.key(seed), 100 + site);
  const noise = random.normal(key, [rows, 2]).data;
  const apart = site === sites - 1 ? 0.3 : 1.2;
  const y = Int32Array.from({ length: rows }, (_, i) => i % 2);
  const x = new Float32Array(2 * rows);
  for (let i = 0; i < rows; i++) {
    x[2 * i] = noise[2 * i] + (y[i] === 1 ? apart : -apart);
    x[2 * i + 1] = 0.5 * noise[2 * i + 1] + 0.2 * site;
  }
  return { x: new NdArray(x, [rows, 2]), y: new NdArray(y, [rows]) };
}

/** As a site would have it on its disk. Nine digits give every float32 back. */
export function demoCsv({ x, y }: Pool, { data: { features, label, classes } }: FederationSpec): string {
  const lines = Array.from({ length: y.size }, (_, i) =>
    [x.data[2 * i].toPrecision(9), x.data[2 * i + 1].toPrecision(9), classes[y.data[i]]].join(","),
  );
  return `${[...features, label].join(",")}\n${lines.join("\n")}\n`;
}
