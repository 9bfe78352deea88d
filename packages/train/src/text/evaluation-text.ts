// A model judged on new rows, in words.
import type { Drift } from "../data/drift.js";
import type { Unseen } from "../data/unseen.js";
import { showMeasure, showOutcome } from "../evaluate/evaluate.js";
import { unansweredWords } from "../evaluate/unanswered.js";
import { figure, quoted } from "../format/figure.js";
import { columns, short } from "../format/table.js";
import { calibrationWords } from "../report/calibrated.js";
import { symmetricIn, without } from "../report/symmetric-gaps.js";
import type { Evaluation, Judged, Unlabelled } from "../use/evaluate.js";

/** How a model did on new rows, as text: the verdict, requirements with intervals, columns that moved. */
export function evaluationText(found: Evaluation): string {
  const { rows, run, examples, requirements, unseen, drift } = found;
  const all = Object.entries(without(requirements, mirrored(requirements)));
  return [
    verdictOn(all, `the ${examples.toLocaleString("en")} rows of ${rows} (model of ${run})`),
    "",
    columns(
      [
        ["with 95% intervals", "metric", "asked", "", "these rows", "test rows"],
        ...all.map(([name, r]) => [
          name,
          r.metric,
          `${r.asked}${r.hard ? ", hard" : r.watched ? ", not enforced" : ""}`,
          r.verdict === "not told" ? "unknown" : r.verdict,
          r.outcome ? showOutcome(r.outcome) : "no rows",
          r.before ? showOutcome({ strict: r.before, group: r.before.group }) : "–",
        ]),
        ["all examples", "loss", "", "", showMeasure(found.loss), showMeasure(found.before.loss)],
        found.error
          ? ["all examples", "error", "", "", showMeasure(found.error), showMeasure(found.before.error!)]
          : [
              ...["all examples", "root mean square error", "", ""],
              figure(found.rootMeanSquare!, 0),
              figure(found.before.rootMeanSquare!, 0),
            ],
      ],
      { left: 4 },
    ),
    "",
    ...all.flatMap(([name, r]) => toldBesides(name, r)),
    ...unansweredWords(found, "rows"),
    ...calibrationWords(found, "rows"),
    ...targetWords(found.target),
    ...unseen.map(unseenWords),
    ...driftWords(drift),
  ].join("\n");
}

/** How rows without a target compare with the training rows, as text. */
export const unlabelledText = ({ rows, run, examples, lacks, unseen, drift }: Unlabelled): string =>
  [
    `The ${examples.toLocaleString("en")} rows of ${rows} have no column "${lacks}", the target, so requirements, loss and error are not evaluated. Their columns are compared with the training rows (model of ${run}).`,
    "",
    ...unseen.map(unseenWords),
    ...driftWords(drift),
  ].join("\n");

/** A missed gap is shown from the side that misses it. */
const mirrored = (requirements: Evaluation["requirements"]): string[] =>
  symmetricIn(
    Object.fromEntries(
      Object.entries(requirements).map(([name, { metric, asked, hard, outcome, excess = 0 }]) => [
        name,
        { strictly: metric, asked, hard, value: outcome?.strict.value ?? Number.NaN, speaks: excess > 0 },
      ]),
    ),
  );

/** The verdict on enforced requirements; free ones are in the table only. */
function verdictOn(every: readonly (readonly [string, Judged])[], rows: string): string {
  const all = every.filter(([, { watched }]) => !watched);
  const missed = all.filter(([, { verdict }]) => verdict === "missed");
  const near = all.filter(([, { verdict }]) => verdict === "missed, within chance").length;
  const told = all.filter(([, { verdict }]) => verdict !== "not told").length;
  if (missed.length > 0)
    return `${missed.length === 1 ? "One requirement is" : `${missed.length} requirements are`} missed by more than chance would explain, on ${rows}: ${missed.map(([name, { excess }]) => `${quoted(name)} by ${figure(excess!, 0)}`).join(", ")}.`;
  if (told === 0) return `No requirement can be judged on ${rows}.`;
  if (near === 0) return `No requirement is missed on ${rows}.`;
  return `${near === 1 ? "One requirement is" : `${near} requirements are`} missed on ${rows}, by no more than chance would explain.`;
}

/** The metric of a level if the table shows another one, and why a requirement cannot be judged. */
function toldBesides(name: string, { why, asked, outcome, metric }: Judged): string[] {
  if (why !== undefined) return [`${name} cannot be judged: ${why}.`];
  if (!outcome?.trained) return [];
  const { value, interval } = outcome.trained;
  return [
    `${name}: the table shows the ${metric}. The level (${asked}) is about the smooth metric that training uses in its place; on these rows, that is ${short(value)} (${interval!.map(short).join(" to ")}).`,
  ];
}

const share = (x: number): string => `${(100 * x).toFixed(1)}%`;

const shownValues = 3;

const consequences: Record<Unseen["of"], string> = {
  model: "the model treats them as unknown",
  groups: "requirements by this column do not count these rows",
  both: "the model treats them as unknown, and requirements by this column do not count these rows",
};

/** `city: 12 rows have values that were not in the training rows (Oslo, Bergen and 2 more): …`. */
function unseenWords({ column, of, rows, values }: Unseen): string {
  const more = values.length - shownValues;
  const some = `${values.slice(0, shownValues).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `${column}: ${rows.toLocaleString("en")} ${rows === 1 ? "row has a value that was" : "rows have values that were"} not in the training rows (${some}); ${consequences[of]}.`;
}

/** Labels whose distribution moved: all numbers above depend on them. */
function targetWords(target: Evaluation["target"]): string[] {
  if (!target) return [];
  const { column, index, most, drifted, means, swapped } = target;
  const moved = means
    ? `its mean was ${figure(means.was, 0)} and is ${figure(means.is, 0)}`
    : `${most.bin} was ${share(most.was)} and is ${share(most.is)}`;
  const unit = means ? "It may be in another unit" : "Its values may mean something else";
  return [
    ...(drifted
      ? [
          `The target "${column}" is distributed differently than in training: ${moved} (stability index ${index.toFixed(2)}). ${unit}, or these rows are about other cases. All losses, errors and requirements above depend on it.`,
        ]
      : []),
    ...(swapped
      ? [
          `The model is wrong on these rows more often than right, unlike on the test rows. The two values of "${column}" may be swapped.`,
        ]
      : []),
  ];
}

function driftWords(drift: readonly Drift[]): string[] {
  const moved = drift.filter(({ drifted }) => drifted);
  if (moved.length === 0) return ["No column has drifted since training."];
  return [
    `${moved.length === 1 ? "One column differs" : `${moved.length} columns differ`} from training, so the certificate says less about these rows:`,
    ...moved.map(
      ({ column, index, most }) =>
        `${column}: ${most.bin} was ${share(most.was)} and is ${share(most.is)} (stability index ${index.toFixed(2)}).`,
    ),
  ];
}
