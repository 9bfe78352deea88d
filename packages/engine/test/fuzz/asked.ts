// The number of random programs, their seed and their checks.
import { expect } from "vitest";
import type { Tally } from "./run.js";

export const seed = Number(process.env.PLIANT_SEED ?? 1);
export const count = Number(process.env.PLIANT_FUZZ ?? 600);

const show = ({ programs, refused, elements, promised, disagreements }: Tally): string =>
  `${programs} programs, ${refused} refused, ${elements} elements, ${((100 * promised) / elements).toFixed(1)}% of them promised, ${disagreements.length} disagreements`;

export const check = (name: string, tally: Tally): void => {
  console.log(`${name}, seed ${seed}: ${show(tally)}`);
  expect(tally.disagreements.slice(0, 3)).toEqual([]);
  // The nudges leave most elements determined; else nothing would be compared.
  expect(tally.promised).toBeGreaterThan(0.6 * tally.elements);
};

export const progress = (name: string) => (tally: Tally) => {
  if (count > 2000 && tally.programs % 2000 < 20) console.log(`${name}: ${show(tally)}`);
};
