// The requirements that a threshold settles after training: what is logged of them was counted at the usual threshold, before it.
import type { RunDetail } from "../../../src/api.js";
import { excessOf, requirementsOf } from "../../../src/requirement.js";
import { isPending } from "./overview.js";

/** By name, with how far each is beyond its level at the threshold; undefined until that is chosen. */
export function decidedIn(detail: RunDetail): Map<string, number | undefined> {
  const found = new Map<string, number | undefined>();
  for (const [name, r] of Object.entries(requirementsOf(detail.report)))
    if (r.decidedOn !== undefined) found.set(name, excessOf(r));
    else if (isPending(detail, name, r)) found.set(name, undefined);
  return found;
}
