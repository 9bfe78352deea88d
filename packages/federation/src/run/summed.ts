// The sum of an exchange, from uploads: in the open, or group by group behind masks.
import type { Blobs } from "../ports/blobs.js";
import {
  type Addends,
  decodeGiven,
  FailedSum,
  type Given,
  groupSum,
  plainSum,
  realCrypto,
  type SumOf,
} from "../protocol/index.js";
import type { FederationSpec } from "../spec/spec.js";
import { across, type SumOfSites } from "./across-groups.js";

/** Sums floats in the open, in the precision of the model. */
export async function sumInTheOpen(
  uploads: Addends["uploads"],
  blobs: Pick<Blobs, "get">,
  double: boolean,
): Promise<SumOf> {
  const given = new Map<string, Given>();
  for (const [site, hash] of uploads) given.set(site, decodeGiven(await blobs.get(hash)));
  return plainSum(given, double ? (value) => value : Math.fround);
}

/** Opens each group by itself. All groups that fail are named together; `check` throws for means that no honest sites have. */
export async function sumOfGroups(
  { groups, uploads, reveals }: Addends,
  blobs: Pick<Blobs, "get">,
  {
    spec,
    clients,
    shape,
    check,
  }: {
    readonly shape: { readonly values: number; readonly numbers: number };
    readonly spec: FederationSpec;
    /** Summands of one sum, at the most. */
    readonly clients: number;
    readonly check: (means: readonly number[]) => void;
  },
): Promise<SumOf> {
  const sums: SumOfSites[] = [];
  const failures: FailedSum[] = [];
  for (const group of groups) {
    const sum = groupSum(group, { crypto: realCrypto, bound: spec.sums.bound, clients, shape }, check);
    try {
      // One upload at a time: a thousand of them need not be in memory at once.
      for (const [site, hash] of uploads) if (group.survivors.has(site)) sum.add(site, await blobs.get(hash));
      sums.push({ ...sum.open(reveals), sites: group.survivors.size });
    } catch (error) {
      if (!(error instanceof FailedSum)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0)
    throw new FailedSum(
      failures[0].message,
      failures.flatMap(({ failed }) => failed),
    );
  return across(sums, spec.sums.across ?? "sum");
}
