// npm run bench -- federation load [--sites N] [--hidden 128] [--rounds N] [--group N] [--dropped N] [--out FILE]
//   A load of simulated sites on one coordinator.
// npm run bench -- federation sampled [--sites 100000]
//   Rounds over a sample of many sites, in one process: messages, bytes and memory by the size of the sample.
// npm run bench -- federation lost
//   Rounds a minute of eight sites as processes, with all of them and after one is killed, in turns.
// npm run bench -- federation flower --python PATH [--rounds N] [--out FILE]
//   Ten sites on MNIST beside Flower (PyPI flwr[simulation]), in the open and with secure sums.
// npm run bench -- federation prices --python PATH [--rounds N]
//   Prices of minibatch training beside those of the pooled optimum, by scipy.
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { measureFlower } from "./flower.js";
import { measureLoad } from "./load.js";
import { measureLost } from "./lost.js";
import { measurePrices } from "./prices.js";
import { measureSampled } from "./sampled.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sites: { type: "string", default: "1000" },
    hidden: { type: "string", default: "128" },
    rounds: { type: "string" },
    dropped: { type: "string", default: "0" },
    group: { type: "string" },
    python: { type: "string" },
    only: { type: "string" },
    out: { type: "string" },
  },
});
const [what] = positionals;
const measure = {
  load: () =>
    measureLoad({
      sites: Number(values.sites),
      hidden: values.hidden.split(",").map(Number),
      rounds: Number(values.rounds ?? 2),
      dropped: Number(values.dropped),
      ...(values.group !== undefined && { group: Number(values.group) }),
    }),
  sampled: () => measureSampled(Number(values.sites === "1000" ? 100_000 : values.sites)),
  lost: () => measureLost(),
  flower: () =>
    measureFlower({ python: values.python, rounds: Number(values.rounds ?? 20), only: values.only }),
  prices: () => measurePrices({ python: values.python ?? "python3", rounds: Number(values.rounds ?? 400) }),
};
if (!Object.hasOwn(measure, what ?? "")) {
  console.error(`Say what to measure: npm run bench -- federation ${Object.keys(measure).join(" | ")}`);
  process.exit(2);
}
const result = await measure[what as keyof typeof measure]();
const record = {
  benchmark: `federation ${what}`,
  // Whether others were at work on the machine too.
  machine: { cpu: cpus()[0].model, cores: cpus().length, loadAverage: loadavg()[0] },
  node: process.version,
  when: new Date().toISOString().slice(0, 10),
  result,
};
const text = JSON.stringify(record, null, 2);
console.log(text);
if (values.out !== undefined) writeFileSync(values.out, `${text}\n`);
