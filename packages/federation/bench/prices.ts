// Prices of federations trained with minibatches, beside the prices of the pooled optimum, which scipy finds on its own:
// θ minimises (1/C) Σ_c [f_c + (α/2)(f_c − f̄ − ε)₊²], and λ_c = α (f_c − f̄ − ε)₊.
import { spawnSync } from "node:child_process";
import { NdArray, random } from "@pliant/engine";
import type { Pool } from "@pliant/federated";
import { checkSpec, type FederationSpec, simulatedRun } from "@pliant/federation";

const sites = 5;
const level = 0.02;
const alpha = 2;

/** Sites whose rows differ in where they lie and how well their classes part, by table more or less of each. */
function tableOf(table: number, site: number): Pool {
  const rows = 48 + 16 * site;
  const noise = random.normal(random.foldIn(random.key(7 + table), site), [rows, 3]).data;
  const y = Int32Array.from({ length: rows }, (_, i) => (i * 7 + site) % 2);
  const apart = [0.9, 0.7, 1.1][table] * (site === sites - 1 ? 0.2 : 1 - 0.1 * site);
  const x = Float32Array.from({ length: 3 * rows }, (_, k) => {
    const [i, column] = [Math.floor(k / 3), k % 3];
    const centre = [y[i] === 1 ? apart : -apart, 0.3 * site * table, y[i] === 1 ? -0.3 * table : 0.2][column];
    return noise[k] + centre;
  });
  return { x: new NdArray(x, [rows, 3]), y: new NdArray(y, [rows]) };
}

const specOf = (rounds: number, training: object): FederationSpec =>
  checkSpec({
    name: "prices",
    data: { features: ["a", "b", "c"], label: "y", classes: ["no", "yes"] },
    model: { hidden: [] },
    sites: { number: sites, loss: `mean + ${level}`, cost: { alpha }, dualRate: 5 },
    training: { rounds, communicationRounds: 5, rate: 0.2, decay: 0.01, ...training },
    seed: 3,
  });

/** The optimum of the pooled problem, in float64, by BFGS. */
const script = `
import json, sys
import numpy as np
from scipy.optimize import minimize
tables, alpha, level, decay = json.load(sys.stdin)
T = [(np.array(x), np.array(y)) for x, y in tables]
d = T[0][0].shape[1]
def losses(t):
    W, b = t[:2*d].reshape(d, 2), t[2*d:]
    out = []
    for x, y in T:
        z = x @ W + b
        m = z.max(axis=1)
        out.append(np.mean(m + np.log(np.exp(z - m[:, None]).sum(axis=1)) - z[np.arange(len(y)), y]))
    return np.array(out)
def objective(t):
    f = losses(t)
    over = np.maximum(0, f - f.mean() - level)
    return f.mean() + alpha / 2 * np.mean(over ** 2) + decay / 2 * np.dot(t, t)
best = minimize(objective, np.zeros(2*d+2), method="BFGS", options={"gtol": 1e-10, "maxiter": 5000})
f = losses(best.x)
print(json.dumps({"losses": f.tolist(), "prices": (alpha * np.maximum(0, f - f.mean() - level)).tolist()}))
`;

interface Optimum {
  readonly losses: readonly number[];
  readonly prices: readonly number[];
}

function pooled(python: string, tables: readonly Pool[], decay: number): Optimum {
  const rows = ({ x }: Pool) =>
    Array.from({ length: x.shape[0] }, (_, i) => Array.from(x.data.slice(3 * i, 3 * i + 3)));
  const input = JSON.stringify([
    tables.map((one) => [rows(one), Array.from(one.y.data)]),
    alpha,
    level,
    decay,
  ]);
  const { stdout, stderr, status } = spawnSync(python, ["-c", script], { input, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Optimum;
}

/** The largest relative distance from the optimum's prices, of prices that matter. */
export async function measurePrices({ python, rounds }: { python: string; rounds: number }) {
  const measured = [];
  for (const table of [0, 1, 2]) {
    const tables = Array.from({ length: sites }, (_, site) => tableOf(table, site));
    const optimum = pooled(python, tables, 0.01);
    const worst = async (training: object) => {
      const { prices } = await simulatedRun(specOf(rounds, training), tables);
      return Math.max(
        ...optimum.prices.map((price, c) => Math.abs(prices.data[c] - price) / Math.max(...optimum.prices)),
      );
    };
    measured.push({
      table,
      prices: optimum.prices,
      fullBatch: await worst({}),
      minibatchDefault: await worst({ batch: 16 }),
      minibatchFedAvg: await worst({ batch: 16, solver: "fedAvg" }),
    });
  }
  return measured;
}
