// The tables that come with scikit-learn, with default settings, the model among them, and validation rows: the test error beside the
// best of logistic regression, ridge and a network of scikit-learn's, on the same rows.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startPeer } from "../peer.js";
import { train } from "../pliant.js";

const tables = ["iris", "wine", "breast cancer", "digits", "diabetes"];
/** One seed per split; each has other test rows. */
const seeds = [1, 2, 3];

/** For regression, the root of the mean squared error; for classes, the share of wrong answers. */
export interface BundledCase {
  readonly table: string;
  readonly error: number;
  readonly peers: Readonly<Record<string, number>>;
  readonly best: string;
  /** The standard error of the best peer's error on one test set. */
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

/** The standard deviation of one test row's loss, with one mistake added on each side, so that zero mistakes are not certain. */
function standardErrorOf(losses: readonly number[], number: boolean, rows: number): number {
  const found = number ? losses : [...losses, 0, 0, 1, 1];
  const middle = mean(found);
  const deviation = Math.sqrt(mean(found.map((loss) => (loss - middle) ** 2)));
  const error = deviation / Math.sqrt(rows);
  return number ? error / (2 * Math.sqrt(middle)) : error;
}

/** All of them, or one. */
export async function besideBundled(
  root: string,
  say: (line: string) => void,
  only?: string,
): Promise<BundledCase[]> {
  const peer = startPeer("tables/sklearn_peer.py");
  const cases: BundledCase[] = [];
  try {
    for (const table of tables.filter((name) => only === undefined || name === only)) {
      const answers: Answer[] = [];
      const own: { loss: number; seconds: number }[] = [];
      for (const seed of seeds) {
        const path = join(root, `${table.replace(" ", "-")}-${seed}.csv`);
        const answer = await peer.ask<Answer>({ table, seed, path });
        answers.push(answer);
        own.push(await trained(root, path, answer.number));
      }
      const found = judged(table, answers, own);
      cases.push(found);
      say(shown(found));
    }
  } finally {
    peer.close();
  }
  return cases;
}

async function trained(root: string, file: string, number: boolean) {
  const spec = {
    data: {
      file,
      target: "y",
      validation: { column: "split", value: "validation" },
      test: { column: "split", value: "test" },
    },
    requirements: { watched: { metric: "loss", level: 10, cost: "free" } },
  };
  writeFileSync(join(root, "spec.json"), JSON.stringify(spec));
  const { report, seconds, mistake } = await train(root, "bundled", ["--no-insist", "--force"]);
  if (!report) throw new Error(`${file}: ${mistake}`);
  const { error, rootMeanSquare } = report.test;
  return { loss: number ? rootMeanSquare! ** 2 : error!.value, seconds };
}

/** Over the splits together. */
function judged(
  table: string,
  answers: readonly Answer[],
  own: readonly { readonly loss: number; readonly seconds: number }[],
): BundledCase {
  const [{ number, rows }] = answers;
  const shownAs = (loss: number): number => (number ? Math.sqrt(loss) : loss);
  const names = Object.keys(answers[0].losses);
  const lossesOf = (name: string): number[] => answers.flatMap(({ losses }) => losses[name]);
  const peers = Object.fromEntries(names.map((name) => [name, shownAs(mean(lossesOf(name)))]));
  const best = names.reduce((a, b) => (peers[b] < peers[a] ? b : a));
  const standardError = standardErrorOf(lossesOf(best), number, rows);
  const error = shownAs(mean(own.map(({ loss }) => loss)));
  return {
    table,
    error,
    peers,
    best,
    standardError,
    within: error <= peers[best] + standardError,
    seconds: mean(own.map(({ seconds }) => seconds)),
  };
}

const digits = (x: number): string => (x < 10 ? x.toFixed(4) : x.toFixed(2));

const shown = ({ table, error, peers, best, standardError, within, seconds }: BundledCase): string =>
  `${table}: ${digits(error)} (${seconds.toFixed(1)} s); ${Object.entries(peers)
    .map(([name, value]) => `${name} ${digits(value)}`)
    .join(", ")}; ${within ? "within" : "NOT within"} ${digits(standardError)} of ${best}`;
