// pliant federate audit: whether a federation's ledger and blobs are what was written, and whether what was written can be so.
import { join as path } from "node:path";
import { PliantError } from "@pliant/core";
import { reference } from "@pliant/engine";
import { initialParams, zerosLike } from "@pliant/federated";
import type { Params } from "@pliant/learn";
import {
  type AgreedGroup,
  type Blobs,
  decodePlain,
  type LedgerEntry,
  type LedgerRow,
  readIfThere,
  unsealed,
} from "../ports/index.js";
import {
  contextOver,
  firstPast,
  outcomeOf,
  pastAfter,
  type Roster,
  rosterCode,
  rosterHash,
  type ShownMessage,
  type SiteDisk,
  signed,
  statementOver,
  survivorsText,
} from "../protocol/index.js";
import { decodeModel, encodeModel } from "../run/index.js";
import { checkSpec, type FederationSpec, networkOptions, specHash } from "../spec/spec.js";
import { isStaged } from "../spec/stages.js";
import { digest, quorumOf } from "../sums/index.js";
import { openCoordinatorFolder } from "./coordinator-folder.js";
import { readKept } from "./joined.js";
import { readKeptRoster } from "./roster-keeper.js";
import { evaluatedIn, type FederationReport } from "./serve.js";

/** What an audit came to. */
export interface Audit {
  readonly entries: number;
  /** The hash of the last entry, which names the whole ledger: one who noted it down earlier finds it among the hashes. */
  readonly head: string;
  readonly exchanges: number;
  readonly blobs: number;
  /** The code of the last roster, to compare with the one that sites have. */
  readonly roster?: string;
  /** By the spec in the ledger: how sums were taken. */
  readonly sums?: { readonly spec: string; readonly kind: "secure" | "plain"; readonly least: number };
  /** One sentence each; none where all is well. */
  readonly problems: readonly string[];
  /** What no signature covers, so that an operator could have written anything. */
  readonly unproven: string;
}

const unproven =
  "No signature covers, so it is the operator's word: whom the identities belong to, invitations and removals with their reasons, abandoned rounds, the last mean price, mean losses, ε, counts of updates that were scaled, and the evaluation";
/** A site has the hash of the final model. */
const unprovenModel = "the model after the last exchange";

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
      const rosters = rostersIn(entries);
      problems.push(
        ...twice(entries),
        ...impossible(entries, spec),
        ...rosters.problems,
        ...unsigned(entries, rosters, run, spec),
      );
      const noted = await ledger.noted();
      const missing = (noted?.entries ?? 0) - entries.length;
      if (missing > 0)
        problems.push(`${missing} entries at the end are missing: the ledger had ${noted!.entries}.`);
      if (witness !== undefined) problems.push(...unlike(await ledger.rows(), rosters, run, spec, witness));
      const model = (await ledger.state())?.shown.model;
      if (model !== undefined && !names.includes(model))
        problems.push(`The model ${model.slice(0, 16)}…, which sites are shown next, is missing.`);
      else if (model !== undefined)
        problems.push(...(await otherResults(out, spec, model, blobs, await ledger.rows())));
      const { hash: head } = await ledger.head();
      const exchanges = (await ledger.rows()).length;
      return {
        ...{ entries: entries.length, head, exchanges, blobs: names.length, problems },
        ...(rosters.last && { roster: rosterCode(run, rosters.last) }),
        sums: { spec: specHash(spec), kind: spec.sums.kind, least: spec.sites.least },
        unproven: witness === undefined ? `${unproven}, and ${unprovenModel}.` : `${unproven}.`,
      };
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (!(error instanceof PliantError)) throw error;
    problems.unshift(error.message);
    return { entries: 0, head: "", exchanges: 0, blobs: names.length, problems, unproven: `${unproven}.` };
  }
}

