// pliant equilibrium and pliant learnability: the paper's first figure and its learnability example.
import { inColumns } from "@pliant/core";
import { theory } from "@pliant/lab";
import { readArgs, refuseWords } from "./arguments.js";
import { readSeed, shared, whole } from "./options.js";
import { writeAnswer } from "./streams.js";

export async function equilibriumCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "equilibrium",
    about: "Solves the three problems of the paper's first figure: easy, difficult and infeasible.",
    options: {
      svg: { type: "string", value: "FILE", about: "the file to draw the figure to; - for standard output" },
      json: shared.json,
    },
  });
  refuseWords(positionals, "equilibrium");
  const found = await theory.equilibria();
  if (values.svg !== undefined) {
    writeAnswer(values.svg, theory.equilibriumSvg(found));
    if (values.svg === "-") return;
  }
  if (values.json) console.log(JSON.stringify({ equilibria: found }, null, 2));
  else
    for (const { label, u, price } of found)
      console.log(`${label.padEnd(12)} u* = ${u.toFixed(4)}   price ${price.toFixed(4)}`);
}

export async function learnabilityCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "learnability",
    about: "Simulates the paper's example of a problem that hard requirements make unlearnable.",
    options: {
      trials: { type: "string", value: "N", default: "4000", about: "trials per sample size" },
      seed: { type: "string", value: "N", default: "1", about: "seed of the trials" },
      json: shared.json,
    },
  });
  refuseWords(positionals, "learnability");
  const rows = theory.learnability(whole("trials", values.trials), readSeed(values.seed));
  if (values.json) {
    console.log(JSON.stringify({ rows }, null, 2));
    return;
  }
  const amounts = Object.keys(rows[0].fixed);
  const head = [
    ...["samples", "resilient finds it", "hard finds it"],
    "hard: value",
    ...amounts.map((u) => `relaxed by ${u}: value`),
  ];
  const lines = rows.map(({ n, resilientPicksB, empiricalPicksB, fixed, empiricalWithin }) => {
    const within = Object.values(fixed).map((relaxed) => relaxed.within);
    const shares = [resilientPicksB, empiricalPicksB, empiricalWithin, ...within];
    return [String(n), ...shares.map((p) => p.toFixed(4))];
  });
  console.log(inColumns([head, ...lines], () => false));
  console.log(
    '\nEach number is a share of the trials. In a trial, the problem is solved on a number of samples. "finds it": the solution is the best model, with resilient or with hard requirements. "value": the optimal value is within 1/64 of the true one, with hard requirements or with requirements relaxed by a fixed amount.',
  );
}
