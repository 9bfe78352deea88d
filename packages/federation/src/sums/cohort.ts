// Who sums together, who holds whose shares, and how many of them it takes.
import { sha256 } from "../primitives.js";

/** A site in a cohort, with its floor and its keys of this attempt, all of which it signs. */
export interface Member {
  readonly site: string;
  /** Sites that it sums with at the least. Every other site of the cohort keeps to it as well. */
  readonly least: number;
  /** The public key of its pairwise masks. */
  readonly mask: string;
  /** The public key of the boxes that hold shares. */
  readonly channel: string;
  /** The hash of the seed of its own mask: wrong shares of it are noticed. */
  readonly self: string;
}

/** The sites of an attempt, in the order of the clients. */
export type Cohort = readonly Member[];

/** Sites that sum together, at the least: the sum of two tells each the other's. */
export const fewest = 3;

/**
 * How many of n sites it takes to agree on a sum, or to give a secret back: `least`, more than two thirds, and so many that two
 * such sets have more sites in common than `least` − 3, those that may collude. One honest site would have to be in both. Of
 * holders that are only some of the n sites, it takes as large a part.
 */
export function quorumOf(least: number, sites: number, holders = sites): number {
  const part = holders / sites;
  const colluders = Math.ceil((least - fewest) * part);
  const needed = [(2 * holders) / 3, (holders + colluders) / 2].map((half) => Math.floor(half) + 1);
  return Math.min(holders, Math.max(...needed, Math.ceil(least * part)));
}

/** The site with the highest floor; the first one, where there are several. */
export const strictest = <M extends Member>(cohort: readonly M[]): M =>
  cohort.reduce((one, other) => (other.least > one.least ? other : one));

/** All others up to 50 sites, then about 6 log₂ n of them: Bell et al., "Secure single-server aggregation" (2020). */
const degreeOf = (sites: number): number => (sites <= 50 ? sites - 1 : 2 * Math.ceil(3 * Math.log2(sites)));

/** In any sum of some of these. */
export const mostNeighbours = (sites: number): number => Math.max(Math.min(sites, 50) - 1, degreeOf(sites));

type Neighbours = ReadonlyMap<string, readonly Member[]>;

// A cohort is settled once in an attempt and asked about many times.
const settled = new WeakMap<Cohort, Neighbours>();

/** Those a site has pairwise masks with: its neighbours on a ring in an order that all keys together decide. */
export function neighboursOf(cohort: Cohort): Neighbours {
  const known = settled.get(cohort);
  if (known) return known;
  const seed = digest(cohort.map(({ site, mask, channel }) => `${site} ${mask} ${channel}`).join("\n"));
  const places = cohort.map((member) => ({ member, place: digest(`${seed} ${member.site}`) }));
  const ring = places.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ member }) => member);
  const degree = degreeOf(cohort.length);
  const around = (i: number): Member[] => {
    if (degree >= cohort.length - 1) return ring.filter((_, j) => j !== i);
    const steps = Array.from({ length: degree / 2 }, (_, k) => k + 1);
    return steps.flatMap((k) => [ring[(i + k) % ring.length], ring.at((i - k) % ring.length)!]);
  };
  const neighbours = new Map(ring.map((member, i) => [member.site, around(i)]));
  settled.set(cohort, neighbours);
  return neighbours;
}

// Asked for with every answer, and settled with the neighbours.
const holders = new WeakMap<readonly Member[], readonly string[]>();

/** Those that hold shares of a site's secrets, itself included, by their places from 1. */
export function holdersOf(site: string, neighbours: readonly Member[]): readonly string[] {
  const known = holders.get(neighbours) ?? [site, ...neighbours.map((member) => member.site)].sort();
  holders.set(neighbours, known);
  return known;
}

/** SHA-256, in hexadecimal digits. */
export const digest = (text: string | Uint8Array): string => sha256(text).toString("hex");
