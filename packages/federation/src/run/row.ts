// The row of the ledger that makes an exchange done.
import type { AgreedGroup, LedgerRow } from "../ports/ledger.js";
import { type Addends, cohortHash, rosterHash } from "../protocol/index.js";

interface Found extends Pick<LedgerRow, "shown" | "meanLoss" | "evaluation"> {
  readonly plain: boolean;
  readonly scaled: number;
}

/** Of a sum, and of what it came to. */
export function rowOf(addends: Addends, { plain, shown, meanLoss, scaled, evaluation }: Found): LedgerRow {
  const { exchange, attempt, uploads, spent, roster, statement, outcome, without, groups, agrees } = addends;
  return {
    ...{ exchange, attempt, survivors: [...uploads.keys()] },
    ...(outcome.groups!.length > 1 && { groups: outcome.groups! }),
    ...{ shown, meanLoss },
    ...(evaluation && { evaluation }),
    ...(without.size > 0 && { without: Object.fromEntries(without) }),
    ...(spent.size > 0 && { spent: Object.fromEntries(spent) }),
    ...{ statement, roster: rosterHash(roster) },
    ...(!plain && { agreed: groups.map((group) => agreedIn(group, agrees)) }),
    ...(scaled > 0 && { scaled }),
  };
}

/** What an audit holds against the keys of the sites. */
function agreedIn({ cohort, survivors }: Addends["groups"][number], agrees: Addends["agrees"]): AgreedGroup {
  const signed = [...agrees].filter(([site]) => survivors.has(site));
  return { cohort: cohortHash(cohort), survivors: [...survivors], signatures: Object.fromEntries(signed) };
}
