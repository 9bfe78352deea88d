// Whether one run is better than another, in words.
import { basename } from "node:path";
import type { Compared, Difference } from "../use/differences.js";
import { columns, short } from "./table.js";

/** Whether one of two runs is better beyond chance, as text. */
export function differenceText(found: Compared): string {
  const own = [found.first, found.second].map((run) => basename(run));
  const [first, second] = own[0] === own[1] ? [found.first, found.second] : own;
  const lines: [string, Difference][] = [
    ["loss", found.loss],
    ...(found.error ? [["error", found.error] as [string, Difference]] : []),
    ...Object.entries(found.requirements),
  ];
  return [
    better(found, first, second),
    "",
    columns(
      [
        [`${second} minus ${first}`, "difference, 95% interval", ""],
        ...lines.map(([name, one]) => [name, shown(one), verdict(one, second)]),
      ],
      { left: 3 },
    ),
    found.paired
      ? `row by row, on the ${found.rows} rows that both were tested on`
      : `by the intervals of the two reports, as ${found.because}`,
  ].join("\n");
}

function better({ better: run, by, loss, ...found }: Compared, first: string, second: string): string {
  if (run === undefined)
    return `Neither is better beyond chance on test rows: the loss differs by ${shown(loss)}.`;
  const [ahead, behind] = run === found.first ? [first, second] : [second, first];
  return by === "loss"
    ? `${ahead} has less loss on test rows, by ${shown(sizeOf(loss))}, beyond chance; of what must hold neither misses more.`
    : `${ahead} is better: ${behind} misses more of what must hold on test rows, beyond chance.`;
}

function verdict({ value, beyondChance, rows }: Difference, second: string): string {
  if (value === 0) return "alike";
  const tested = rows ? ` (${rows.first} rows against ${rows.second}, p ${short(rows.p)})` : "";
  return `${value < 0 ? "lower" : "higher"} in ${second}, ${beyondChance ? "beyond" : "within"} chance${tested}`;
}

const sizeOf = ({
  value,
  interval: [low, high] = [value, value],
}: Difference): Pick<Difference, "value" | "interval"> =>
  value < 0 ? { value: -value, interval: [-high, -low] } : { value, interval: [low, high] };

const shown = ({ value, interval }: Pick<Difference, "value" | "interval">): string =>
  interval
    ? `${value.toFixed(4)} (${interval[0].toFixed(4)} to ${interval[1].toFixed(4)})`
    : value.toFixed(4);
