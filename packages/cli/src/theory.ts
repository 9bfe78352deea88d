// pliant equilibrium and pliant learnability: the paper's first figure and its example of learnability.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { equilibria, equilibriumSvg, InputError, learnability } from "pliant";

export async function equilibriumCommand(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { json: { type: "boolean", default: false }, svg: { type: "string" } },
  });
  const found = await equilibria();
  if (values.svg !== undefined) {
    try {
      writeFileSync(values.svg, equilibriumSvg(found));
    } catch (reason) {
      throw new InputError(`the figure could not be written to ${values.svg}: ${(reason as Error).message}`);
    }
  }
  if (values.json) console.log(JSON.stringify({ equilibria: found }, null, 2));
  else
    for (const { label, u, price } of found)
      console.log(`${label.padEnd(12)} u* = ${u.toFixed(4)}   price ${price.toFixed(4)}`);
}

const whole = (name: string, text: string, least: number): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) {
    throw new InputError(`--${name} is a whole number of at least ${least}, not ${text}.`);
  }
  return value;
};

export async function learnabilityCommand(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      trials: { type: "string", default: "4000" },
      seed: { type: "string", default: "1" },
      json: { type: "boolean", default: false },
    },
  });
  const rows = learnability(whole("trials", values.trials, 1), whole("seed", values.seed, 0));
  if (values.json) {
    console.log(JSON.stringify({ rows }, null, 2));
    return;
  }
  const amounts = Object.keys(rows[0].fixed);
  const head = [
    ...["samples", "resilient picks b", "empirical picks b"],
    "empirical value within 1/64",
    ...amounts.map((u) => `relaxed by ${u}`),
  ];
  console.log(head.join("   "));
  for (const { n, resilientPicksB, empiricalPicksB, fixed, empiricalWithin } of rows) {
    const within = Object.values(fixed).map((each) => each.within);
    const shares = [resilientPicksB, empiricalPicksB, empiricalWithin, ...within];
    const cells = [String(n), ...shares.map((p) => p.toFixed(4))];
    console.log(cells.map((cell, i) => cell.padStart(head[i].length)).join("   "));
  }
}
