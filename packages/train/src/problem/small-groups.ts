// Requirements on so few examples that one of them decides, in words, before anything is trained.

import type { Prepared } from "../data/examples.js";
import { figure } from "../format/figure.js";
import { underOf } from "./disturb.js";
import { judgedOn } from "./problem.js";
import { enough } from "./resolution.js";
import { countOf, isCounted, membersOf, type Stated } from "./stated.js";

/** So many are named, of many. */
const shown = 5;

/** A sentence each; of both sides of a gap one. */
export function aboutFew(stated: readonly Stated[], prepared: Prepared): string[] {
  const found = new Map<string, string>();
  for (const one of stated) {
    const words = fewWords(one, prepared, stated);
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

/** Whether what a group is compared with is one other that is asked about as well, and named by itself. */
const isNamed = ({ base, group, of }: Stated, all: readonly Stated[]): boolean => {
  const [other, ...more] = base?.among?.filter((value) => value !== group?.value) ?? [];
  return more.length === 0 && all.some((s) => s.of === of && s.group?.value === other);
};

function fewWords(stated: Stated, prepared: Prepared, all: readonly Stated[]): string | undefined {
  const { metric, spec, level, base, group, of } = stated;
  if (metric.kind !== "rate" || !isCounted(stated) || spec.cost === "free") return undefined;
  const { own, worst = [own], base: others } = membersOf(stated, judgedOn(stated, prepared));
  const counts = worst.map(countOf);
  const counted = Math.min(...counts);
  const beside = others && !isNamed(stated, all) ? countOf(others) : counted;
  const rows = Math.min(counted, beside);
  const step = 1 / rows / (underOf(spec)?.draws ?? 1);
  const asked = Math.abs([level].flat()[0]);
  // How far the level is from what not one example, or each, would give; of a gap, how wide it is.
  const room = base ? asked : Math.min(asked, 1 - asked);
  const coarse = room > 0 && step > room * (1 + 1e-9);
  if (!coarse && !(rows < enough && (base || room > 0))) return undefined;
  const where = beside < counted ? "compared with" : "counted on";
  const whose = beside < counted ? " of other groups" : "";
  const smallest = stated.worst?.[counts.indexOf(counted)];
  if (smallest) {
    const one = rows === 1 ? "1 row" : `${rows} rows`;
    return `the group ${smallest.value} is counted on ${one}, and one row moves it by ${figure(step)}, which is too coarse for a level of ${asked} if this group is the worst; merge it with another group, add rows, or name the other groups with requirements.${of}.only.`;
  }
  const told =
    rows === 1
      ? `${where} 1 row${whose}, where a rate is 0 or 1, which is too coarse for a level of ${asked}`
      : `${where} ${rows} rows${whose}, and one row moves it by ${figure(step)}, which is too coarse for a level of ${asked}`;
  const remedy =
    group && beside >= counted
      ? `merge ${group.value} with another group, drop its rows, or name the other groups with requirements.${of}.only`
      : `${step > asked ? `ask for ${figure(step)} or more, or ` : ""}add rows${whose}`;
  return `${told}; ${remedy}.`;
}
