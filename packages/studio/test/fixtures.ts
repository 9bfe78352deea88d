// Run folders as training leaves them, made up: of a solver with requirements, of a sweep, of a federation.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Made {
  seed?: number;
  /** Evaluations. */
  rows?: number;
  /** Whether there is a report. */
  finished?: boolean;
  command?: string;
  /** When it began. */
  started?: Date;
  /** More of run.json. */
  more?: object;
  /** The names of the requirements, the first of which cannot be met. */
  names?: readonly string[];
  /** α of the requirements that bend. */
  alpha?: number;
}

/** A number in [0, 1) from a seed and a place, the same every time. */
export const noise = (seed: number, at: number): number => {
  const x = Math.sin(seed * 127.1 + at * 311.7) * 43_758.5453;
  return x - Math.floor(x);
};

/** The evaluation at a step: everything settles, the first requirement where its price meets 2αu, the last is hard. */
export function evaluation(
  step: number,
  { seed = 1, alpha = 2, names = ["misses in B", "misses in A", "false alarms"] }: Made = {},
) {
  const settled = 1 - Math.exp(-step / 400);
  const shake = (i: number) => 0.04 * Math.exp(-step / 800) * (noise(seed, step + i) - 0.5);
  const requirements = Object.fromEntries(
    names.map((name, i) => {
      if (i === names.length - 1 && i > 0) {
        const price = Math.max(0, settled * 3.3 + shake(i));
        return [
          name,
          {
            sense: "at most",
            level: 0.1,
            reached: 0.1 + 0.05 * (1 - settled) + shake(i),
            relaxation: 0,
            price,
            cost: "hard",
          },
        ];
      }
      const u = i === 0 ? Math.max(0, (0.5 / (1 + alpha / 2)) * settled + shake(i)) : 0;
      const reached = i === 0 ? 0.1 + u : 0.067 + 0.03 * (1 - settled) + shake(i);
      return [
        name,
        {
          sense: "at most",
          level: 0.1,
          reached,
          relaxation: u,
          price: 2 * alpha * u,
          cost: `quadratic(${alpha})`,
          strict: reached * 0.9,
          // On a convex curve insisting costs more than the price tells.
          ...(u > 0 && {
            insisting: { had: true, missed: 0, reached: 0.1, costs: 1.5 * 2 * alpha * u * u, others: {} },
          }),
        },
      ];
    }),
  );
  const residual = 0.1 * Math.exp(-step / 300) + 4e-5;
  const certificate = {
    equilibrium: residual / 10,
    feasibility: residual / 3,
    complementarity: residual,
    stationarity: residual / 2,
    gap: null,
    tolerance: 1e-4,
    holds: residual <= 1e-4,
  };
  return { objective: 0.69 - 0.36 * settled + shake(9), requirements, certificate };
}

export const line = (step: number, made: Made = {}, time = new Date()): string =>
  `${JSON.stringify({ step, time: time.toISOString(), ...evaluation(step, made) })}\n`;

export function writeRun(root: string, name: string, made: Made = {}): string {
  const {
    seed = 1,
    rows = 40,
    finished = true,
    command = "demo",
    started = new Date(Date.now() - 60_000),
    more,
  } = made;
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  const asked = {
    command,
    seed,
    device: "cpu",
    settings: { people: 2000, steps: 10_000, every: 100, tolerance: 1e-4, rate: 0.3, dualRate: 0.5 },
    versions: { pliant: "0.1.0", node: process.version },
    machine: { platform: "linux", arch: "x64", cores: 2 },
    started: started.toISOString(),
    ...more,
  };
  writeFileSync(join(folder, "run.json"), JSON.stringify(asked, null, 2));
  const lines = Array.from({ length: rows }, (_, i) =>
    line(100 * (i + 1), made, new Date(+started + 50 * i)),
  );
  writeFileSync(join(folder, "metrics.jsonl"), lines.join(""));
  writeFileSync(join(folder, "checkpoint.safetensors"), Buffer.alloc(1800));
  if (finished)
    writeFileSync(
      join(folder, "report.json"),
      JSON.stringify({ ...evaluation(100 * rows, made), steps: 100 * rows }),
    );
  return folder;
}

export const appendLine = (folder: string, step: number, made: Made = {}): void =>
  appendFileSync(join(folder, "metrics.jsonl"), line(step, made));

