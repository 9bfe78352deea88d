// Who is at fault when a sum is noise. A masked upload does not show it, so the sum after a failed one is taken in parts: the
// coordinates are cut into ⌈log₂ m⌉ parts for m suspects, and each part is summed within two halves of the cohort. Two suspects
// are in different halves in at least one part, so a site that spoils its half of every part is known at once. Every
// coordinate is still in one sum only, over half of the sites.
import {
  addSummand,
  type Cohort,
  digest,
  emptySummand,
  partsOf,
  type Secrets,
  type Summand,
} from "../sums/index.js";
import type { Crypto } from "./crypto.js";

/** The two sides of a part. */
export type Halves = readonly [ReadonlySet<string>, ReadonlySet<string>];

/** Above this many sites have masks with some of the others only, and half of those may be too few to hide behind. */
const most = 50;

/** Whether so many sites can be summed in halves. */
export const isTraceable = (sites: number, least: number): boolean =>
  Math.floor(sites / 2) >= least && sites <= most;

/** Parts that tell so many suspects apart. */
export const partCount = (suspects: readonly string[]): number =>
  suspects.length < 2 ? 1 : Math.ceil(Math.log2(suspects.length));

/** The halves of each part; none where nobody is suspected. Halves of one part differ by one site at most. */
export function halvesOf(
  context: string,
  sites: readonly string[],
  suspects: readonly string[],
): readonly Halves[] {
  if (suspects.length < 2) return [];
  const places = sites.map((site) => ({ site, place: digest(`${context} ${site}`) }));
  const order = places.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ site }) => site);
  const suspected = new Set(suspects);
  let classes = [order.filter((site) => suspected.has(site)), order.filter((site) => !suspected.has(site))];
  return Array.from({ length: partCount(suspects) }, () => {
    const halves = [new Set<string>(), new Set<string>()] as const;
    let larger = 0;
    classes = classes.flatMap((names) => {
      const middle = Math.ceil(names.length / 2);
      const cut = [names.slice(0, middle), names.slice(middle)];
      for (const site of cut[0]) halves[larger].add(site);
      for (const site of cut[1]) halves[1 - larger].add(site);
      larger = (larger + names.length) % 2;
      return cut;
    });
    return halves;
  });
}

/** The sites of one set that are in another. */
export const within = (sites: ReadonlySet<string>, half: ReadonlySet<string>): Set<string> =>
  new Set([...sites].filter((site) => half.has(site)));

/** Masks of a part are its own. */
export const partContext = (context: string, part: number): string => `${context} part ${part}`;

/** The summand under masks: of each part, with the sites of its half. */
export function maskedInParts(
  crypto: Pick<Crypto, "masked">,
  me: string,
  secrets: Secrets,
  cohort: Cohort,
  context: string,
  summand: Summand,
  halves: readonly Halves[],
): Summand {
  if (halves.length === 0) return crypto.masked(me, secrets, cohort, context, summand);
  const sum = emptySummand(summand.words.length, summand.numbers.length);
  const parts = partsOf(summand, halves.length);
  for (const [k, part] of partsOf(sum, halves.length).entries()) {
    const mine = halves[k].find((half) => half.has(me))!;
    const own = partContext(context, k);
    addSummand(part, crypto.masked(me, secrets, cohort, own, parts[k], mine));
  }
  return sum;
}