/** What is said once, before anyone joins. */
function twice(entries: readonly LedgerEntry[]): string[] {
  const said = entries.map((entry) =>
    entry.kind === "value" && ["run", "spec"].includes(entry.name) ? entry.name : undefined,
  );
  return said.flatMap((name, i) =>
    name !== undefined && said.indexOf(name) < i
      ? [`Entry ${i + 1}: the ${name} is written a second time.`]
      : [],
  );
}

/** What the folder has as the result, and the ledger does not; nothing where there is no result yet. */
async function otherResults(
  out: string,
  spec: FederationSpec,
  hash: string,
  blobs: Blobs,
  rows: readonly LedgerRow[],
): Promise<string[]> {
  const [model, report] = ["model.json", "report.json"].map((name) =>
    readIfThere(path(out, name))?.toString(),
  );
  const told = networkOptions(spec, reference());
  const params = initialParams(told);
  const form = { update: params, shared: told.solver.shares ? zerosLike(params) : {} };
  const { shared, agreed } = decodeModel(await blobs.get(hash), form, isStaged(spec));
  const problems: string[] = [];
  if (model !== undefined && !isModel(model, (update) => encodeModel({ update, shared }, agreed), hash))
    problems.push("model.json is not the model that the ledger ends with.");
  if (report !== undefined) {
    const { evaluation, thresholds } = evaluatedIn(spec, rows);
    const said = JSON.parse(report) as Partial<FederationReport>;
    const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
    const meanLoss = rows.at(-1)?.meanLoss ?? null;
    if (
      said.model !== hash ||
      !same(said.evaluation, evaluation) ||
      !same(said.thresholds, thresholds) ||
      !same(said.meanLoss, meanLoss)
    )
      problems.push("report.json is not the report that follows from the ledger.");
  }
  return problems;
}

