// Checks a spec's decisions against the data.
import { hint, type InputError } from "@pliant/core";
import type { Prepared } from "../data/examples.js";
import { together } from "../data/groups.js";
import type { Spec } from "../spec/spec.js";
import { isPair } from "./decision.js";

type Mistake = (path: readonly string[], sentence: string) => InputError;

/** The column by whose groups thresholds differ. */
export function groupedBy({ decision, requirements, data }: Spec): string | undefined {
  if (decision.threshold !== "by group") return undefined;
  if (decision.by !== undefined) return decision.by;
  const named = Object.values(requirements).flatMap((r) =>
    "by" in r && r.by ? [together([r.by].flat())] : [],
  );
  const groups = Object.keys(data.columns).filter((column) => data.columns[column] === "group");
  return named[0] ?? groups[0];
}

/** The mistakes in a spec's decisions. */
export function checkDecision(spec: Spec, { target, train, images }: Prepared, mistake: Mistake): void {
  const { threshold, by, cost } = spec.decision;
  const wrong = (key: string, sentence: string): InputError =>
    mistake(["decision", key], `decision.${key}: ${sentence}`);
  const moved = threshold === "by group" || (typeof threshold === "number" && threshold !== 0.5);
  if (moved && !isPair(target)) throw wrong("threshold", `${threshold} is for two classes.`);
  if (by !== undefined && threshold !== "by group")
    throw wrong("by", "it names the groups of threshold: by group; leave it out.");
  if (cost !== undefined && target.kind !== "class")
    throw wrong("cost", "the target is a number, of which no decision is made.");
  if (typeof cost === "object" && target.kind === "class") {
    const names = [...Object.keys(cost), ...Object.values(cost).flatMap(Object.keys)];
    const unknown = names.find((name) => !target.classes.includes(name));
    if (unknown !== undefined)
      throw wrong("cost", `"${unknown}" is not a class${hint(unknown, target.classes)}`);
  }
  if (threshold !== "by group") return;
  if (images) throw wrong("threshold", "by group is for rows of a table, and the data are images.");
  const column = groupedBy(spec);
  const known = Object.keys(train.groups);
  if (column === undefined)
    throw wrong("threshold", "by group needs groups; say of which column with decision.by.");
  if (!column.split(" × ").every((name) => known.includes(name)))
    throw wrong("by", `"${column}" is not a column with groups${hint(column, known)}`);
}
