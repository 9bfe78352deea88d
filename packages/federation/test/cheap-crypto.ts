// Crypto that keeps the forms and counts of the real one and none of its secrets, for ten thousand schedules.

import { InputError } from "@pliant/core";
import {
  addMask,
  addSummand,
  bytesOf,
  type Cohort,
  type Crypto,
  digest,
  emptySummand,
  enough,
  type Held,
  type Identity,
  marksOf,
  neighboursOf,
  type Secrets,
  type Settled,
} from "@pliant/federation";

const publicOf = (secret: Buffer): string => digest(secret);
const pairKey = (a: string, b: string, context: string): Buffer =>
  bytesOf(digest(`${[a, b].sort()} ${context}`));
const selfKey = (self: string, context: string): Buffer => bytesOf(digest(`${self} ${context}`));
const signOf = (me: string, other: string): 1 | -1 => (me < other ? 1 : -1);
const padded = (text: string): string => text.padStart(66, "0");

export const cheapIdentity = (site: string): Identity => {
  const key = digest(`key of ${site}`);
  return {
    key,
    sign: (text) => digest(key + text).repeat(2),
    secretFor: (purpose) => Buffer.from(digest(`${site} ${purpose}`), "hex"),
  };
};

export const cheapCrypto: Crypto = {
  newSecrets: (random) => ({ mask: random(32), channel: random(32), self: random(32) }),
  memberOf: (site, { mask, channel, self }, least) => ({
    ...{ site, least },
    mask: publicOf(mask),
    channel: publicOf(channel),
    self: publicOf(self),
  }),
  isSound: () => true,
  deal: (me: string, secrets: Secrets, cohort: Cohort, context) => {
    const held: Held = {
      mask: padded(secrets.mask.toString("hex")),
      self: padded(secrets.self.toString("hex")),
    };
    const box = held.mask + held.self + context;
    return {
      own: held,
      shares: new Map(cohort.map(({ site }) => [site, held])),
      boxes: neighboursOf(cohort)
        .get(me)!
        .map(({ site }) => ({ to: site, box, ...marksOf(held) })),
    };
  },
  openBox: (_me, _secrets, from, box, context) => {
    if (box.slice(132) !== context) throw new InputError(`The shares from ${from.site} do not open`);
    return { mask: box.slice(0, 66), self: box.slice(66, 132) };
  },
  masked: (me, secrets, cohort, context, summand, half) => {
    const sum = emptySummand(summand.words.length, summand.numbers.length);
    addSummand(sum, summand);
    addMask(sum, selfKey(secrets.self.toString("hex"), context), 1);
    for (const { site, mask } of neighboursOf(cohort).get(me)!)
      if (!half || half.has(site))
        addMask(sum, pairKey(publicOf(secrets.mask), mask, context), signOf(me, site));
    return sum;
  },
  enough,
  unmask: (sum, settled: Settled, reveals) => {
    const { cohort, half, survivors, context } = settled;
    if (!enough(settled, reveals)) throw new InputError("There are too few shares.");
    for (const { site, mask } of cohort) {
      if (half && !half.has(site)) continue;
      if (survivors.has(site)) {
        const self = [...reveals.values()].find(({ selves }) => selves[site])!.selves[site];
        addMask(sum, selfKey(self.slice(2), context), -1);
        continue;
      }
      for (const other of neighboursOf(cohort).get(site)!)
        if (survivors.has(other.site))
          addMask(sum, pairKey(mask, other.mask, context), -signOf(other.site, site) as 1 | -1);
    }
  },
  signed: (key, text, signature) => signature === digest(key + text).repeat(2),
};
