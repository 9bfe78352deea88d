// Schedules by their seeds: gentle and rough, with sites that go for good, send noise, frame others, join late or leave with their budget spent.
import { cheapCrypto, cheapIdentity } from "./cheap-crypto.js";
import type { WorldOptions } from "./world.js";

export const base = { sites: 5, least: 3, exchanges: 4, crypto: cheapCrypto, identity: cheapIdentity };

/** None; the same for all, who then end it; or small ones for the first one or two, who leave while the others go on. */
const budgetsOf = (seed: number): number[] | undefined => {
  if (seed % 5 > 2) return undefined;
  return Array.from({ length: 12 }, (_, i) => (seed % 5 === 0 || i <= seed % 2 ? 1 + (seed % 3) : 9));
};

/** Gentle and rough, by the seed; with a site that goes for good, one that sends noise, one that frames another, one that joins late. */
export const roughly = (seed: number): WorldOptions => ({
  ...base,
  seed,
  sites: 4 + (seed % 3),
  plain: seed % 7 === 0 && seed % 10 !== 3,
  // Twelve sites in groups, of which some are drawn for each round.
  ...(seed % 10 === 3 && { sites: 12, draw: { group: 4, ...(seed % 20 === 3 && { sample: 9 }) } }),
  budgets: budgetsOf(seed),
  ...(seed % 4 === 1 && { leavers: { s1: 100 + (seed % 11) * 150 } }),
  ...(seed % 6 === 4 && { liars: ["s2"] }),
  ...(seed % 6 === 2 && { framers: { s2: "s0" } }),
  // Enough sites for sums in parts.
  ...((seed % 12 === 4 || seed % 12 === 8) && { sites: 8 }),
  ...(seed % 9 === 5 && { latecomers: { s3: 300 + (seed % 7) * 100 } }),
  faults: {
    until: 1500 + (seed % 5) * 700,
    drop: [0, 0.05, 0.15, 0.3][seed % 4],
    twice: [0.2, 0, 0.1][seed % 3],
    crash: [0.002, 0.01, 0, 0.03][Math.floor(seed / 4) % 4],
  },
});
