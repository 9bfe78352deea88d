// The crypto that the machines use, as one object: tests of ten thousand schedules bring a cheaper one.

import type { Revealed } from "../sums/index.js";
import {
  type Cohort,
  type Dealt,
  deal,
  enough,
  type Held,
  isLowOrder,
  type Member,
  masked,
  memberOf,
  newSecrets,
  openBox,
  type Random,
  type Secrets,
  type Settled,
  type Summand,
  unmask,
} from "../sums/index.js";
import { signed } from "./identity.js";

/** What secure sums are made of. */
export interface Crypto {
  newSecrets(random: Random): Secrets;
  memberOf(site: string, secrets: Secrets, least: number): Member;
  /** Whether others can have secrets with the owner of these keys. */
  isSound(member: Member): boolean;
  deal(me: string, secrets: Secrets, cohort: Cohort, context: string, random: Random): Dealt;
  openBox(me: string, secrets: Secrets, from: Member, box: string, context: string): Held;
  masked(
    me: string,
    secrets: Secrets,
    cohort: Cohort,
    context: string,
    summand: Summand,
    half?: ReadonlySet<string>,
  ): Summand;
  enough(settled: Settled, reveals: ReadonlyMap<string, Revealed>): boolean;
  unmask(sum: Summand, settled: Settled, reveals: ReadonlyMap<string, Revealed>): void;
  signed(key: string, text: string, signature: string): boolean;
}

/** The one that hides something. */
export const realCrypto: Crypto = {
  newSecrets,
  memberOf,
  isSound: ({ mask, channel }) => !isLowOrder(mask) && !isLowOrder(channel),
  deal,
  openBox,
  masked,
  enough,
  unmask,
  signed,
};
