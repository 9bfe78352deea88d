// A sweep in words: a row a point, and of the one that was chosen what test rows say.
import { showMeasure } from "../run/evaluate.js";
import type { Sweep, SweptPoint } from "../run/sweep.js";
import { plain } from "./figure.js";
import { columns, short } from "./table.js";
import { gaveOf, priceOf, reachedOf } from "./told.js";

/** Objective, then of every requirement what it gave and its price. */
export function sweepText({ parameters, points, chosen, asks }: Sweep): string {
  const names = Object.keys(points[0].requirements);
  const place = ({ at }: SweptPoint): string[] => parameters.map((parameter) => String(at[parameter]));
  const strictly = chosen ? "validation" : "test";
  const parts = names.map((name) => {
    const rows = points.map((point) => {
      const { [name]: r } = point.requirements;
      return [
        ...place(point),
        reachedOf(point, r),
        gaveOf(point, r),
        priceOf(point, r),
        r.train ? plain(r.train.strict.value) : "–",
        r[strictly] ? plain(r[strictly].strict.value) : "–",
      ];
    });
    const head = [...parameters, "reached", "gave", "price", "strict train", `strict ${strictly}`];
    return `${name}\n${columns([head, ...rows], { left: parameters.length })}`;
  });
  const overall = points.map((point) => [
    ...place(point),
    short(point.objective),
    ...(chosen ? [short(point.validation!.loss.value)] : []),
    String(point.steps),
    point.certificate.holds ? "yes" : "no",
    point.run,
  ]);
  const head = [
    ...parameters,
    "objective",
    ...(chosen ? ["loss on validation"] : []),
    "steps",
    "certified",
    "run",
  ];
  return [
    ...parts,
    columns([head, ...overall], { left: parameters.length }),
    ...(chosen ? [choice(points[chosen.place], { parameters, chosen })] : []),
    ...(asks ? [noChoice(asks)] : []),
  ].join("\n\n");
}

/** Why no point is said to be the best. */
export const noChoice = (asks: readonly string[]): string =>
  `None is chosen: ${asks.join(" and ")} ${asks.length === 1 ? "says" : "say"} what is asked, and the least that is asked always does best; which to ask for is yours to say.`;

function choice(
  point: SweptPoint,
  { parameters, chosen }: Pick<Sweep, "parameters"> & Required<Pick<Sweep, "chosen">>,
): string {
  const { missed, loss, rows } = chosen;
  const at = parameters.map((parameter) => `${parameter} ${point.at[parameter]}`).join(", ");
  const why = `of the fewest requirements missed beyond chance on the ${rows} validation rows (${missed}), the least loss there (${short(loss)})`;
  const test = point.test!;
  return [
    `Chosen: ${at}, ${point.run}: ${why}.`,
    "",
    columns(
      [
        ["strictly, 95% intervals", "metric", "validation, chosen by", "test"],
        ...Object.entries(point.requirements).map(([name, r]) => [
          name,
          r.strictly,
          r.validation ? showMeasure(r.validation.strict) : "–",
          r.test ? showMeasure(r.test.strict) : "–",
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
