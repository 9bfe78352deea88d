// pliant federate audit: whether a federation's ledger and blobs are what was written, and whether what was written can be so.
import { PliantError } from "@pliant/core";
import type { LedgerEntry, LedgerRow } from "../ports/index.js";
import type { FederationSpec } from "../spec/spec.js";
import { openCoordinatorFolder } from "./coordinator-folder.js";

/** What an audit came to. */
export interface Audit {
  readonly entries: number;
  /** The hash of the last entry, which names the whole ledger: one who noted it down earlier finds it among the hashes. */
  readonly head: string;
  readonly exchanges: number;
  readonly blobs: number;
  /** One sentence each; none where all is well. */
  readonly problems: readonly string[];
}

/** Reads everything again, from the first entry on. */
export async function audit(out: string): Promise<Audit> {
  const problems: string[] = [];
  let names: readonly string[] = [];
  try {
    const { ledger, spec, ...folder } = await openCoordinatorFolder(out);
    try {
      const blobs = folder.blobs();
      names = await blobs.hashes();
      for (const name of names)
        await blobs.get(name).catch((error: unknown) => {
          if (!(error instanceof PliantError)) throw error;
          problems.push(`The blob ${name.slice(0, 16)}… is damaged: it has another hash than its name.`);
        });
      const entries = await ledger.entries();
      problems.push(...impossible(entries, spec));
      const model = (await ledger.state())?.shown.model;
      if (model !== undefined && !names.includes(model))
        problems.push(`The model ${model.slice(0, 16)}…, which sites are shown next, is missing.`);
      const { hash: head } = await ledger.head();
      const exchanges = (await ledger.rows()).length;
      return { entries: entries.length, head, exchanges, blobs: names.length, problems };
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (!(error instanceof PliantError)) throw error;
    problems.unshift(error.message);
    return { entries: 0, head: "", exchanges: 0, blobs: names.length, problems };
  }
}

/** Entries that are whole and yet cannot follow from each other. */
function impossible(entries: readonly LedgerEntry[], { sites, sums }: FederationSpec): string[] {
  const problems: string[] = [];
  const members = new Set<string>();
  let [exchange, opened, settled] = [0, 0, 0];
  for (const [i, entry] of entries.entries()) {
    const wrong = (what: string) => problems.push(`Entry ${i + 1}: ${what}`);
    if (entry.kind === "join") members.add(entry.site);
    if (entry.kind === "open" || entry.kind === "settle") {
      if (entry.exchange !== exchange)
        wrong(`an attempt at exchange ${entry.exchange} after ${exchange} exchanges.`);
      if (entry.kind === "open" && settled === opened && settled > 0)
        wrong(`exchange ${exchange} was opened again although sites may have revealed it.`);
      if (entry.kind === "open") opened = entry.attempt;
      else settled = entry.attempt;
    }
    if (entry.kind !== "commit") continue;
    const row = entry.row as LedgerRow;
    const { survivors, attempt } = row;
    if (row.exchange !== exchange) wrong(`exchange ${row.exchange} after ${exchange} exchanges.`);
    if (attempt !== opened) wrong(`attempt ${attempt} of exchange ${exchange} was never begun.`);
    if (!row.void && survivors.length < sites.least)
      wrong(`a sum over ${survivors.length} sites, and it takes ${sites.least}.`);
    if (!row.void && sums.kind === "secure" && settled !== attempt)
      wrong(`a secure sum was taken without the agreement of its sites.`);
    const strangers = survivors.filter((site) => !members.has(site));
    if (strangers.length > 0) wrong(`it counts ${strangers.join(", ")}, who had not joined.`);
    [exchange, opened, settled] = [exchange + 1, 0, 0];
  }
  return problems;
}
