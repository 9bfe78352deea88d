// Sites that make attempts fail because they get ready and then say nothing. Once is bad luck; a site that does it again rests for an
// exchange, and twice as long with every further time, so that it cannot stop the others. Sums that it is counted in make up for it.

/** Sums that make up for one stall. */
const sums = 8;

/** What a coordinator remembers of them while it runs. */
export interface Stalls {
  /** A site made an attempt at this exchange fail. */
  add(site: string, exchange: number): void;
  /** It was counted. */
  forgive(site: string): void;
  /** Those that are not asked; nobody where fewer than `least` would remain. */
  resting(present: readonly string[], least: number, exchange: number): readonly string[];
}

/** After so many stalls, how many exchanges a site rests: none after the first, which is bad luck. */
const lenient = (times: number): number => (times < 2 ? 0 : 2 ** (times - 2));
/** Where it was no bad luck. */
export const strictly = (times: number): number => 2 ** (times - 1);

export function stallsOf(rests = lenient): Stalls {
  const known = new Map<string, { readonly times: number; readonly until: number }>();
  return {
    add: (site, exchange) => {
      const times = (known.get(site)?.times ?? 0) + 1;
      known.set(site, { times, until: exchange + Math.round(rests(times)) });
    },
    forgive: (site) => {
      const before = known.get(site);
      if (!before) return;
      if (before.times <= 1 / sums) known.delete(site);
      else known.set(site, { ...before, times: before.times - 1 / sums });
    },
    resting: (present, least, exchange) => {
      const resting = present.filter((site) => (known.get(site)?.until ?? 0) > exchange);
      return present.length - resting.length < least ? [] : resting;
    },
  };
}

/**
 * Those that took much longer than most did, after so many ms each: four times as long as two thirds of the sites, and `least` ms.
 * Each of them made all others wait.
 */
export function slowIn(times: ReadonlyMap<string, number>, least: number): readonly string[] {
  const sorted = [...times.values()].sort((a, b) => a - b);
  const most = sorted[Math.ceil((2 / 3) * sorted.length) - 1];
  return [...times].flatMap(([site, time]) => (time > Math.max(4 * most, least) ? [site] : []));
}
