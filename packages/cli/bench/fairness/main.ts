// npm run bench -- fairness [--json]: `pliant train` beside libraries made for the same: Fairlearn's ExponentiatedGradient on tables,
// Cooper and humancompatible-train on a network. Same rows, same run; a peer that python3 lacks is left out.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Peer, peerAnew, python, startPeer, version } from "../peer.js";
import { besideNetworks } from "./networks.js";
import { besideFairlearn, verdict } from "./reductions.js";
import { sameTwice } from "./twice.js";

const { values: options } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const say = (line: string): void => (options.json ? console.error(line) : console.log(line));

/** By the name that pip has for it. */
function found(distribution: string, module: string): string | undefined {
  const known = version(distribution, module);
  if (known === undefined)
    say(`${python} has no ${distribution} (pip install ${distribution}): it is left out.`);
  return known;
}

const versions = {
  fairlearn: found("fairlearn", "fairlearn.reductions, sklearn, pandas"),
  cooper: found("cooper-optim", "cooper, torch, pandas"),
  humancompatible: found("humancompatible-train", "humancompatible.train.dual_optim, torch, pandas"),
};

const root = mkdtempSync(join(tmpdir(), "pliant-fairness-"));
let network: Peer | undefined;
try {
  say(
    `Beside Fairlearn ${versions.fairlearn ?? "(missing)"}: the worst gap on training and test rows, the test error.`,
  );
  const fairlearn = versions.fairlearn === undefined ? undefined : peerAnew("fairness/fairlearn_peer.py");
  const reductions = await besideFairlearn(root, fairlearn, say);
  const deterministic = await sameTwice(root);
  const summary = { ...verdict(reductions), deterministic };
  const percent = (x: number): string => `${(100 * x).toFixed(0)}%`;
  const times = ({ median, most }: { median: number; most: number }): string =>
    `${median.toFixed(1)} times as long (at most ${most.toFixed(1)})`;
  for (const [name, v] of [
    ["The same problem", summary.sameProblem],
    ["Its own bound at the level", summary.itsOwnBound],
  ] as const)
    if (v)
      say(
        `${name}: test error within 0.002 of Fairlearn's or better in ${percent(v.errorWithin)} (on average ${v.errorAbove.toFixed(4)} more), no larger violation in ${percent(v.violationTrain)} ` +
          `(test rows ${percent(v.violationTest)}). Process against process ${times(v.process)}, of processors ${times(v.processor)}; ` +
          `from rows to the report against its fit ${times(v.solving)}; the whole process against its fit ${times(v.processToFit)}.`,
      );
  say(`The same run twice gives ${deterministic ? "the same report" : "two different reports"}.`);

  const libraries = (["cooper", "humancompatible"] as const).filter((name) => versions[name] !== undefined);
  say(
    `\nA network of 16 units beside ${libraries.map((name) => `${name} ${versions[name]}`).join(", ") || "no peer"}:`,
  );
  network = libraries.length > 0 ? startPeer("fairness/networks_peer.py") : undefined;
  const networks = await besideNetworks(root, libraries, network, say);
  if (options.json) console.log(JSON.stringify({ versions, reductions, networks, summary }));
} finally {
  await network?.close();
  rmSync(root, { recursive: true, force: true });
}
