// pliant federate audit: whether a federation's ledger and blobs are what was written, and whether what was written can be so.
import { join as path } from "node:path";
import { PliantError } from "@pliant/core";
import {
  type AgreedGroup,
  decodePlain,
  type LedgerEntry,
  type LedgerRow,
  readIfThere,
} from "../ports/index.js";
import {
  contextOver,
  firstPast,
  outcomeOf,
  pastAfter,
  type ShownMessage,
  type SiteDisk,
  signed,
  statementOver,
  survivorsText,
} from "../protocol/index.js";
import { type FederationSpec, specHash } from "../spec/spec.js";
import { quorumOf } from "../sums/index.js";
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

/** Reads everything again, from the first entry on; and holds it against what a site has seen, from its folder. */
export async function audit(out: string, witness?: string): Promise<Audit> {
  const problems: string[] = [];
  let names: readonly string[] = [];
  try {
    const { ledger, spec, run, ...folder } = await openCoordinatorFolder(out);
    try {
      const blobs = folder.blobs();
      names = await blobs.hashes();
      for (const name of names)
        await blobs.get(name).catch((error: unknown) => {
          if (!(error instanceof PliantError)) throw error;
          problems.push(`The blob ${name.slice(0, 16)}… is damaged: it has another hash than its name.`);
        });
      const entries = await ledger.entries();
      problems.push(...impossible(entries, spec), ...unsigned(entries, run, spec));
      const noted = await ledger.noted();
      const missing = (noted?.entries ?? 0) - entries.length;
      if (missing > 0)
        problems.push(`${missing} entries at the end are missing: the ledger had ${noted!.entries}.`);
      if (witness !== undefined) problems.push(...unlike(await ledger.rows(), run, witness));
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

/** Sums that their sites did not sign: whoever has the ledger can write entries, but not these signatures. */
function unsigned(entries: readonly LedgerEntry[], run: string, spec: FederationSpec): string[] {
  const problems: string[] = [];
  const keys = new Map<string, Set<string>>();
  let shown: ShownMessage | undefined;
  let suspects: readonly string[] = [];
  for (const [i, entry] of entries.entries()) {
    const wrong = (what: string) => problems.push(`Entry ${i + 1}: ${what}`);
    if (entry.kind === "join") keys.set(entry.site, (keys.get(entry.site) ?? new Set()).add(entry.key));
    if (entry.kind === "begin") shown ??= entry.shown as ShownMessage;
    if (entry.kind !== "commit" || !shown) continue;
    const row = entry.row as LedgerRow;
    const { exchange, attempt, statement = "", survivors } = row;
    const groups = row.void ? null : (row.groups ?? [survivors]);
    if (pastAfter(shown.past, outcomeOf(exchange, { attempt, statement, groups })) !== row.shown.past)
      wrong(`the history that sites are shown next does not follow from exchange ${exchange}.`);
    if (!row.void && spec.sums.kind === "secure") {
      const stated = { run, exchange, attempt, spec: specHash(spec), shown };
      const roster = row.roster ?? "";
      if (![[], suspects].some((some) => statementOver(roster, { ...stated, suspects: some }) === statement))
        wrong(`the sites of exchange ${exchange} signed another statement than what this ledger shows them.`);
      for (const why of badly(row, keys, spec)) wrong(why);
    }
    if (row.void) ({ suspects } = row.void);
    ({ shown } = row);
  }
  return problems;
}

/** What is wrong with the signatures below a row. */
function badly(
  { agreed = [], statement = "", survivors, exchange }: LedgerRow,
  keys: ReadonlyMap<string, ReadonlySet<string>>,
  { sites: { least } }: FederationSpec,
): string[] {
  const named = new Set(agreed.flatMap((group) => group.survivors));
  const counted = survivors.every((site) => named.has(site)) && named.size === survivors.length;
  const isAgreed = ({ cohort, survivors: together, signatures }: AgreedGroup): boolean => {
    const text = survivorsText(contextOver(statement, cohort), together);
    const signers = Object.entries(signatures).filter(
      ([site, signature]) =>
        together.includes(site) && [...(keys.get(site) ?? [])].some((key) => signed(key, text, signature)),
    );
    return signers.length >= quorumOf(least, together.length);
  };
  return counted && agreed.every(isAgreed)
    ? []
    : [`nobody agreed to the sum of exchange ${exchange}: too few of its sites signed it.`];
}

/** What a site has seen, and this ledger does not have. */
function unlike(rows: readonly LedgerRow[], run: string, folder: string): string[] {
  const text = readIfThere(path(folder, "site-state.json"));
  const seen = text && (decodePlain(text.toString()) as SiteDisk<unknown>).seen;
  if (!seen) return [`${folder} has no state of a site that took part.`];
  const { exchange, past } = seen;
  if (rows.length < exchange)
    return [
      `${exchange - rows.length} exchanges at the end are missing: the site in ${folder} has seen ${exchange}.`,
    ];
  const here = exchange === 0 ? firstPast(run) : rows[exchange - 1].shown.past;
  return here === past ? [] : [`The site in ${folder} has seen another history before exchange ${exchange}.`];
}
