// Who is at fault when a sum is noise. Nothing in a masked upload says so; which sums come out does. Half of the suspects are
// summed with all sites that are cleared while the other half sits out, and each sum halves the suspects: after at most
// ⌈log₂ n⌉ + 1 failed sums one of them is left.

/** After a failed sum: suspects that were in it, or all of its sites. */
export function afterFailure(suspects: readonly string[], survivors: ReadonlySet<string>): readonly string[] {
  const within = suspects.filter((site) => survivors.has(site));
  return within.length > 0 ? within : [...survivors];
}

/** After a sum that came out: those that were in it are cleared. */
export const afterSum = (suspects: readonly string[], survivors: ReadonlySet<string>): readonly string[] =>
  suspects.filter((site) => !survivors.has(site));

/** Suspects that are not asked next, as far as `least` sites remain for the sum. */
export function sittingOut(suspects: readonly string[], present: readonly string[], least: number): string[] {
  const here = suspects.filter((site) => present.includes(site));
  return here.slice(Math.ceil(here.length / 2)).slice(0, Math.max(0, present.length - least));
}
