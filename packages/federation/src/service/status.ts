// pliant federate status: what the ledger says, and what its coordinator does if it runs.
import { reference } from "@pliant/engine";
import { trustedCertificate } from "../embedded/index.js";
import { fingerprint, rosterCode } from "../protocol/index.js";
import type { Picture } from "../run/index.js";
import { exchangesOf, networkOptions } from "../spec/spec.js";
import { roundsAfter } from "../spec/stages.js";
import type { Evaluation, Thresholds } from "../tables/index.js";
import { openCoordinatorFolder } from "./coordinator-folder.js";
import { whoIsMissing } from "./places.js";
import { evaluatedIn, type FederationPrivacy, privacyIn, voidsIn } from "./serve.js";
import { watchedIn } from "./watched.js";

/** How far a federation is. */
export interface FederationStatus {
  readonly name: string;
  readonly rounds: { readonly done: number; readonly of: number };
  readonly exchanges: { readonly done: number; readonly of: number };
  readonly meanLoss: number | null;
  readonly meanPrice: number;
  /** The same at every site that was told the same roster. */
  readonly rosterCode?: string;
  /** Rounds that were given up because a sum failed. */
  readonly givenUp: number;
  readonly sites: readonly {
    readonly site: string;
    readonly joined: boolean;
    /** Of its identity. */
    readonly fingerprint?: string;
    /** Why it takes part no more, if so. */
    readonly removed?: string;
    /** Exchanges it was counted in. */
    readonly counted: number;
    readonly lastCounted: number | null;
    /** Spent, where records are private. */
    readonly epsilon?: number;
  }[];
  readonly privacy?: FederationPrivacy;
  /** The final model on the rows of all sites, once it was evaluated. */
  readonly evaluation?: Evaluation;
  /** Thresholds by group, where a rate is to be alike in all groups. */
  readonly thresholds?: Thresholds;
  readonly ended?: string;
  /** Whether its coordinator answers. */
  readonly running: boolean;
  /** Sites in a sum, at the least. */
  readonly least: number;
  /** Whom a federation that has not begun waits for. */
  readonly missing?: string;
  /** Whom a coordinator that runs waits for, or goes on without, and why. */
  readonly late: Picture["late"];
}

/** What the ledger says, and what its coordinator does if it runs. */
export async function status(out: string): Promise<FederationStatus> {
  const { ledger, spec, run, listens } = await openCoordinatorFolder(out);
  try {
    const at = listens();
    const running = at !== undefined && (await trustedCertificate(at).then(Boolean, () => false));
    const rows = await ledger.rows();
    const shown = (await ledger.state())?.shown;
    const privacy = privacyIn(spec, rows);
    const ended = await ledger.value("ended");
    const sites = await ledger.sites();
    const roster = await ledger.roster();
    const missing = whoIsMissing(sites, spec);
    const counts = (site: string) => rows.filter((row) => row.survivors.includes(site));
    return {
      name: spec.name,
      rounds: { done: roundsAfter(spec, (shown?.step ?? 0) - voidsIn(rows)), of: spec.training.rounds },
      exchanges: { done: rows.length, of: exchangesOf(spec, networkOptions(spec, reference())) },
      meanLoss: rows.at(-1)?.meanLoss ?? null,
      meanPrice: shown?.meanPrice ?? 0,
      ...(Object.keys(roster).length > 0 && { rosterCode: rosterCode(run, roster) }),
      givenUp: voidsIn(rows),
      sites: sites.map(({ site, key, removed }) => ({
        site,
        joined: key !== null,
        ...(key !== null && { fingerprint: fingerprint(key) }),
        ...(removed !== undefined && { removed }),
        counted: counts(site).length,
        lastCounted: counts(site).at(-1)?.exchange ?? null,
        ...(privacy && { epsilon: privacy.spent[site] ?? 0 }),
      })),
      ...(privacy && { privacy }),
      ...evaluatedIn(spec, rows),
      ...(ended !== undefined && { ended }),
      running,
      least: spec.sites.least,
      ...(missing !== undefined && { missing }),
      late: (running && watchedIn(out)?.now?.late) || [],
    };
  } finally {
    await ledger.close();
  }
}
