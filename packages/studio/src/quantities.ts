// The numbers of a run that runs are told apart by: its objective, what it does on test data, and of each requirement what it reached
// strictly, how far that is beyond its level, its price where that is known, and what it is on test data.
import { isNumber } from "./fields.js";
import { excessOf, measureOf, requirementsOf } from "./requirement.js";
import { pricesOf } from "./tellable.js";

/** Requirements of a run that are told of one by one. */
const most = 40;

export function quantitiesOf(
  report: Readonly<Record<string, unknown>> | null | undefined,
): Record<string, number> {
  const { objective, accuracy, test } = report ?? {};
  const found: [string, unknown][] = [
    ["objective", objective],
    ["accuracy", accuracy],
  ];
  for (const key of ["loss", "error"] as const)
    found.push([`test ${key}`, measureOf((test as Record<string, unknown> | undefined)?.[key])?.value]);
  const requirements = Object.entries(requirementsOf(report));
  const prices = requirements.length > most ? {} : pricesOf(report);
  for (const [name, r] of requirements.length > most ? [] : requirements)
    found.push(
      [`${name}: reached`, r.reached],
      [`${name}: beyond its level`, excessOf(r)],
      [`${name}: price`, prices[name]],
      [`${name}: on test data`, r.test?.value],
    );
  return Object.fromEntries(found.filter((entry): entry is [string, number] => isNumber(entry[1])));
}
