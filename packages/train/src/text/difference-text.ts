// Whether one run is better than another, in words.
import { basename } from "@pliant/platform";
import { figure, quoted } from "../format/figure.js";
import { columns } from "../format/table.js";
import { without } from "../report/symmetric-gaps.js";
import type { Compared, Difference, Missed, Unlike } from "../use/differences.js";

/** Several runs compared with the first, as text: runs that cannot be ranked for the same reason share one sentence. */
export function differencesText(found: readonly (Compared | Unlike)[]): string {
  const reasons = new Map<string, Unlike[]>();
  for (const one of found)
    if ("unlike" in one) reasons.set(one.unlike, [...(reasons.get(one.unlike) ?? []), one]);
  return found
    .flatMap((one) => {
      const alike = "unlike" in one ? reasons.get(one.unlike)! : [one];
      if (alike[0] !== one) return [];
      return alike.length === 1 ? differenceText(one) : unrankedText(alike as Unlike[]);
    })
    .join("\n\n");
}

function unrankedText(all: readonly Unlike[]): string {
  const [{ first, unlike }] = all;
  const runs = [first, ...all.map(({ second }) => second)];
  const own = runs.map((run) => basename(run));
  const [one, ...others] = new Set(own).size === own.length ? own : runs;
  return `${one} is not ranked beside ${others.slice(0, -1).join(", ")} or ${others.at(-1)}: ${unlike}.`;
}

/** Whether one of two runs is significantly better, as text. */
export function differenceText(found: Compared | Unlike): string {
  const own = [found.first, found.second].map((run) => basename(run));
  const [first, second] = own[0] === own[1] ? [found.first, found.second] : own;
  if ("unlike" in found) return `${first} and ${second} are not ranked: ${found.unlike}.`;
  const lines: [string, Difference][] = [
    ["loss", found.loss],
    ...(found.error ? [["error", found.error] as [string, Difference]] : []),
    ...Object.entries(without(found.requirements, found.mirrors ?? [])),
  ];
  return [
    better(found, first, second),
    "",
    columns(
      [
        [`"${second}" minus "${first}"`, "difference, 95% interval", ""],
        ...lines.map(([name, one]) => [name, shown(one), verdict(one, first, second)]),
      ],
      { left: 3 },
    ),
    found.paired
      ? `Both runs were tested on the same ${found.rows} rows, and are compared row by row.`
      : `The runs are compared by the intervals of their reports, because ${found.because}.`,
    ...Object.entries(found.others ?? {}).map(
      ([name, [x, y]]) =>
        `${name} is not compared, because it asks for different things: ${x} in ${first}, ${y} in ${second}.`,
    ),
  ].join("\n");
}

function better({ better: run, by, loss, missed = [], ...found }: Compared, first: string, second: string) {
  const called = (folder: string): string => (folder === found.first ? first : second);
  const other = (folder: string): string => (folder === found.first ? second : first);
  const misses = (one: Missed): string =>
    `"${called(one.run)}" misses ${firmly(one, called)} by more than chance would explain (${one.here}), and "${other(one.run)}" does not (${one.there})`;
  const but = missed
    .filter(({ beyondChance }) => !beyondChance)
    .map((one) => ` On test rows ${misses(one)}, but the two do not differ significantly.`);
  if (run === undefined)
    return `Neither run is significantly better on test rows. The loss of "${second}" minus that of "${first}" is ${shown(loss)}.${but.join("")}`;
  if (by === "loss") {
    const beyond = missed.length > 0 ? ": no difference in them is significant" : "";
    return `"${called(run)}" has the lower loss on test rows, by ${shown(sizeOf(loss))}, a significant difference. Hard requirements do not decide between the two${beyond}.${but.join("")}`;
  }
  const told = missed.filter((one) => one.beyondChance).map(misses);
  return `"${called(run)}" is better: on test rows ${told.join("; ")}.${but.join("")}`;
}

/** What must hold, and where. */
const firmly = ({ name, asked, holdsIn }: Missed, called: (folder: string) => string): string =>
  `${quoted(name)} (${asked}, hard in ${holdsIn.length > 1 ? "both" : called(holdsIn[0])})`;

function verdict({ value, beyondChance, rows }: Difference, first: string, second: string): string {
  if (value === 0) return "alike";
  const tested = rows
    ? ` (only in "${first}": ${rows.first} rows, only in "${second}": ${rows.second} rows; p ${rows.p < 1e-4 ? "< 0.0001" : `= ${rows.p.toPrecision(2)}`})`
    : "";
  return `${value < 0 ? "lower" : "higher"} in "${second}", ${beyondChance ? "significant" : "not significant"}${tested}`;
}

const sizeOf = ({
  value,
  interval: [low, high] = [value, value],
}: Difference): Pick<Difference, "value" | "interval"> =>
  value < 0 ? { value: -value, interval: [-high, -low] } : { value, interval: [low, high] };

function shown({ value, interval }: Pick<Difference, "value" | "interval">): string {
  // Rates and losses have four decimals; numbers in larger units are printed as everywhere.
  const large = [value, ...(interval ?? [])].some((x) => Math.abs(x) >= 10);
  const number = (x: number): string => (large ? figure(x, 0) : x.toFixed(4));
  return interval ? `${number(value)} (${number(interval[0])} to ${number(interval[1])})` : number(value);
}