/** Makes a run look as if nothing had touched it for some hours. */
export function age(folder: string, files = ["run.json", "metrics.jsonl", "checkpoint.safetensors"]): void {
  const then = new Date(Date.now() - 4 * 3600_000);
  for (const file of files) utimesSync(join(folder, file), then, then);
}

/** One run a value of α, as a sweep over the cost leaves them. */
export function writeSweep(root: string, group: string, values: readonly number[]): void {
  for (const value of values)
    writeRun(root, `${group}/cost=${value}`, {
      alpha: value,
      command: "train",
      more: { sweep: { parameter: "cost", value, group } },
    });
}

export interface Federated {
  clients?: number;
  rounds?: number;
  finished?: boolean;
  seed?: number;
  /** What the run calls itself. */
  title?: string;
  /** No client may give way. */
  constrained?: boolean;
}

/** What each client has after a round: those with more of the minority classes relax more. */
export function roundOf(round: number, { clients = 100, seed = 1, constrained = false }: Federated = {}) {
  const all = Array.from({ length: clients }, (_, c) => c);
  const settled = 1 - Math.exp(-round / 12);
  const share = all.map((c) => (noise(seed, c) < 0.55 ? 0.02 * noise(seed, c + 0.5) : noise(seed, c) ** 2));
  const relaxation = share.map((s, c) =>
    Math.max(0, settled * (0.9 * s + 0.12 * (noise(seed, c + 7) - 0.4))),
  );
  const trainLoss = relaxation.map((u, c) => 0.2 + u + (1 - settled) * (1.6 + noise(seed, c + 3)));
  return {
    share,
    values: {
      trainLoss,
      testLoss: trainLoss.map((l, c) => l * (1.05 + 0.2 * noise(seed, c + 11))),
      testAccuracy: trainLoss.map((l, c) =>
        Math.min(99.5, 100 * (Math.exp(-l * 0.6) + 0.05 * noise(seed, c + 13))),
      ),
      relaxation: constrained ? relaxation.map(() => 0) : relaxation,
      price: relaxation.map((u) => 0.4 * u),
    },
  };
}

export function writeFederated(root: string, name: string, made: Federated = {}): string {
  const { clients = 100, rounds = 50, finished = true, seed = 1 } = made;
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  const started = new Date(Date.now() - 90_000);
  writeFileSync(
    join(folder, "run.json"),
    JSON.stringify({
      command: "federated",
      name: made.title,
      seed,
      device: "cpu",
      settings: {
        dataset: "fashion-mnist",
        clients,
        rounds,
        method: "resilient",
        model: "cnn",
        minority: [0, 4, 9],
      },
      versions: { pliant: "0.1.0" },
      started: started.toISOString(),
    }),
  );
  writeFileSync(
    join(folder, "metrics.jsonl"),
    Array.from({ length: rounds }, (_, r) => federatedLine(r + 1, made)).join(""),
  );
  if (finished) {
    const { share, values } = roundOf(rounds, made);
    const list = share.map((minorityShare, c) => ({
      ...Object.fromEntries(Object.entries(values).map(([key, of]) => [key, of[c]])),
      minorityShare,
      samples: Math.round(400 + 300 * noise(seed, c + 17)),
    }));
    writeFileSync(
      join(folder, "report.json"),
      JSON.stringify({ kind: "federated", objective: mean(values.trainLoss), rounds, clients: list }),
    );
  }
  return folder;
}

const mean = (x: readonly number[]): number => x.reduce((a, b) => a + b, 0) / x.length;

export function federatedLine(round: number, made: Federated = {}): string {
  const { values } = roundOf(round, made);
  return `${JSON.stringify({ step: round, time: new Date().toISOString(), objective: mean(values.trainLoss), clients: values })}\n`;
}

/** A requirement that is met, as it stands in a report. */
export const requirement = <More extends object>(more: More) => ({
  sense: "at most",
  level: 0.1,
  reached: 0.05,
  relaxation: 0,
  price: 0,
  cost: "quadratic(2)",
  hard: false,
  ...more,
});

/** An empty runs folder that goes when the tests are done. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "pliant-studio-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Settings of a run that goes on for as long as a test needs it: its steps are too small to arrive anywhere. */
export const endless: readonly string[] = [
  "budget.optimizer=sgd",
  "budget.rate=1e-9",
  "budget.steps=1000000000",
].flatMap((setting) => ["--set", setting]);
