// Prices of federations trained with minibatches, beside the prices of the pooled optimum, which scipy finds on its own, and the
// losses that sites report beside those of the exported model in onnxruntime: θ minimises (1/C) Σ_c [f_c + (α/2)(f_c − f̄ − ε)₊²], and λ_c = α (f_c − f̄ − ε)₊.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NdArray, random } from "@pliant/engine";
import type { ClientState, Pool } from "@pliant/federated";
import {
  checkSpec,
  coordinate,
  digest,
  encodePlain,
  exportedModel,
  type FederationSpec,
  identityOf,
  memoryBlobs,
  memoryBus,
  memoryLedger,
  type SiteDisk,
  simulatedRun,
  takePart,
} from "@pliant/federation";

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

const rowsOf = ({ x }: Pool): number[][] =>
  Array.from({ length: x.shape[0] }, (_, i) => Array.from(x.data.slice(3 * i, 3 * i + 3)));

function asked<T>(python: string, program: string, input: unknown): T {
  const { stdout, stderr, status } = spawnSync(python, ["-c", program], {
    ...{ input: JSON.stringify(input), encoding: "utf8" },
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

const pooled = (python: string, tables: readonly Pool[], decay: number): Optimum =>
  asked(python, script, [
    tables.map((one) => [rowsOf(one), Array.from(one.y.data)]),
    ...[alpha, level, decay],
  ]);

/** Mean losses of an ONNX file by onnxruntime, in float64 from its probabilities. */
const lossScript = `
import json, sys
import numpy as np, onnxruntime as ort
file, tables = json.load(sys.stdin)
session = ort.InferenceSession(file)
out = []
for x, y in tables:
    x = np.array(x, dtype=np.float64)
    given = {name: x[:, i] for i, name in enumerate("abc")}
    p = session.run(["probabilities"], given)[0].astype(np.float64)
    out.append(float(np.mean(-np.log(p[np.arange(len(y)), y]))))
print(json.dumps(out))
`;

/** A federation with secure sums in this process: what each site reports, and its exported model's losses. */
async function federated(python: string, spec: FederationSpec, tables: readonly Pool[]) {
  const [bus, blobs] = [memoryBus(), memoryBlobs()];
  const names = tables.map((_, i) => `site-${i}`);
  const identities = names.map((name) => identityOf(digest(name)));
  const roster = Object.fromEntries(names.map((name, i) => [name, identities[i].key]));
  let model: unknown;
  const taking = names.map((site, i) => {
    let disk: SiteDisk<ClientState> | undefined;
    return takePart({
      ...{ run: "prices", spec, site, identity: identities[i], roster, data: tables[i], blobs },
      bus: bus.site(site),
      store: {
        load: () => disk,
        save: (next) => {
          disk = next;
        },
      },
      onModel: (params) => {
        model = params;
      },
    });
  });
  await coordinate({
    ...{ run: "prices", spec, roster, ledger: memoryLedger(), blobs, bus: bus.coordinator },
    patience: { training: 600_000, answer: 600_000 },
  });
  const reports = await Promise.all(taking);
  const folder = mkdtempSync(join(tmpdir(), "pliant-prices-"));
  try {
    writeFileSync(join(folder, "run.json"), JSON.stringify({ command: "federate", spec }));
    writeFileSync(join(folder, "model.json"), encodePlain(model));
    const file = join(folder, "model.onnx");
    writeFileSync(file, exportedModel(folder)!.bytes);
    const onnx = asked<number[]>(python, lossScript, [
      file,
      tables.map((one) => [rowsOf(one), Array.from(one.y.data)]),
    ]);
    return { reports, onnx };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The largest relative distance from the optimum's prices, of prices that matter. */
export async function measurePrices({ python, rounds }: { python: string; rounds: number }) {
  const measured = [];
  for (const table of [0, 1, 2]) {
    const tables = Array.from({ length: sites }, (_, site) => tableOf(table, site));
    const optimum = pooled(python, tables, 0.01);
    const largest = Math.max(...optimum.prices);
    const worst = (prices: ArrayLike<number>) =>
      Math.max(...optimum.prices.map((price, c) => Math.abs(prices[c] - price) / largest));
    const simulated = async (training: object) =>
      worst((await simulatedRun(specOf(rounds, training), tables)).prices.data);
    const { reports, onnx } = await federated(python, specOf(rounds, { batch: 16 }), tables);
    measured.push({
      table,
      prices: optimum.prices,
      fullBatch: await simulated({}),
      minibatchDefault: worst(reports.map(({ price }) => price)),
      minibatchFedAvg: await simulated({ batch: 16, solver: "fedAvg" }),
      losses: reports.map(({ loss }) => loss),
      /** The largest relative difference between what sites report and what the exported model has. */
      onnxLosses: Math.max(...reports.map(({ loss }, c) => Math.abs(onnx[c] - loss!) / loss!)),
    });
    console.error(JSON.stringify(measured.at(-1)));
  }
  return measured;
}
