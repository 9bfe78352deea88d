// Who is at fault when sums fail. Where there are enough sites, the next sum is taken in parts that tell suspects apart
// (traced.ts). Where there are not, half of the suspects sit out, in turns. Only failed sums are evidence: a site at fault is in every
// one of them, but it may behave in others. So a sum that comes out clears nobody, and a site that spoils sums only where an
// honest one is in them stays a suspect beside it. Two that cannot be told apart are not summed together any more.

/**
 * After a failed sum: suspects that are in all sets with a site at fault. Where no site is in all of them several are at fault, or one
 * of them only now and then: every site of the sets is a suspect again, since what was concluded before may be wrong. A set of one is proof.
 */
export function afterFailure(
  suspects: readonly string[],
  failed: readonly ReadonlySet<string>[],
): readonly string[] {
  const proven = failed.find((sites) => sites.size === 1);
  if (proven) return [...proven];
  const sets = failed.map((sites) => {
    const among = suspects.filter((site) => sites.has(site));
    return among.length > 0 ? among : [...sites];
  });
  const common = sets[0].filter((site) => sets.every((names) => names.includes(site)));
  return common.length > 0 ? common : [...new Set(sets.flat())];
}

/**
 * After a sum that came out, so many rounds after the last of so many failures: suspicion ends after a round, or one for each suspect
 * where they sit out in turns, and after twice as many with every failure. Of two that sit out in turns it does not end.
 */
export function afterSum(
  suspects: readonly string[],
  survivors: ReadonlySet<string>,
  rounds: number,
  failures: number,
): readonly string[] {
  const all = suspects.every((site) => survivors.has(site));
  if (!all && suspects.length === 2) return suspects;
  return rounds >= (all ? 1 : suspects.length) * 2 ** (failures - 1) ? [] : suspects;
}

/** Suspects that are not asked in a round, as far as `least` sites remain for the sum: half of them, others in each round. */
export function sittingOut(
  suspects: readonly string[],
  present: readonly string[],
  least: number,
  step: number,
): string[] {
  const here = suspects.filter((site) => present.includes(site));
  const size = Math.min(Math.floor(here.length / 2), Math.max(0, present.length - least));
  return Array.from({ length: size }, (_, i) => here.at((step * size + i) % here.length)!);
}
