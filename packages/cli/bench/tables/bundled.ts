// The tables that come with scikit-learn, with default settings and validation rows: the test error of linear models and networks
// beside the best of logistic regression, ridge and a network of scikit-learn's, on the same rows.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startPeer } from "../peer.js";
import { train } from "../pliant.js";

const tables = ["iris", "wine", "breast cancer", "digits", "diabetes"];
const kinds = ["linear", "mlp"] as const;
/** Of the splits; each has other test rows. */
const seeds = [1, 2, 3];

/** Of a number, the root of the mean squared error; of classes, the share of wrong answers. */
export interface BundledCase {
  readonly table: string;
  readonly kind: (typeof kinds)[number];
  readonly error: number;
  readonly peers: Readonly<Record<string, number>>;
  readonly best: string;
  /** Of the best peer's error on one test set. */
  readonly standardError: number;
  readonly within: boolean;
  readonly seconds: number;
}

interface Answer {
  readonly rows: number;
  readonly number: boolean;
  /** By model: of each test row the squared error, or 1 where the answer is wrong. */
  readonly losses: Readonly<Record<string, readonly number[]>>;
}

const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;

/** Of one test row's loss, a mistake counted on each side, so that none at all is not certain. */
function standardErrorOf(losses: readonly number[], number: boolean, rows: number): number {
  const found = number ? losses : [...losses, 0, 0, 1, 1];
  const middle = mean(found);
  const deviation = Math.sqrt(mean(found.map((loss) => (loss - middle) ** 2)));
  const error = deviation / Math.sqrt(rows);
  return number ? error / (2 * Math.sqrt(middle)) : error;
}

export async function besideBundled(root: string, say: (line: string) => void): Promise<BundledCase[]> {
  const peer = startPeer("tables/sklearn_peer.py");
  const cases: BundledCase[] = [];
  try {
    for (const table of tables) {
      const answers: Answer[] = [];
      const own: Record<string, { losses: number[]; seconds: number[] }> = {};
      for (const seed of seeds) {
        const path = join(root, `${table.replace(" ", "-")}-${seed}.csv`);
        const answer = await peer.ask<Answer>({ table, seed, path });
        answers.push(answer);
        for (const kind of kinds) {
          const ran = await trained(root, path, kind, answer.number);
          own[kind] ??= { losses: [], seconds: [] };
          own[kind].losses.push(ran.loss);
          own[kind].seconds.push(ran.seconds);
        }
      }
      for (const kind of kinds) {
        const found = judged(table, kind, answers, own[kind]);
        cases.push(found);
        say(shown(found));
      }
    }
  } finally {
    peer.close();
  }
  return cases;
}

async function trained(root: string, file: string, kind: string, number: boolean) {
  const spec = {
    data: {
      file,
      target: "y",
      validation: { column: "split", value: "validation" },
      test: { column: "split", value: "test" },
    },
    model: { kind },
    requirements: { watched: { metric: "loss", level: 10, cost: "free" } },
  };
  writeFileSync(join(root, "spec.json"), JSON.stringify(spec));
  const { report, seconds, mistake } = await train(root, "bundled", ["--no-insist", "--force"]);
  if (!report) throw new Error(`${file}: ${mistake}`);
  const { error, rootMeanSquare } = report.test;
  return { loss: number ? rootMeanSquare! ** 2 : error!.value, seconds };
}

/** Over the splits together; a linear model is beside the linear ones of them. */
function judged(
  table: string,
  kind: BundledCase["kind"],
  answers: readonly Answer[],
  own: { losses: number[]; seconds: number[] },
): BundledCase {
  const [{ number, rows }] = answers;
  const shownAs = (loss: number): number => (number ? Math.sqrt(loss) : loss);
  const names = Object.keys(answers[0].losses);
  const lossesOf = (name: string): number[] => answers.flatMap(({ losses }) => losses[name]);
  const peers = Object.fromEntries(names.map((name) => [name, shownAs(mean(lossesOf(name)))]));
  const rivals = names.filter((name) => kind === "mlp" || name !== "network");
  const best = rivals.reduce((a, b) => (peers[b] < peers[a] ? b : a));
  const standardError = standardErrorOf(lossesOf(best), number, rows);
  const error = shownAs(mean(own.losses));
  return {
    table,
    kind,
    error,
    peers,
    best,
    standardError,
    within: error <= peers[best] + standardError,
    seconds: mean(own.seconds),
  };
}

const digits = (x: number): string => (x < 10 ? x.toFixed(4) : x.toFixed(2));

const shown = ({ table, kind, error, peers, best, standardError, within, seconds }: BundledCase): string =>
  `${table}, ${kind}: ${digits(error)} (${seconds.toFixed(1)} s); ${Object.entries(peers)
    .map(([name, value]) => `${name} ${digits(value)}`)
    .join(", ")}; ${within ? "within" : "NOT within"} ${digits(standardError)} of ${best}`;
