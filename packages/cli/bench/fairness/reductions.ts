// Beside Fairlearn's ExponentiatedGradient on the same rows: test error, the gap that was asked for, seconds. Fairlearn bounds the
// difference of each group from all, so of two groups a gap ε is its bound ε · (share of the larger group). It is asked both this way,
// of equalised odds with the smaller of the two shares, so that neither gap may be above the level; and with its bound at ε, which
// is a looser problem.
import type { Peer } from "../peer.js";
import { classes, type Table } from "../table.js";
import { type Kind, type Ours, type Outcome, ours, type Rows, violation, written } from "./ask.js";

export interface Reduction {
  readonly table: string;
  readonly kind: Kind;
  readonly level: number;
  readonly pliant: Side & { readonly certified: boolean; readonly steps: number };
  readonly fairlearn?: Theirs;
  /** With its own bound at the level. */
  readonly looser?: Theirs;
}

type Theirs = Side & { readonly models: number };

interface Side {
  /** The whole process, from start to end; processor time adds up all threads. */
  readonly process: { readonly seconds: number; readonly processor?: number };
  /** Seconds from the rows as read to the answer: of Fairlearn, its fit alone; of Pliant with its evaluation and report. */
  readonly seconds: number;
  readonly train: Outcome;
  readonly test: Outcome;
}

const groups = { groups: [7, 3], shift: 0.8 } as const;
/** Two models that answer a row in twenty-five otherwise differ in error by 0.001 by chance on so many rows; on 2,000 by 0.0045. */
const test = 40_000;
const tables = [
  { name: "14,000 rows, 19 columns", rows: 14_000 + test, seed: 101, features: 19, positives: 0.25 },
  { name: "4,000 rows, 6 columns", rows: 4000 + test, seed: 102, features: 6, positives: 0.4 },
];

const row = (cells: readonly string[]): string =>
  cells.map((cell, i) => cell.padEnd([26, 14, 16][i] ?? 9)).join("");

export async function besideFairlearn(
  root: string,
  peer: Peer | undefined,
  say: (line: string) => void,
): Promise<Reduction[]> {
  say(row(["table", "asked", "side", "train", "test", "error", "solving", "process", "processor"]));
  const found: Reduction[] = [];
  for (const { name, ...drawn } of tables) {
    const rows = written(root, name, classes({ ...drawn, ...groups }), test);
    for (const kind of ["parity", "odds"] as const)
      for (const level of [0.01, 0.02, 0.05]) {
        const own = await ours(rows, kind, level);
        const bound = level * largerShare(rows.table, kind);
        const fairlearn = await peer?.ask<Theirs>({ ...asked(rows, kind), bound });
        const looser = await peer?.ask<Theirs>({ ...asked(rows, kind), bound: level });
        const one = { table: name, kind, level, pliant: brief(own), fairlearn, looser };
        found.push(one);
        for (const [side, of] of [
          ["pliant", one.pliant],
          ["fairlearn", fairlearn],
          ["its own bound", looser],
        ] as const)
          if (of) say(line(one, side, of));
      }
  }
  return found;
}

/** The share of the larger of two groups among all rows, or the smaller of its shares among the positives and the negatives. */
function largerShare({ group, y }: Table, kind: Kind): number {
  const share = (counts: (i: number) => boolean): number => {
    const members = group.filter((_, i) => counts(i));
    const first = members.filter((g) => g === members[0]).length / members.length;
    return Math.max(first, 1 - first);
  };
  return kind === "odds"
    ? Math.min(
        share((i) => y[i] === 1),
        share((i) => y[i] === 0),
      )
    : share(() => true);
}

const asked = ({ train, test }: Rows, kind: Kind): object => ({ train, test, kind });

const brief = ({ seconds, processor, solving, train, test, report }: Ours): Reduction["pliant"] => ({
  process: { seconds, processor },
  seconds: solving!,
  train,
  test,
  certified: report.certificate.holds,
  steps: report.steps,
});

function line({ table, kind, level }: Reduction, side: string, of: Side): string {
  const rates = [of.train.rate, of.test.rate, of.test.error].map((x) => x.toFixed(4));
  const seconds = [of.seconds, of.process.seconds, of.process.processor].map((x) => x?.toFixed(1) ?? "–");
  return row([table, `${kind} ${level}`, side, ...rates, ...seconds]);
}

/** Shares of what was asked where Pliant is no worse, and how long it takes. */
export function verdict(all: readonly Reduction[]) {
  const beside = (theirs: "fairlearn" | "looser") => {
    const both = all.flatMap((r) => (r[theirs] ? [{ ...r, theirs: r[theirs] }] : []));
    if (both.length === 0) return null;
    const share = (holds: (r: (typeof both)[number]) => boolean): number =>
      both.filter(holds).length / both.length;
    const longer = (of: (r: (typeof both)[number]) => readonly [number?, number?]) => {
      const ratios = both
        .map(of)
        .flatMap(([a, b]) => (a && b ? a / b : []))
        .sort((a, b) => a - b);
      return { median: ratios[Math.floor(ratios.length / 2)], most: ratios.at(-1)! };
    };
    return {
      errorWithin: share(({ pliant, theirs }) => pliant.test.error <= theirs.test.error + 0.002),
      /** How much larger the test error is, on average. */
      errorAbove:
        both.reduce((sum, { pliant, theirs }) => sum + pliant.test.error - theirs.test.error, 0) /
        both.length,
      violationTrain: share(
        (r) => violation(r.pliant.train, r.level) <= violation(r.theirs.train, r.level) + resolution,
      ),
      violationTest: share(
        (r) => violation(r.pliant.test, r.level) <= violation(r.theirs.test, r.level) + resolution,
      ),
      process: longer((r) => [r.pliant.process.seconds, r.theirs.process.seconds]),
      processor: longer((r) => [r.pliant.process.processor, r.theirs.process.processor]),
      solving: longer((r) => [r.pliant.seconds, r.theirs.seconds]),
      processToFit: longer((r) => [r.pliant.process.seconds, r.theirs.seconds]),
    };
  };
  return { sameProblem: beside("fairlearn"), itsOwnBound: beside("looser") };
}

/** Two gaps nearer to each other than this are equal: a few answers among thousands. */
const resolution = 0.001;
