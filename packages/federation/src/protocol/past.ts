// How the exchanges of a run ended, as one chain of hashes that is part of what sites are shown. A site moves by what the chain says of
// its last attempt. Sites that were told different endings have different statements, so their masks do not cancel: nobody can be told
// alone that it was counted, or that it was not.
import { InputError } from "@pliant/core";
import { digest } from "../sums/index.js";
import type { Counted, ShownMessage, Since } from "./messages.js";
import type { Tentative } from "./site-events.js";

/** How an exchange ended. */
export interface Outcome {
  readonly attempt: number;
  readonly statement: string;
  /** Those that were counted, by the groups that were drawn; nothing where the round was given up. */
  readonly groups: readonly (readonly string[])[] | null;
  /** Of all of this. */
  readonly hash: string;
}

/** Before the first exchange. */
export const firstPast = (run: string): string => digest(`pliant past ${run}`);

/** After one more exchange. */
export const pastAfter = (past: string, { hash }: Pick<Outcome, "hash">): string => digest(`${past} ${hash}`);

/** Of an exchange, from what is kept of it. */
export function outcomeOf(exchange: number, outcome: Omit<Outcome, "hash">): Outcome {
  const { attempt, statement, groups } = outcome;
  const root = groups && rootOf(groups.map(leafOf));
  return { ...outcome, hash: outcomeHash(exchange, attempt, statement, root) };
}

const outcomeHash = (exchange: number, attempt: number, statement: string, root: string | null): string =>
  digest(JSON.stringify(["pliant outcome", exchange, attempt, statement, root]));

const leafOf = (survivors: readonly string[]): string =>
  digest(JSON.stringify(["pliant survivors", [...survivors].sort()]));

// A tree of hashes over the groups, so that what a site is told of an outcome does not grow with the number of groups.
const parent = (left: string, right: string): string => digest(`pliant groups ${left} ${right}`);
const above = (level: readonly string[]): string[] =>
  Array.from({ length: Math.ceil(level.length / 2) }, (_, i) =>
    2 * i + 1 < level.length ? parent(level[2 * i], level[2 * i + 1]) : level[2 * i],
  );

function rootOf(leaves: readonly string[]): string {
  let level = leaves;
  while (level.length > 1) level = above(level);
  return level[0];
}

function pathOf(leaves: readonly string[], index: number): string[] {
  const path: string[] = [];
  for (let [level, i] = [leaves, index]; level.length > 1; [level, i] = [above(level), i >> 1])
    if ((i ^ 1) < level.length) path.push(level[i ^ 1]);
  return path;
}

function rootFrom(leaf: string, index: number, count: number, path: readonly string[]): string {
  let hash = leaf;
  let k = 0;
  for (let [i, n] = [index, count]; n > 1; [i, n] = [i >> 1, Math.ceil(n / 2)])
    if ((i ^ 1) < n) {
      const other = path[k++] ?? "";
      hash = i % 2 === 0 ? parent(hash, other) : parent(other, hash);
    }
  return hash;
}

/** An exchange, and the group there that a site was drawn into. */
export interface Place {
  readonly exchange: number;
  readonly group: number;
}

/** Where a site was counted last. */
export function countedIn(
  counted: Counted | undefined,
  outcomes: readonly Outcome[],
  site: string,
): Place | undefined {
  const groups = counted && outcomes[counted.exchange]?.groups;
  return groups
    ? { exchange: counted.exchange, group: groups.findIndex((g) => g.includes(site)) }
    : undefined;
}

/** What a site whose last attempt was at one exchange is told of it and of those after. */
export function sinceFor(outcomes: readonly Outcome[], exchange: number, group: number): Since | undefined {
  const outcome = outcomes[exchange];
  if (!outcome) return undefined;
  const { attempt, statement, groups } = outcome;
  const leaves = groups?.map(leafOf) ?? [];
  return {
    ...{ exchange, attempt, statement },
    root: groups && rootOf(leaves),
    survivors: [...(groups?.[group] ?? [])],
    group,
    path: pathOf(leaves, group),
    after: outcomes.slice(exchange + 1).map(({ hash }) => hash),
  };
}

const another = (why: string) =>
  new InputError(`The coordinator tells this site another history than it has seen: ${why}.`);

/** What a site's last attempt came to; nothing where it is not told. */
export function cameTo(
  last: Tentative<unknown>,
  known: { readonly agreed?: readonly string[]; readonly revealed: boolean },
  { exchange, past }: { readonly exchange: number; readonly past: string },
  since: Since | undefined,
  site: string,
): { readonly counted: boolean; readonly void: boolean } | undefined {
  if (exchange <= last.exchange) throw another(`exchange ${exchange} had another one in an earlier attempt`);
  if (since?.exchange !== last.exchange) return undefined;
  const { attempt, statement, root, survivors, path, after } = since;
  const hashes = [outcomeHash(last.exchange, attempt, statement, root), ...after];
  if (hashes.length !== exchange - last.exchange)
    throw another(`it is told of ${hashes.length} exchanges, and there were ${exchange - last.exchange}`);
  if (hashes.reduce((before, hash) => pastAfter(before, { hash }), last.past) !== past)
    throw another(`what comes after exchange ${last.exchange} does not follow from what it was shown there`);
  if (attempt !== last.attempt) {
    if (known.revealed) throw another("it helped to open another attempt");
    return { counted: false, void: root === null };
  }
  if (statement !== last.statement) throw another("its last attempt was about something else");
  if (root === null) return { counted: false, void: true };
  // Of another attempt, before the roster changed: it is to be told again.
  if (since.group !== last.group) return undefined;
  if (rootFrom(leafOf(survivors), last.group, last.groups, path) !== root)
    throw another(`its group had other sites in exchange ${last.exchange}`);
  // Of a group whose sum was not opened nobody is counted.
  if (survivors.length > 0 && known.agreed && !isSame(known.agreed, survivors))
    throw another(`it agreed to other sites in the sum of exchange ${last.exchange}`);
  return { counted: survivors.includes(site), void: false };
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && new Set([...a, ...b]).size === a.length;

/** After a round that was given up the model is the one before, and the next round begins; else the next exchange comes. */
export function checkFollows(last: Tentative<unknown>, given: boolean, shown: ShownMessage): void {
  const { step, exchange: part, model } = shown;
  const next = (step === last.step && part === last.part + 1) || (step === last.step + 1 && part === 0);
  if (given ? step === last.step + 1 && part === 0 && model === last.model : next) return;
  throw another(`round ${step + 1}, sum ${part + 1} does not follow, or its model does not`);
}
