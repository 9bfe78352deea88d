// The coordinator's side of a secure sum: it adds what is masked, and with shares from enough sites takes away what is left of
// the masks: the own masks of those in the sum, the pairwise masks of those that fell out.
import { PliantError } from "@pliant/core";
import { type Cohort, digest, holdersOf, neighboursOf, quorumOf } from "./cohort.js";
import { publicKey } from "./keys.js";
import { addMask, type Summand } from "./mask.js";
import { combine, type Share } from "./shamir.js";
import { pairKey, type Revealed, selfKey, signOf } from "./site.js";

/** Who is in a sum, which is settled before anything is revealed. */
export interface Settled {
  readonly cohort: Cohort;
  /** Those of the cohort that sum together, where that is half of it. */
  readonly half?: ReadonlySet<string>;
  /** Those whose summands are in the sum. */
  readonly survivors: ReadonlySet<string>;
  readonly context: string;
}

/** Whether the shares that came in are enough. */
export function enough(settled: Settled, reveals: ReadonlyMap<string, Revealed>): boolean {
  const shares = sharesIn(reveals);
  return wanted(settled).every((need) => shares(need).length >= need.threshold);
}

/** Whether these sites together could open the sum. */
export const reachable = (settled: Omit<Settled, "context">, helpers: ReadonlySet<string>): boolean =>
  wanted(settled).every(
    ({ holders, threshold }) => holders.filter((site) => helpers.has(site)).length >= threshold,
  );

/** Takes the masks away, in place. */
export function unmask(sum: Summand, settled: Settled, reveals: ReadonlyMap<string, Revealed>): void {
  const { cohort, survivors, context } = settled;
  const neighbours = neighboursOf(cohort);
  const shares = sharesIn(reveals);
  for (const need of wanted(settled)) {
    const owner = cohort.find(({ site }) => site === need.of)!;
    const fits = (secret: Buffer) =>
      need.kind === "selves" ? digest(secret) === owner.self : publicKey(secret) === owner.mask;
    const secret = secretFrom(shares(need), need.threshold, fits);
    if (!secret) throw new WrongShares(need.of);
    if (need.kind === "selves") {
      addMask(sum, selfKey(secret, context), -1);
      continue;
    }
    for (const { site, mask } of neighbours.get(need.of)!)
      if (survivors.has(site))
        addMask(sum, pairKey(secret, mask, context, [need.of, site]), -signOf(site, need.of) as 1 | -1);
  }
}

/** Shares that give no secret. Each of them is the one that its dealer committed to, so the dealer is at fault. */
export class WrongShares extends PliantError {
  constructor(readonly dealer: string) {
    super(`The shares that ${dealer} dealt do not give its secret.`);
  }
}

/** The secret that the shares give; without one of them, where that one is wrong. */
function secretFrom(
  shares: readonly Share[],
  threshold: number,
  fits: (secret: Buffer) => boolean,
): Buffer | undefined {
  const tries = shares.length > threshold ? shares.length : 0;
  for (let without = -1; without < tries; without++) {
    const used = shares.filter((_, i) => i !== without);
    try {
      const secret = combine(used, threshold);
      if (fits(secret)) return secret;
    } catch (error) {
      // Too few is no lie; shares that give no secret may be one.
      if (shares.length < threshold) throw error;
    }
  }
  return undefined;
}

interface Need {
  readonly of: string;
  readonly kind: "selves" | "masks";
  readonly holders: readonly string[];
  readonly threshold: number;
}

function wanted({ cohort, half, survivors }: Omit<Settled, "context">): Need[] {
  const neighbours = neighboursOf(cohort);
  return cohort
    .filter(({ site }) => !half || half.has(site))
    .map(({ site, least }) => {
      const holders = holdersOf(site, neighbours.get(site)!);
      const kind = survivors.has(site) ? "selves" : "masks";
      return { of: site, kind, holders, threshold: quorumOf(least, cohort.length, holders.length) };
    });
}

const sharesIn =
  (reveals: ReadonlyMap<string, Revealed>) =>
  ({ of, kind, holders }: Need): Share[] =>
    holders.flatMap((holder, i) => {
      const share = reveals.get(holder)?.[kind][of];
      return share === undefined ? [] : [{ x: i + 1, y: BigInt(`0x${share}`) }];
    });
