// What the coordinator must not lose: who was invited and joined, which attempts were begun, which exchanges are done.
import { InputError } from "@pliant/core";
import type { LedgerState, ShownMessage } from "../protocol/index.js";

/** An exchange that is done: the one fact that makes it so. */
export interface LedgerRow {
  readonly exchange: number;
  readonly attempt: number;
  readonly survivors: readonly string[];
  /** What sites are shown after it. */
  readonly shown: ShownMessage;
  /** Of the latest round whose losses were summed. */
  readonly meanLoss: number | null;
  /** The ε that each site in the attempt said it has spent by then, where records are private. */
  readonly spent?: Readonly<Record<string, number>>;
}

/** A place, and who has taken it. */
export interface LedgerSite {
  readonly site: string;
  /** Its identity, once it has joined. */
  readonly key: string | null;
}

/** What is written before anyone is told. */
export interface Ledger {
  value(name: string): Promise<string | undefined>;
  setValue(name: string, value: string): Promise<void>;
  /** A place for a site; a code can be used once, until it expires. A new code makes the old one void. */
  invite(site: string, codeHash: string, expires: number): Promise<void>;
  /** Uses a code up, or says why not; or only says so. */
  join(site: string, codeHash: string, key: string, now: number, look?: boolean): Promise<void>;
  /** Gives a place back that nobody took, or any until all of so many are taken; whether it did. */
  revoke(site: string, places: number): Promise<boolean>;
  /** In the order of the invitations. */
  sites(): Promise<LedgerSite[]>;
  /** What the first exchange shows. */
  begin(shown: ShownMessage): Promise<void>;
  open(exchange: number, attempt: number): Promise<void>;
  commit(row: LedgerRow): Promise<void>;
  rows(): Promise<LedgerRow[]>;
  /** Nothing before the beginning. */
  state(): Promise<LedgerState | undefined>;
  close(): Promise<void>;
}

/** The sentences of a code that does not open. */
export function checkCode(
  site: string,
  known: { readonly codeHash: string; readonly expires: number; readonly key: string | null } | undefined,
  codeHash: string,
  key: string,
  now: number,
): void {
  if (!known || known.codeHash !== codeHash)
    throw new InputError(`The join code for ${site} is not right; ask for a new one.`);
  if (known.key === key) return;
  if (known.key !== null)
    throw new InputError(
      `The join code for ${site} has been used. A site goes on from the folder it joined with, by --resume; if that is lost, the coordinator may take the place back (invite --site ${site} --revoke) and invite anew.`,
    );
  if (now > known.expires) throw new InputError(`The join code for ${site} has expired; ask for a new one.`);
}

/** Of rows one after another: an exchange is done once. */
export function checkNext(row: LedgerRow, done: number): void {
  if (row.exchange !== done)
    throw new InputError(`Exchange ${row.exchange} cannot be written after ${done} exchanges.`);
}

/** Within one process: lost with it. */
export function memoryLedger(): Ledger {
  const values = new Map<string, string>();
  const sites = new Map<string, { codeHash: string; expires: number; key: string | null }>();
  const rows: LedgerRow[] = [];
  let first: ShownMessage | undefined;
  let attempts = 0;
  return {
    value: async (name) => values.get(name),
    setValue: async (name, value) => void values.set(name, value),
    invite: async (site, codeHash, expires) =>
      void sites.set(site, { codeHash, expires, key: sites.get(site)?.key ?? null }),
    join: async (site, codeHash, key, now, look = false) => {
      checkCode(site, sites.get(site), codeHash, key, now);
      if (!look) sites.set(site, { ...sites.get(site)!, key });
    },
    revoke: async (site, places) => {
      const taken = [...sites.values()].filter(({ key }) => key !== null).length;
      return (sites.get(site)?.key === null || taken < places) && sites.delete(site);
    },
    sites: async () => [...sites].map(([site, { key }]) => ({ site, key })),
    begin: async (shown) => {
      first ??= shown;
    },
    open: async (_, attempt) => {
      attempts = attempt;
    },
    commit: async (row) => {
      checkNext(row, rows.length);
      rows.push(row);
      attempts = 0;
    },
    rows: async () => [...rows],
    state: async () => first && stateOf(first, rows, attempts),
    close: async () => {},
  };
}

/** The state that rows come to. */
export function stateOf(first: ShownMessage, rows: readonly LedgerRow[], attempts: number): LedgerState {
  const counted: Record<string, { exchange: number; attempt: number }> = {};
  for (const { exchange, attempt, survivors } of rows)
    for (const site of survivors) counted[site] = { exchange, attempt };
  return { exchange: rows.length, attempts, counted, shown: rows.at(-1)?.shown ?? first };
}
