// npm run bench -- answers [--json] [--only TEXT]: problems with exact answers by default settings, and points that must be refused.
// npm run bench -- answers --size N [--device auto|cpu|cuda]: what a check of a model of N parameters costs.
// npm run bench -- answers --data: the data of outside.ts, for outside.py.
// npm run bench -- answers --fuzz COUNT [--seed N]: random problems made from their answers.
// npm run bench -- answers --pace: seconds to a certified answer beside other libraries.
import type { Device } from "@pliant/engine/device";
import { classics } from "./classics.js";
import { collection } from "./collection.js";
import { fuzzed } from "./fuzz.js";
import { type Judged, judge, type Verdict } from "./judge.js";
import { data, outside } from "./outside.js";
import { paces } from "./pace.js";
import { programmes } from "./programmes.js";
import { refusals } from "./refusals.js";
import { sized } from "./size.js";

const size = process.argv.indexOf("--size");
if (size > 0) {
  const named = process.argv.indexOf("--device");
  const device = (named < 0 ? "auto" : process.argv[named + 1]) as Device;
  console.log(JSON.stringify(await sized(Number(process.argv[size + 1]), device), null, 2));
  process.exit(0);
}
if (process.argv.includes("--pace")) {
  console.log(JSON.stringify(await paces(), null, 2));
  process.exit(0);
}
const fuzz = process.argv.indexOf("--fuzz");
if (fuzz > 0) {
  const seed = process.argv.indexOf("--seed");
  const result = await fuzzed(Number(process.argv[fuzz + 1]), seed < 0 ? 1 : Number(process.argv[seed + 1]));
  console.log(JSON.stringify(result, null, 2));
  process.exit(result.certifiedWrong + result.perturbed.wrong > 0 ? 1 : 0);
}
if (process.argv.includes("--data")) {
  console.log(JSON.stringify(data));
  process.exit(0);
}
const json = process.argv.includes("--json");
const at = process.argv.indexOf("--only");
const only = at < 0 ? "" : process.argv[at + 1];
const all = [...programmes(), ...classics(), ...collection(), ...outside(), ...refusals()].filter(
  ({ name, family }) => `${name} ${family}`.includes(only),
);
const found: Judged[] = [];
for (const one of all) {
  const judged = await judge(one);
  found.push(judged);
  const { verdict, name, steps, seconds, worst, of, short } = judged;
  if (!json)
    console.log(
      `${verdict.padEnd(22)} ${name.padEnd(48)} ${String(steps).padStart(5)} steps ${seconds.toFixed(2).padStart(6)} s  ${Number.isNaN(worst) ? short.join("; ").slice(0, 100) : `worst ${worst.toExponential(1)}, ${of}`}`,
    );
}

const asked = all.filter(({ answer }) => !("refuse" in answer));
const count = (verdict: Verdict, of = found): number =>
  of.filter((judged) => judged.verdict === verdict).length;
const problems = found.filter((_, i) => !("refuse" in all[i].answer));
const points = found.filter((_, i) => "refuse" in all[i].answer);
const sum = (of: (judged: Judged) => number): number =>
  found.reduce((total, judged) => total + of(judged), 0);
const ratios = found.flatMap(({ perturbed }) => perturbed.ratios).sort((a, b) => a - b);
const quantile = (p: number): number | undefined =>
  ratios[Math.min(ratios.length - 1, Math.floor(p * ratios.length))];
const within = (factor: number): number =>
  ratios.filter((r) => r <= factor && r >= 1 / factor).length / (ratios.length || 1);
const result = {
  problems: asked.length,
  certifiedRight: count("certified right", problems),
  certifiedWrong: count("certified wrong"),
  solvedUncertified: count("solved, not certified", problems),
  notSolved: count("not solved", problems),
  refusedRight: { of: points.length, refused: count("refused", points) },
  defaults: { certifiedRight: count("certified right", problems), of: asked.length },
  medianSteps: [...problems].map(({ steps }) => steps).sort((a, b) => a - b)[Math.floor(problems.length / 2)],
  perturbed: {
    points: sum(({ perturbed }) => perturbed.points),
    certified: sum(({ perturbed }) => perturbed.certified),
    certifiedWrong: sum(({ perturbed }) => perturbed.wrong),
    errors: {
      numbers: ratios.length,
      medianRatio: quantile(0.5),
      from5to95: [quantile(0.05), quantile(0.95)],
      withinFactor10: within(10),
    },
  },
};
console.log(JSON.stringify(result, null, json ? undefined : 2));
process.exitCode = result.certifiedWrong + result.perturbed.certifiedWrong > 0 ? 1 : 0;
