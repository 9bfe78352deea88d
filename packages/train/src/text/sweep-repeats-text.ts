// A sweep of several runs at each point in words: a row a point, with means and deviations, and of the one that was chosen what test
// rows say.

import { columns, short } from "../format/table.js";
import { symmetricInMeans, without } from "../report/symmetric-gaps.js";
import type { RepeatedPoint, RepeatedSweep } from "../run/sweep-repeats.js";
import { showSpread, what } from "./repeats-text.js";
import { noChoice, sweepTables } from "./sweep-text.js";

/** For every requirement its relaxation and price, then the objective and the certificates. */
export function sweepRepeatsText(sweep: RepeatedSweep): string {
  const { parameters, points, chosen, asks } = sweep;
  return [
    ...sweepTables(sweep, {
      hidden: points
        .map(({ requirements }) => symmetricInMeans(requirements))
        .reduce((a, b) => a.filter((name) => b.includes(name))),
      requirement: ({ requirements, runs }, name) => {
        const r = requirements[name];
        const shown = [r.reached, r.relaxation, r.price, r.train, r[chosen ? "validation" : "test"]];
        return shown.map((spread) => showSpread(spread, runs.length));
      },
      overall: (point) => [
        showSpread(point.objective),
        ...(chosen ? [showSpread(point.validation!.loss)] : []),
        showSpread(point.steps),
        `${point.certified} of ${point.runs.length}`,
        point.run,
      ],
      run: "runs",
    }),
    `Numbers are means ± standard deviations over the ${what[points[0].by].each}; "gave" and "price" only over those that are certified`,
    ...(chosen ? [choice(points[chosen.place], { parameters, chosen })] : []),
    ...(asks ? [noChoice(asks)] : []),
  ].join("\n\n");
}

function choice(
  point: RepeatedPoint,
  { parameters, chosen }: Pick<RepeatedSweep, "parameters"> & Required<Pick<RepeatedSweep, "chosen">>,
): string {
  const { missed, loss, rows } = chosen;
  const at = parameters.map((parameter) => `${parameter} ${point.at[parameter]}`).join(", ");
  const { each } = what[point.by];
  const runs = point.runs.length;
  return [
    `Chosen: ${at} (${point.run}). On the ${rows} validation rows it misses the fewest requirements by more than chance would explain (${short(missed)}) and, among those points, has the lowest loss (${short(loss)}); both are means over ${each}.`,
    "",
    columns(
      [
        ["requirement", "metric", "validation, chosen by", "test"],
        ...Object.entries(without(point.requirements, symmetricInMeans(point.requirements))).map(
          ([name, r]) => [name, r.strictly, showSpread(r.validation, runs), showSpread(r.test, runs)],
        ),
        ["all examples", "loss", showSpread(point.validation!.loss), showSpread(point.test!.loss)],
        ...(point.test!.error
          ? [["all examples", "error", showSpread(point.validation!.error), showSpread(point.test!.error)]]
          : []),
      ],
      { left: 2 },
    ),
  ].join("\n");
}
