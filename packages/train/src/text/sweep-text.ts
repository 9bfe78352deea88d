// A sweep in words: a row a point, and of the one that was chosen what test rows say.
import { showMeasure, showOutcome } from "../evaluate/evaluate.js";
import { plain } from "../format/figure.js";
import { columns, short } from "../format/table.js";
import { gaveOf, priceOf, reachedOf } from "../report/requirement-view.js";
import { symmetricInAll, without } from "../report/symmetric-gaps.js";
import type { Sweep, SweptPoint } from "../run/sweep.js";

interface Point {
  readonly at: Readonly<Record<string, unknown>>;
  readonly requirements: object;
}

interface Cells<P> {
  /** Requirements that need no telling. */
  readonly hidden: readonly string[];
  /** What was reached, given, priced and counted of a requirement. */
  requirement(point: P, name: string): readonly string[];
  /** Objective, loss on validation rows where one was chosen by it, steps, certified, run. */
  overall(point: P): readonly string[];
  readonly run: string;
}

/** One table per requirement with a row per point, then one for the points as a whole. */
export function sweepTables<P extends Point>(
  { parameters, points, chosen }: { parameters: readonly string[]; points: readonly P[]; chosen?: object },
  { hidden, requirement, overall, run }: Cells<P>,
): string[] {
  const table = (head: readonly string[], cells: (point: P) => readonly string[]): string =>
    columns(
      [
        [...parameters, ...head],
        ...points.map((point) => [...parameters.map((name) => String(point.at[name])), ...cells(point)]),
      ],
      { left: parameters.length },
    );
  const head = ["reached", "gave", "price", "on training rows", `on ${chosen ? "validation" : "test"} rows`];
  return [
    ...Object.keys(points[0].requirements).flatMap((name) =>
      hidden.includes(name) ? [] : `${name}\n${table(head, (point) => requirement(point, name))}`,
    ),
    table(["objective", ...(chosen ? ["loss on validation"] : []), "steps", "certified", run], overall),
  ];
}

/** For every requirement its relaxation and price, then the objective. */
export function sweepText(sweep: Sweep): string {
  const { parameters, points, chosen, asks } = sweep;
  return [
    ...sweepTables(sweep, {
      hidden: symmetricInAll(points),
      requirement: (point, name) => {
        const r = point.requirements[name];
        const counted = r[chosen ? "validation" : "test"];
        return [
          reachedOf(point, r),
          gaveOf(point, r),
          priceOf(point, r),
          r.train ? plain(r.train.strict.value) : "–",
          counted ? plain(counted.strict.value) : "–",
        ];
      },
      overall: (point) => [
        short(point.objective),
        ...(chosen ? [short(point.validation!.loss.value)] : []),
        String(point.steps),
        point.certificate.holds ? "yes" : "no",
        point.run,
      ],
      run: "run",
    }),
    ...(chosen ? [choice(points[chosen.place], { parameters, chosen })] : []),
    ...(asks ? [noChoice(asks)] : []),
  ].join("\n\n");
}

/** Why no point is said to be the best. */
export const noChoice = (asks: readonly string[]): string =>
  `No point is chosen: ${asks.join(" and ")} ${asks.length === 1 ? "sets" : "set"} what is asked, and asking for less always looks better. The choice is yours.`;

function choice(
  point: SweptPoint,
  { parameters, chosen }: Pick<Sweep, "parameters"> & Required<Pick<Sweep, "chosen">>,
): string {
  const { missed, loss, rows } = chosen;
  const at = parameters.map((parameter) => `${parameter} ${point.at[parameter]}`).join(", ");
  const why = `On the ${rows} validation rows it misses the fewest requirements by more than chance would explain (${missed}) and, among those points, has the lowest loss (${short(loss)}).`;
  const test = point.test!;
  return [
    `Chosen: ${at} (${point.run}). ${why}`,
    "",
    columns(
      [
        ["with 95% intervals", "metric", "validation, chosen by", "test"],
        ...Object.entries(without(point.requirements, symmetricInAll([point]))).map(([name, r]) => [
          name,
          r.strictly,
          r.validation ? showOutcome(r.validation) : "–",
          r.test ? showOutcome(r.test) : "–",
        ]),
        ["all examples", "loss", showMeasure(point.validation!.loss), showMeasure(test.loss)],
        ...(test.error
          ? [["all examples", "error", showMeasure(point.validation!.error!), showMeasure(test.error)]]
          : []),
      ],
      { left: 2 },
    ),
  ].join("\n");
}
