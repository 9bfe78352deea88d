// Who is at fault when sums fail. Where there are enough sites, the next sum is taken in parts that tell suspects apart
// (traced.ts). Where there are not, half of the suspects are summed with all sites that are cleared while the other half sits
// out, and each sum halves the suspects: after at most ⌈log₂ n⌉ + 1 failed sums one of them is left.

/**
 * After a failed sum: suspects that are in all sets with a site at fault. Where no site is in all of them several are at fault, or one
 * of them only now and then: every site of the sets is a suspect again, since what was concluded before may be wrong.
 */
export function afterFailure(
  suspects: readonly string[],
  failed: readonly ReadonlySet<string>[],
): readonly string[] {
  const sets = failed.map((sites) => {
    const among = suspects.filter((site) => sites.has(site));
    return among.length > 0 ? among : [...sites];
  });
  const common = sets[0].filter((site) => sets.every((names) => names.includes(site)));
  return common.length > 0 ? common : [...new Set(sets.flat())];
}

/** After a sum that came out: those that were in it are cleared. */
export const afterSum = (suspects: readonly string[], survivors: ReadonlySet<string>): readonly string[] =>
  suspects.filter((site) => !survivors.has(site));

/** Suspects that are not asked next, as far as `least` sites remain for the sum. */
export function sittingOut(suspects: readonly string[], present: readonly string[], least: number): string[] {
  const here = suspects.filter((site) => present.includes(site));
  return here.slice(Math.ceil(here.length / 2)).slice(0, Math.max(0, present.length - least));
}
