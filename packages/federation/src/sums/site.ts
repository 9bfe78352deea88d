// A site's side of a secure sum. Its summand goes out under one mask with every neighbour, which cancel in the sum, and one of
// its own, which neighbours help to take away once it is settled who is in the sum. Masks are bound to a context: what the
// site was shown, and with whom it sums. Bonawitz et al., "Practical secure aggregation" (2017); Bell et al. (2020).
import { InputError } from "@pliant/core";
import { derived, seal, unseal } from "../primitives.js";
import { type Cohort, digest, fewest, holdersOf, type Member, neighboursOf, quorumOf } from "./cohort.js";
import { agreedKey, bytesOf, hex, publicKey, type Random } from "./keys.js";
import { addMask, type Summand } from "./mask.js";
import { split } from "./shamir.js";

/** A site's secrets of one attempt. */
export interface Secrets {
  readonly mask: Buffer;
  readonly channel: Buffer;
  /** The seed of its own mask. */
  readonly self: Buffer;
}

/** Fresh ones; no attempt has those of another. */
export const newSecrets = (random: Random): Secrets => ({
  mask: random(32),
  channel: random(32),
  self: random(32),
});

/** What others know of a site in an attempt: its floor and its public keys. */
export const memberOf = (site: string, { mask, channel, self }: Secrets, least = fewest): Member => ({
  ...{ site, least },
  mask: publicKey(mask),
  channel: publicKey(channel),
  self: digest(self),
});

/** A share of a site's two secrets, for one holder. */
export interface Held {
  readonly mask: string;
  readonly self: string;
}

/** By what each share of a holder is known once it is revealed, in 128 bits; a share is as random as a key, so this tells nothing. */
export interface Marks {
  readonly mask: string;
  readonly self: string;
}

/** A sealed share for one holder, and what its dealer commits to. */
export interface Box extends Marks {
  readonly to: string;
  readonly box: string;
}

/** The mark of a share. */
export const markOf = (share: string): string => digest(`pliant share ${share}`).slice(0, 32);

/** The marks of both shares of a holder. */
export const marksOf = ({ mask, self }: Held): Marks => ({ mask: markOf(mask), self: markOf(self) });

/** Whether shares are those that their dealer committed to. */
export const isMarked = (held: Held, { mask, self }: Marks): boolean =>
  markOf(held.mask) === mask && markOf(held.self) === self;

/** What neighbours hold for each other, once per attempt. */
export interface Dealt {
  readonly boxes: readonly Box[];
  /** The share the site holds of itself. */
  readonly own: Held;
  /** By holder. */
  readonly shares: ReadonlyMap<string, Held>;
}

/** Shares of the site's secrets in boxes only their holders open. */
export function deal(me: string, secrets: Secrets, cohort: Cohort, context: string, random: Random): Dealt {
  const neighbours = neighboursOf(cohort).get(me)!;
  const holders = holdersOf(me, neighbours);
  const places = holders.map((_, i) => i + 1);
  const { least } = cohort.find(({ site }) => site === me)!;
  const threshold = quorumOf(least, cohort.length, holders.length);
  const masks = split(secrets.mask, threshold, places, random);
  const selves = split(secrets.self, threshold, places, random);
  const held = new Map(
    holders.map((holder, i) => [holder, { mask: shareText(masks[i].y), self: shareText(selves[i].y) }]),
  );
  return {
    own: held.get(me)!,
    shares: held,
    boxes: neighbours.map(({ site, channel }) => ({
      to: site,
      box: boxed(boxKey(secrets, channel, context, me, site), held.get(site)!),
      ...marksOf(held.get(site)!),
    })),
  };
}

/** What a neighbour sent. */
export function openBox(me: string, secrets: Secrets, from: Member, box: string, context: string): Held {
  return unboxed(boxKey(secrets, from.channel, context, from.site, me), box, from.site);
}

/** The summand under its own mask and those with its neighbours; with those of its half, where that sums by itself. */
export function masked(
  me: string,
  secrets: Secrets,
  cohort: Cohort,
  context: string,
  summand: Summand,
  half?: ReadonlySet<string>,
): Summand {
  const sum = { words: summand.words.slice(), numbers: summand.numbers.slice() };
  addMask(sum, selfKey(secrets.self, context), 1);
  for (const { site, mask } of neighboursOf(cohort).get(me)!)
    if (!half || half.has(site))
      addMask(sum, pairKey(secrets.mask, mask, context, [me, site]), signOf(me, site));
  return sum;
}

/** Of two sites one adds their mask and the other takes it away. */
export const signOf = (me: string, other: string): 1 | -1 => (me < other ? 1 : -1);

/** For these two sites alone: whoever copies the key of one of them has another mask with the other. */
export const pairKey = (
  secret: Buffer,
  theirs: string,
  context: string,
  pair: readonly [string, string],
): Buffer => agreedKey(secret, theirs, `pliant mask ${context} ${[...pair].sort().join(" ")}`);

export const selfKey = (self: Buffer, context: string): Buffer => derived(self, `pliant self ${context}`);

/** Shares that a site gives away: of the own mask of those in the sum, of the pairwise masks of those that fell out. */
export interface Revealed {
  readonly selves: Readonly<Record<string, string>>;
  readonly masks: Readonly<Record<string, string>>;
}

/** For one set of survivors and no other: both secrets of one site would lay its summand open. */
export function revealed(held: ReadonlyMap<string, Held>, survivors: ReadonlySet<string>): Revealed {
  const selves: Record<string, string> = {};
  const masks: Record<string, string> = {};
  for (const [of, share] of held)
    if (survivors.has(of)) selves[of] = share.self;
    else masks[of] = share.mask;
  return { selves, masks };
}

const shareText = (y: bigint): string => y.toString(16).padStart(66, "0");

const boxKey = (secrets: Secrets, theirs: string, context: string, from: string, to: string): Buffer =>
  agreedKey(secrets.channel, theirs, `pliant box ${context} ${from} ${to}`);

// Every box has a key of its own.
const boxed = (key: Buffer, { mask, self }: Held): string => hex(seal(key, bytesOf(mask + self)));

function unboxed(key: Buffer, box: string, from: string): Held {
  try {
    const text = hex(unseal(key, bytesOf(box)));
    return { mask: text.slice(0, 66), self: text.slice(66) };
  } catch {
    throw new InputError(
      `The shares from ${from} do not open: they are not for this site, model or attempt.`,
    );
  }
}
