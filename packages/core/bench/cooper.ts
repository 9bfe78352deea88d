// Pliant beside Cooper (PyPI cooper-optim) on the same quadratic problems: where the requirements can be met, iterations and
// seconds to the same accuracy; where they cannot, what each of the two reports.
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { DivergedError, sgd, solve } from "@pliant/core";
import { type QuadraticProblem, quadraticProblem, stated } from "./problems.js";

const python = process.env.PLIANT_PYTHON ?? "python3";
const limits = { tolerance: 1e-6, limit: 3000, every: 10 };

/** A point of the grid: `gain` is the damping κ of Pliant, and Kp of Cooper's nuPI (0: SGD). Zero is plain alternation in both. */
export interface CooperRates {
  readonly primal: number;
  readonly dual: number;
  readonly gain: number;
}
const grid = (gain: number): CooperRates[] =>
  [0.05, 0.1, 0.2, 0.4].flatMap((primal) => [0.5, 1, 2, 4].map((dual) => ({ primal, dual, gain })));
const methods = {
  pliant: (gain: number): string => `damping ${gain}`,
  cooper: (gain: number): string => (gain ? `nuPI, Kp ${gain}` : "SGD"),
};

interface Run {
  iterations: number;
  seconds: number;
  converged: boolean;
  /** θ and prices at the end, the largest price after half the limit where it got there; null: not finite. */
  theta: (number | null)[];
  multipliers: (number | null)[];
  halfway: number | null;
  /** Pliant's only: Cooper has none. */
  relaxations?: number[];
}
type Solver = (problem: QuadraticProblem, rates: CooperRates, limit: number) => Promise<Run>;

const pliant: Solver = async (problem, { primal, dual, gain }, limit) => {
  const start = performance.now();
  const { task, data } = stated(problem);
  const ended = (iterations: number, converged: boolean, theta: number[], multipliers: number[]): Run => {
    const seconds = (performance.now() - start) / 1000;
    return { iterations, seconds, converged, theta, multipliers, halfway: null };
  };
  try {
    const { steps, certificate, params, state } = await solve(task, {
      data,
      optimizer: sgd(primal),
      dualRate: dual,
      damping: gain,
      tolerance: limits.tolerance,
      every: limits.every,
      steps: limit,
    });
    const numbers = (x: { data: ArrayLike<unknown> }): number[] => Array.from(x.data, Number);
    const run = ended(steps, certificate.holds, numbers(params.theta), numbers(state.prices[0]));
    return { ...run, relaxations: numbers(state.relaxations[0]) };
  } catch (error) {
    if (!(error instanceof DivergedError)) throw error;
    return ended(error.lastGood.step, false, [], []);
  }
};

