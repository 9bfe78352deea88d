// The statement of an exchange: everything a site computes with, as one text. Every site signs its hash with its keys, and
// every mask and sealed share is derived from it, so sites that were told unequal things produce noise instead of a number.
import { type Box, digest, type Member } from "../sums/index.js";
import { type ShownMessage, type SignedMember, version } from "./messages.js";

export interface AttemptId {
  readonly run: string;
  readonly exchange: number;
  readonly attempt: number;
}

/** Sites and their identities. */
export type Roster = Readonly<Record<string, string>>;

/** What an attempt is about. A site takes the spec and the roster from its own disk, never from the coordinator's message. */
export interface Statement extends AttemptId {
  /** The hash of the spec: model, training, bound, least, kind of sum, privacy. */
  readonly spec: string;
  readonly roster: Roster;
  readonly shown: ShownMessage;
  /** Among whom the site at fault is looked for, where this sum is taken in parts (traced.ts). */
  readonly suspects?: readonly string[];
}

/** The hash of what a site was shown: the model, the round, R̄ and λ̄, how many λ̄ is over, and how all that came before ended. */
export const shownHash = ({
  step,
  exchange,
  model,
  meanPrice,
  answers,
  present,
  past,
}: ShownMessage): string =>
  digest(JSON.stringify([step, exchange, model, meanPrice, answers, present, past]));

// A roster never changes, and may have 10⁵ sites: each is hashed once.
const rosterHashes = new WeakMap<Roster, string>();

/** Sorted by a name or key, wherever they are. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The hash of who takes part, with their keys, in whatever order they are told. */
export function rosterHash(roster: Roster): string {
  const sorted = () => Object.entries(roster).sort(([a], [b]) => byText(a, b));
  const known = rosterHashes.get(roster) ?? digest(JSON.stringify(sorted()));
  rosterHashes.set(roster, known);
  return known;
}

/** The hash of a statement; one object of a spec gives one text, whoever parsed it. */
export const statementHash = ({ roster, ...more }: Statement): string =>
  statementOver(rosterHash(roster), more);

/** The same where only the roster's hash is known. */
export const statementOver = (
  roster: string,
  { run, exchange, attempt, spec, shown, suspects = [] }: Omit<Statement, "roster">,
): string =>
  digest(
    JSON.stringify([
      ...["pliant statement", version, run, exchange, attempt, spec],
      ...[roster, shownHash(shown), suspects],
    ]),
  );

/** A site signs its floor and its keys of an attempt together with the statement. */
export const memberText = ({ site, least, mask, channel, self }: Member, statement: string): string =>
  `pliant member ${site} ${least} ${mask} ${channel} ${self} ${statement}`;

/** The hash of those who sum, with their keys and floors. */
export const cohortHash = (members: readonly Member[]): string =>
  digest(
    JSON.stringify(members.map(({ site, least, mask, channel, self }) => [site, least, mask, channel, self])),
  );

/** Masks are bound to the statement and to those who sum. */
export const contextOf = (statement: string, members: readonly SignedMember[]): string =>
  contextOver(statement, cohortHash(members));

/** The same where only the hash of those who sum is known. */
export const contextOver = (statement: string, cohort: string): string =>
  digest(`pliant context ${statement} ${cohort}`);

/** A box as it was passed on, with what its dealer committed to. */
export const boxHash = ({ box, mask, self }: Omit<Box, "to">): string =>
  digest(JSON.stringify([box, mask, self]));

/** A holder signs that a box does not hold what its dealer committed to. */
export const complaintText = (context: string, by: string, of: string, box: string): string =>
  `pliant complaint ${context} ${by} ${of} ${box}`;

/** Who is in the sum: signed by a quorum before anyone reveals. */
export const survivorsText = (context: string, survivors: Iterable<string>): string =>
  `pliant survivors ${context} ${JSON.stringify([...survivors].sort())}`;
