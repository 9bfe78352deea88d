// npm run bench -- solver [--json] [--problems N]: the default beside Algorithm 1 of the paper over the same grid of rates. Random
// quadratic problems: steps to a certified 1e-6, and at the best points those of the whole suite. Then a small network, on all
// its data and on minibatches; Cooper on the same problems, where python3 has it; and a soft-margin SVM with ever more examples.
import { parseArgs } from "node:util";
import { compareWithCooper } from "./cooper.js";
import { type NetworkRow, network } from "./network.js";
import { quadraticProblem } from "./problems.js";
import { type Algorithm, grid, momenta, outcome, type Rates } from "./study.js";
import { svmScaling } from "./svm.js";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    /** Problems that every point of the grid is tried on. */
    problems: { type: "string", default: "12" },
  },
});

const limits = { tolerance: 1e-6, steps: 2000 };
/** The paper's u-step wants a differentiable cost. */
const suite = Array.from({ length: 200 }, (_, seed) => quadraticProblem(seed)).filter(
  ({ cost }) => cost.kind === "quadratic",
);
const sample = suite.slice(0, Number(options.problems));
/** Points that are tried on the whole suite. */
const finalists = 3;
const algorithms = ["paper", "resilient"] as const;

const sum = (x: readonly number[]): number => x.reduce((a, b) => a + b, 0);
const say = (line: string): void => {
  if (!options.json) console.log(line);
};
const table = (widths: readonly number[]) => (cells: readonly (string | number)[]) =>
  say(cells.map((cell, i) => String(cell).padStart(widths[i])).join("  "));

interface QuadraticRow {
  algorithm: Algorithm;
  momentum: number;
  points: number;
  failedPoints: number;
  /** Mean and largest number of steps; a problem not certified counts as the limit. */
  best: (Rates & { steps: number; worst: number; failedProblems: number; seconds: number }) | null;
}

async function quadratics(algorithm: Algorithm, momentum: number): Promise<QuadraticRow> {
  const points = grid(algorithm).filter((rates) => rates.momentum === momentum);
  const tried: { rates: Rates; steps: number }[] = [];
  for (const rates of points) {
    const { steps, failed } = await outcome(sample, algorithm, rates, { ...limits, failFast: true });
    if (!failed) tried.push({ rates, steps: sum(steps) });
  }
  tried.sort((a, b) => a.steps - b.steps);
  const whole: NonNullable<QuadraticRow["best"]>[] = [];
  for (const { rates } of tried.slice(0, finalists)) {
    const start = performance.now();
    const { steps, failed } = await outcome(suite, algorithm, rates, { ...limits, failFast: false });
    whole.push({
      ...rates,
      steps: (sum(steps) + failed * limits.steps) / suite.length,
      worst: failed ? limits.steps : Math.max(...steps),
      failedProblems: failed,
      seconds: (performance.now() - start) / 1000,
    });
  }
  whole.sort((a, b) => a.steps - b.steps);
  const failedPoints = points.length - tried.length;
  return { algorithm, momentum, points: points.length, failedPoints, best: whole[0] ?? null };
}

say(
  `Quadratic problems: steps to a certified ${limits.tolerance} (at most ${limits.steps}), ${suite.length} problems.`,
);
const row = table([9, 8, 13, 6, 6, 15, 6, 5, 10, 7]);
row("algorithm,momentum,failed points,mean,worst,failed problems,primal,dual,relaxation,seconds".split(","));
const rows: QuadraticRow[] = [];
for (const algorithm of algorithms) {
  for (const momentum of momenta) {
    const found = await quadratics(algorithm, momentum);
    rows.push(found);
    const { best, points, failedPoints } = found;
    const start = [algorithm, momentum, `${failedPoints} of ${points}`];
    if (!best) row([...start, "none"]);
    else {
      const { steps, worst, failedProblems, primal, dual, relaxation, seconds } = best;
      const own = algorithm === "paper" ? relaxation : "exact";
      row([
        ...start,
        steps.toFixed(1),
        worst,
        failedProblems,
        primal,
        dual ?? "own",
        own,
        seconds.toFixed(1),
      ]);
    }
  }
}
const of = (algorithm: Algorithm) => rows.filter((row) => row.algorithm === algorithm);
const fewest = (algorithm: Algorithm): number =>
  Math.min(...of(algorithm).map(({ best }) => best?.steps ?? Infinity));
const failedShare = (algorithm: Algorithm): number =>
  sum(of(algorithm).map((row) => row.failedPoints)) / sum(of(algorithm).map((row) => row.points));
const summary = {
  stepsRatio: fewest("resilient") / fewest("paper"),
  failedShare: { paper: failedShare("paper"), resilient: failedShare("resilient") },
};
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
say(
  `Each at its best point, the default needs ${summary.stepsRatio.toFixed(2)} of the paper's steps; it fails on ` +
    `${percent(summary.failedShare.resilient)} of the points, the paper's on ${percent(summary.failedShare.paper)}.`,
);

say("\nThe default at its own pace, on all of them: no price rate is given.");
const paceRow = table([6, 8, 6, 6, 15]);
paceRow("primal,momentum,mean,worst,failed problems".split(","));
const ownPace: { primal: number; momentum: number; steps: number; worst: number; failed: number }[] = [];
for (const primal of [0.1, 0.2, 0.4])
  for (const momentum of momenta) {
    const { steps, failed } = await outcome(
      suite,
      "resilient",
      { primal, momentum, relaxation: 0 },
      { ...limits, failFast: false },
    );
    const mean = (sum(steps) + failed * limits.steps) / suite.length;
    const worst = failed ? limits.steps : Math.max(...steps);
    ownPace.push({ primal, momentum, steps: mean, worst, failed });
    paceRow([primal, momentum, mean.toFixed(1), worst, failed]);
  }

say(
  "\nA network: steps to a certified 1e-3 (at most 2000); on minibatches, what residual is left after 1000.",
);
const networkRow = table([9, 8, 13, 5, 8, 11, 5, 10]);
networkRow("algorithm,batch,failed points,steps,residual,optimizer,dual,relaxation".split(","));
const networks: NetworkRow[] = [];
for (const [batch, given] of [
  [null, { tolerance: 1e-3, steps: 2000 }],
  [32, { tolerance: 3e-2, steps: 1000 }],
] as const) {
  for (const algorithm of algorithms) {
    const found = await network(algorithm, batch, given);
    networks.push(found);
    const { best, points, failedPoints } = found;
    const start = [algorithm, batch ?? "all", `${failedPoints} of ${points}`];
    if (!best) networkRow([...start, "none"]);
    else {
      const residual = batch === null ? "" : best.residual.toFixed(4);
      const own = algorithm === "paper" ? best.relaxationRate : "exact";
      networkRow([...start, best.steps, residual, best.optimizer, best.dualRate, own]);
    }
  }
}
say("");
const cooper = await compareWithCooper(8, say);
say("");
const svm = await svmScaling(undefined, say);
if (options.json) {
  console.log(
    JSON.stringify({
      limits,
      problems: suite.length,
      sample: sample.length,
      rows,
      summary,
      ownPace,
      networks,
      cooper,
      svm,
    }),
  );
}
