// A sweep of several runs at each point in words: a row a point, with means and deviations, and of the one that was chosen what test
// rows say.
import type { RepeatedPoint, RepeatedSweep } from "../run/sweep-repeats.js";
import { showSpread, what } from "./repeats-text.js";
import { noChoice } from "./sweep-text.js";
import { columns, short } from "./table.js";

/** Of every requirement what it gave and its price, then the objective and the certificates. */
export function sweepRepeatsText({ parameters, points, chosen, asks }: RepeatedSweep): string {
  const names = Object.keys(points[0].requirements);
  const place = ({ at }: RepeatedPoint): string[] => parameters.map((parameter) => String(at[parameter]));
  const strictly = chosen ? "validation" : "test";
  const parts = names.map((name) => {
    const rows = points.map((point) => {
      const { [name]: r } = point.requirements;
      const shown = [r.reached, r.relaxation, r.price, r.train, r[strictly]];
      return [...place(point), ...shown.map((spread) => showSpread(spread, point.runs.length))];
    });
    const head = [...parameters, "reached", "gave", "price", "strict train", `strict ${strictly}`];
    return `${name}\n${columns([head, ...rows], { left: parameters.length })}`;
  });
  const overall = points.map((point) => [
    ...place(point),
    showSpread(point.objective),
    ...(chosen ? [showSpread(point.validation!.loss)] : []),
    showSpread(point.steps),
    `${point.certified} of ${point.runs.length}`,
    point.run,
  ]);
  const head = [
    ...parameters,
    "objective",
    ...(chosen ? ["loss on validation"] : []),
    "steps",
    "certified",
    "runs",
  ];
  return [
    ...parts,
    columns([head, ...overall], { left: parameters.length }),
    `mean ± standard deviation over ${what[points[0].by].each}; what was given and prices are of those certified`,
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
    `Chosen: ${at}, ${point.run}: of the fewest requirements missed beyond chance on the ${rows} validation rows (${short(missed)}), the least loss there (${short(loss)}), both means over ${each}.`,
    "",
    columns(
      [
        ["strictly", "metric", "validation, chosen by", "test"],
        ...Object.entries(point.requirements).map(([name, r]) => [
          name,
          r.strictly,
          showSpread(r.validation, runs),
          showSpread(r.test, runs),
        ]),
        ["all examples", "loss", showSpread(point.validation!.loss), showSpread(point.test!.loss)],
        ...(point.test!.error
          ? [["all examples", "error", showSpread(point.validation!.error), showSpread(point.test!.error)]]
          : []),
      ],
      { left: 2 },
    ),
  ].join("\n");
}
