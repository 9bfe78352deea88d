// Requirements on so few examples that one of them decides, in words, before anything is trained.
import { underOf } from "../data/disturb.js";
import type { Prepared } from "../data/examples.js";
import { figure } from "../report/figure.js";
import { enough } from "../report/one-example.js";
import { judgedOn } from "./problem.js";
import { countOf, isCounted, membersOf, type Stated } from "./stated.js";

/** So many are named, of many. */
const shown = 5;

/** A sentence each; of both sides of a gap one. */
export function aboutFew(stated: readonly Stated[], prepared: Prepared): string[] {
  const found = new Map<string, string>();
  for (const one of stated) {
    const words = fewWords(one, prepared);
    if (words !== undefined) found.set(labelOf(one), words);
  }
  const all = [...found].map(([label, words]) => `${label}: ${words}`);
  const more = all.length - shown;
  return more > 0
    ? [
        ...all.slice(0, shown),
        `${more} more requirement${more === 1 ? " is" : "s are"} counted on as few rows.`,
      ]
    : all;
}

/** Without the side that it is of. */
const labelOf = ({ name, sense, level }: Stated): string => name.replace(`, ${sense} ${level}`, "");

function fewWords(stated: Stated, prepared: Prepared): string | undefined {
  const { metric, spec, level, base, group, of } = stated;
  if (metric.kind !== "rate" || !isCounted(stated) || spec.cost === "free") return undefined;
  const { own, worst = [own] } = membersOf(stated, judgedOn(stated, prepared));
  const rows = Math.min(...worst.map(countOf));
  const step = 1 / rows / (underOf(spec)?.draws ?? 1);
  const asked = Math.abs([level].flat()[0]);
  // How far the level is from what not one example, or each, would give; of a gap, how wide it is.
  const room = base ? asked : Math.min(asked, 1 - asked);
  const coarse = room > 0 && step > room * (1 + 1e-9);
  if (!coarse && !(rows < enough && (base || room > 0))) return undefined;
  const told =
    rows === 1
      ? `counted on 1 row, where a rate is 0 or 1: whether a level of ${asked} holds cannot be told`
      : `counted on ${rows} rows, one of which moves it by ${figure(step)}: a level of ${asked} cannot be told any finer`;
  const remedy = group
    ? `join ${group.value} with another group, leave its rows out, or name the other groups with requirements.${of}.only`
    : `ask for ${figure(step)} or more, or bring more rows`;
  return `${told}; ${remedy}.`;
}
