// What is signed and what masks are bound to: texts that name everything that must be the same for all.
import { digest, type Member } from "../sums/index.js";
import type { ShownMessage, SignedMember } from "./messages.js";

export interface AttemptId {
  readonly run: string;
  readonly exchange: number;
  readonly attempt: number;
}

const idText = ({ run, exchange, attempt }: AttemptId): string => `${run} ${exchange} ${attempt}`;

/** The hash of what a site was shown: the model, the round, R̄ and λ̄, and how many λ̄ is over. */
export const shownHash = ({ step, exchange, model, meanPrice, answers, present }: ShownMessage): string =>
  digest(JSON.stringify([step, exchange, model, meanPrice, answers, present]));

/** A site signs its keys of an attempt together with what it was shown. */
export const memberText = (id: AttemptId, { site, mask, channel }: Member, shown: string): string =>
  `pliant member ${idText(id)} ${site} ${mask} ${channel} ${shown}`;

/** Masks are bound to what was shown and to those who sum. */
export const contextOf = (id: AttemptId, shown: string, members: readonly SignedMember[]): string =>
  digest(
    JSON.stringify([idText(id), shown, members.map(({ site, mask, channel }) => [site, mask, channel])]),
  );

/** Who is in the sum: signed by more than two thirds before anyone reveals. */
export const survivorsText = (
  context: string,
  dealers: Iterable<string>,
  survivors: Iterable<string>,
): string => `pliant survivors ${context} ${JSON.stringify([[...dealers].sort(), [...survivors].sort()])}`;