function isModel(text: string, encoded: (params: Params) => Buffer, hash: string): boolean {
  try {
    return digest(encoded(decodePlain<Params>(text))) === hash;
  } catch {
    return false;
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
    const { row } = entry;
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

/** Rosters that the places of a ledger come to. */
interface Rosters {
  /** By their hashes. */
  readonly known: ReadonlyMap<string, Roster>;
  /** The hash of the one at an entry. */
  at(entry: number): string | undefined;
  readonly last: Roster | undefined;
  readonly problems: readonly string[];
}

/** From the beginning of the run on. */
function rostersIn(entries: readonly LedgerEntry[]): Rosters {
  const problems: string[] = [];
  const places = new Map<string, string>();
  const known = new Map<string, Roster>();
  const changes: { readonly entry: number; readonly hash: string }[] = [];
  let last: Roster | undefined;
  let began = false;
  for (const [entry, one] of entries.entries()) {
    const { kind } = one;
    if (kind === "join") {
      if (places.has(one.site))
        problems.push(`Entry ${entry + 1}: ${one.site} joins again, and was not removed before.`);
      if ([...places].some(([site, key]) => key === one.key && site !== one.site))
        problems.push(`Entry ${entry + 1}: ${one.site} joins with an identity that has another place.`);
      places.set(one.site, one.key);
    } else if (kind === "revoke" || kind === "remove") places.delete(one.site);
    const begins = kind === "begin" || (kind === "value" && one.name === "began");
    began ||= begins;
    if (!began || !(begins || ["join", "revoke", "remove"].includes(kind))) continue;
    last = Object.fromEntries(places);
    const hash = rosterHash(last);
    known.set(hash, last);
    changes.push({ entry, hash });
  }
  return { known, at: (entry) => changes.findLast((one) => one.entry < entry)?.hash, last, problems };
}

/** Sums that their sites did not sign: whoever has the ledger can write entries, but not these signatures. */
function unsigned(
  entries: readonly LedgerEntry[],
  { known, at }: Rosters,
  run: string,
  spec: FederationSpec,
): string[] {
  const problems: string[] = [];
  /** The roster when the attempt was begun. */
  let begun: string | undefined;
  let shown: ShownMessage | undefined;
  let suspects: readonly string[] = [];
  for (const [i, entry] of entries.entries()) {
    const wrong = (what: string) => problems.push(`Entry ${i + 1}: ${what}`);
    if (entry.kind === "begin") shown ??= entry.shown;
    if (entry.kind === "open") begun = at(i);
    if (entry.kind !== "commit" || !shown) continue;
    const { row } = entry;
    const { exchange, attempt, statement = "", survivors } = row;
    const groups = row.void ? null : (row.groups ?? [survivors]);
    if (pastAfter(shown.past, outcomeOf(exchange, { attempt, statement, groups })) !== row.shown.past)
      wrong(`the history that sites are shown next does not follow from exchange ${exchange}.`);
    if (!row.void && spec.sums.kind === "secure") {
      const stated = { run, exchange, attempt, spec: specHash(spec), shown };
      const roster = row.roster ?? "";
      if (![[], suspects].some((some) => statementOver(roster, { ...stated, suspects: some }) === statement))
        wrong(`the sites of exchange ${exchange} signed another statement than what this ledger shows them.`);
      if (roster !== begun)
        wrong(`the roster of exchange ${exchange} does not follow from those who joined and were removed.`);
      for (const why of badly(row, known.get(roster) ?? {}, spec)) wrong(why);
    }
    if (row.void) ({ suspects } = row.void);
    ({ shown } = row);
  }
  return problems;
}

/** What is wrong with the signatures below a row. */
function badly(
  { agreed = [], statement = "", survivors, exchange }: LedgerRow,
  roster: Roster,
  { sites: { least } }: FederationSpec,
): string[] {
  const named = new Set(agreed.flatMap((group) => group.survivors));
  const counted = survivors.every((site) => named.has(site)) && named.size === survivors.length;
  const isAgreed = ({ cohort, survivors: together, signatures }: AgreedGroup): boolean => {
    const text = survivorsText(contextOver(statement, cohort), together);
    const signers = Object.entries(signatures).filter(
      ([site, signature]) =>
        together.includes(site) && Object.hasOwn(roster, site) && signed(roster[site], text, signature),
    );
    return signers.length >= quorumOf(least, together.length);
  };
  return counted && agreed.every(isAgreed)
    ? []
    : [`nobody agreed to the sum of exchange ${exchange}: too few of its sites signed it.`];
}

/** What a site has seen, and this ledger does not have. */
function unlike(
  rows: readonly LedgerRow[],
  { known }: Rosters,
  run: string,
  spec: FederationSpec,
  folder: string,
): string[] {
  const text = readIfThere(path(folder, "site-state.json"));
  const disk = text && (decodePlain(unsealed(text, folder)) as SiteDisk<unknown>);
  const seen = disk?.seen;
  if (!disk || !seen) return [`${folder} has no state of a site that took part.`];
  const { exchange, past } = seen;
  if (rows.length < exchange)
    return [
      `${exchange - rows.length} exchanges at the end are missing: the site in ${folder} has seen ${exchange}.`,
    ];
  const here = exchange === 0 ? firstPast(run) : rows[exchange - 1].shown.past;
  const kept = readIfThere(path(folder, "roster.json"));
  const roster = kept && rosterHash(readKeptRoster(kept, folder));
  const { finished } = disk;
  const joined = readIfThere(path(folder, "joined.json"));
  const agreed = joined && specHash(checkSpec(readKept(joined, folder).spec, folder));
  return [
    ...(agreed === undefined || agreed === specHash(spec)
      ? []
      : [`The site in ${folder} has agreed to another spec than this ledger has.`]),
    ...(here === past ? [] : [`The site in ${folder} has seen another history before exchange ${exchange}.`]),
    ...(finished === null || finished === rows.at(-1)?.shown.model
      ? []
      : [`The site in ${folder} was given another final model.`]),
    ...(roster === undefined || known.has(roster)
      ? []
      : [`The site in ${folder} has a roster that this ledger never had.`]),
  ];
}