/** The version that python3 has, if any. */
export function cooperVersion(): string | undefined {
  const code = "import cooper, torch; from importlib.metadata import version; print(version('cooper-optim'))";
  const { status, stdout } = spawnSync(python, ["-c", code], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

function startCooper(): { solver: Solver; close: () => void } {
  const script = fileURLToPath(new URL("../cooper.py", import.meta.url));
  const peer = spawn(python, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
  const solver: Solver = async ({ Q, c, A, b }, rates, limit) => {
    peer.stdin.write(`${JSON.stringify({ Q, c, A, b, ...rates, ...limits, limit })}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error("Cooper's process ended");
    const answer = JSON.parse(value) as Run & { error?: string };
    if (answer.error) throw new Error(`Cooper: ${answer.error}`);
    return answer;
  };
  return { solver, close: () => peer.stdin.end() };
}

/** The point that needs the fewest iterations for all of these; one that needs more than the best so far is not run to its end. */
async function bestRates(
  solver: Solver,
  points: readonly CooperRates[],
  problems: readonly QuadraticProblem[],
): Promise<CooperRates | undefined> {
  let best: { rates: CooperRates; iterations: number } | undefined;
  for (const rates of points) {
    let used = 0;
    let converged = true;
    for (const problem of problems) {
      const left = best ? Math.min(limits.limit, best.iterations - used - limits.every) : limits.limit;
      const run = left > 0 ? await solver(problem, rates, left) : undefined;
      converged = run?.converged ?? false;
      if (!run || !converged) break;
      used += run.iterations;
    }
    if (converged) best = { rates, iterations: used };
  }
  return best?.rates;
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
/** Of what may not be finite, which JSON cannot hold. */
const largest = (values: readonly (number | null)[]): number | null =>
  values.length && values.every((v) => v !== null && Number.isFinite(v))
    ? Math.max(...(values as number[]))
    : null;
/** The largest violation of Aθ ≤ b. */
const violation = ({ A, b }: QuadraticProblem, theta: readonly (number | null)[]): number | null =>
  largest(theta) === null
    ? null
    : Math.max(0, ...A.map((row, i) => row.reduce((sum, a, j) => sum + a * (theta[j] as number), -b[i])));

export interface CooperFeasibleRow {
  library: "pliant" | "cooper";
  /** Pliant's damping (1 is the default), and Cooper's optimiser of the multipliers. */
  method: string;
  points: number;
  /** Those with the fewest iterations on the first three problems; none if no point converged on all of these. */
  rates: CooperRates | null;
  converged: number;
  /** Medians over all problems; one that did not converge counts as it ended, at the limit. */
  iterations: number | null;
  seconds: number | null;
}

export interface CooperInfeasibleRow {
  library: "pliant" | "cooper";
  /** How many ended with a solution that is certified (Pliant's certificate, Cooper's KKT residuals). */
  certified: number;
  iterations: number;
  /** Medians over problems of the largest price at the end and at half the limit, and of the largest violation of Aθ ≤ b. */
  price: number | null;
  halfwayPrice: number | null;
  /** The largest relaxation, which Cooper has none of. */
  relaxation: number | null;
  violation: number | null;
}

export interface CooperComparison {
  /** None: python3 has no cooper. */
  cooper: string | null;
  limits: typeof limits;
  /** Of each kind. */
  problems: number;
  feasible: CooperFeasibleRow[];
  infeasible: CooperInfeasibleRow[];
  /** How far θ of the two is apart, at most, where both converged. */
  apart: number | null;
}

/** `count` problems that can be met and `count` that cannot, of 10 to 30 variables. */
export async function compareWithCooper(
  count = 8,
  say: (line: string) => void = console.log,
): Promise<CooperComparison> {
  const small = Array.from({ length: 20 * count }, (_, seed) => quadraticProblem(seed)).filter(
    ({ c }) => c.length <= 30,
  );
  const met = small
    .filter(({ feasible }) => feasible)
    .slice(0, count)
    .map((problem): QuadraticProblem => ({ ...problem, cost: { kind: "hard" } }));
  const unmet = small.filter(({ feasible, cost }) => !feasible && cost.kind === "quadratic").slice(0, count);

  const version = cooperVersion();
  const peer = version === undefined ? undefined : startCooper();
  const all: { library: "pliant" | "cooper"; solver: Solver; gains: readonly number[] }[] = [
    { library: "pliant", solver: pliant, gains: [1, 0, 2] },
  ];
  if (peer) all.push({ library: "cooper", solver: peer.solver, gains: [0, 1, 5] });
  const row = (widths: readonly number[], cells: readonly (string | number)[]): void =>
    say(cells.map((cell, i) => String(cell).padStart(widths[i])).join("  "));
  say(
    version === undefined
      ? `${python} has no cooper (pip install cooper-optim torch): Pliant alone.`
      : `Pliant beside Cooper ${version}, ${met.length} problems that can be met: to ${limits.tolerance}, at most ${limits.limit} iterations; medians.`,
  );
  const feasible: CooperFeasibleRow[] = [];
  const chosen: { rates: CooperRates; iterations: number; runs: Run[] }[] = [];
  const widths = [7, 14, 6, 9, 10, 7, 6, 4];
  row(widths, "library,method,points,converged,iterations,seconds,primal,dual".split(","));
  for (const { library, solver, gains } of all) {
    const tried: typeof chosen = [];
    for (const gain of gains) {
      const points = grid(gain);
      const rates = await bestRates(solver, points, met.slice(0, 3));
      const runs: Run[] = [];
      if (rates) for (const problem of met) runs.push(await solver(problem, rates, limits.limit));
      const found = {
        library,
        method: methods[library](gain),
        points: points.length,
        rates: rates ?? null,
        converged: runs.filter((run) => run.converged).length,
        iterations: rates ? median(runs.map((run) => run.iterations)) : null,
        seconds: rates ? median(runs.map((run) => run.seconds)) : null,
      };
      feasible.push(found);
      const { method, converged, iterations, seconds } = found;
      const start = [library, method, points.length, `${converged} of ${met.length}`];
      if (!rates || iterations === null || seconds === null) {
        row(widths, [...start, "none"]);
        continue;
      }
      row(widths, [...start, iterations, seconds.toFixed(3), rates.primal, rates.dual]);
      tried.push({ rates, iterations, runs });
    }
    tried.sort((a, b) => a.iterations - b.iterations);
    chosen.push(tried[0] ?? { rates: grid(0)[0], iterations: Infinity, runs: [] });
  }
  const [ours, theirs] = chosen.map(({ runs }) => runs);
  const distances = met.flatMap((_, i) =>
    ours[i]?.converged && theirs?.[i]?.converged
      ? ours[i].theta.map((v, j) => Math.abs((v as number) - (theirs[i].theta[j] as number)))
      : [],
  );
  const apart = largest(distances);
  if (apart !== null) say(`Where both converge their solutions are at most ${apart.toExponential(1)} apart.`);

  say(`${unmet.length} problems that cannot be met, each at its best rates above; medians.`);
  const wide = [7, 9, 10, 13, 13, 18, 17];
  row(
    wide,
    "library,certified,iterations,largest price,at half limit,largest relaxation,largest violation".split(
      ",",
    ),
  );
  const infeasible: CooperInfeasibleRow[] = [];
  for (const [i, { library, solver }] of all.entries()) {
    const runs: { run: Run; violation: number | null }[] = [];
    for (const problem of unmet) {
      const run = await solver(problem, chosen[i].rates, limits.limit);
      runs.push({ run, violation: violation(problem, run.theta) });
    }
    const middle = (values: (number | null)[]): number | null =>
      largest(values) === null ? null : median(values as number[]);
    const found = {
      library,
      certified: runs.filter(({ run }) => run.converged).length,
      iterations: median(runs.map(({ run }) => run.iterations)),
      price: middle(runs.map(({ run }) => largest(run.multipliers))),
      halfwayPrice: middle(runs.map(({ run }) => run.halfway)),
      relaxation: middle(runs.map(({ run }) => largest(run.relaxations ?? []))),
      violation: middle(runs.map((run) => run.violation)),
    };
    infeasible.push(found);
    const short = (x: number | null): string => (x === null ? "" : x.toPrecision(4));
    const share = `${found.certified} of ${runs.length}`;
    const { price, halfwayPrice, relaxation, violation: left } = found;
    row(wide, [library, share, found.iterations, ...[price, halfwayPrice, relaxation, left].map(short)]);
  }
  peer?.close();
  return { cooper: version ?? null, limits, problems: count, feasible, infeasible, apart };
}
