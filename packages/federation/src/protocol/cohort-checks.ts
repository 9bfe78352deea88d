// What a site checks of those it is to sum with, before anything leaves it.
import { InputError } from "@pliant/core";
import { fewest, type Held, isMarked, type Marks, type Member, strictest } from "../sums/index.js";
import type { Crypto } from "./crypto.js";
import type { SignedMember } from "./messages.js";
import { type Halves, isTraceable, within } from "./traced.js";
import { byText, memberText, type Roster } from "./transcript.js";

/** What a site knows of a sum by itself. */
export interface OwnView {
  readonly statement: string;
  readonly roster: Roster;
  /** Who was drawn to sum with it. */
  readonly drawn: readonly string[];
  /** Itself, with its floor and its keys. */
  readonly mine: Member;
  readonly crypto: Pick<Crypto, "signed">;
}

/** Each member is of the roster, was drawn, and signed its keys for the same statement; they are in order. */
export function checkCohort(
  members: readonly SignedMember[],
  { statement, roster, drawn, mine, crypto }: OwnView,
): void {
  if (new Set(members.map((member) => member.site)).size !== members.length)
    throw new InputError("The cohort names a site twice.");
  // Halves and neighbours follow from the order as well.
  if (members.some(({ site }, i) => i > 0 && byText(members[i - 1].site, site) > 0))
    throw new InputError("The cohort is not in order.");
  const together = new Set(drawn);
  const stranger = members.find((member) => !together.has(member.site));
  if (stranger && Object.hasOwn(roster, stranger.site))
    throw new InputError(
      `The cohort has ${stranger.site}, which was not drawn to sum with this site in this round.`,
    );
  const me = members.find((member) => member.site === mine.site);
  if (!me || memberText(me, statement) !== memberText(mine, statement))
    throw new InputError("The cohort does not have this site's keys.");
  for (const member of members) {
    const key = Object.hasOwn(roster, member.site) ? roster[member.site] : undefined;
    if (key === undefined) throw new InputError(`The cohort has ${member.site}, which is not on the roster.`);
    if (!crypto.signed(key, memberText(member, statement), member.signature))
      throw new InputError(
        `${member.site} did not sign these keys for this statement: it was told something else, or is someone else.`,
      );
  }
}

/** No site of a cohort lets a sum fall below the floor of another one. */
export function checkFloor(
  members: readonly SignedMember[],
  count: number,
  own: number,
  what: (count: number) => string,
): void {
  const other = strictest(members);
  if (count >= other.least) return;
  const who = other.least === own ? "this site" : other.site;
  throw new InputError(`${what(count)}; ${who} sums with ${other.least} or more.`);
}

/** Every sum that is opened has enough sites, also one of a half. */
export function checkHalves(
  members: readonly SignedMember[],
  halves: readonly Halves[],
  sites: ReadonlySet<string>,
  own: number,
): void {
  if (halves.length === 0) return;
  if (!isTraceable(members.length, fewest))
    throw new InputError(`${members.length} sites are not summed in halves.`);
  for (const half of halves.flat())
    checkFloor(members, within(sites, half).size, own, (count) => `Half of a sum would have ${count} sites`);
}

/** What a box holds, or what its dealer says that it holds; nothing where that is not what the dealer committed to. */
export function opened(box: Marks & { readonly opened?: Held }, open: () => Held): Held | undefined {
  if (box.opened && isMarked(box.opened, box)) return box.opened;
  try {
    const held = open();
    return isMarked(held, box) ? held : undefined;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return undefined;
  }
}
