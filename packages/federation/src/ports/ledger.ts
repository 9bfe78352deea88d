// What the coordinator must not lose: who was invited, joined and was removed, which attempts were begun, which exchanges are
// done. It is a list of entries and nothing else; all that is asked of it follows from them in order.
import { InputError, PliantError } from "@pliant/core";
import { z } from "zod";
import { afterSum } from "../protocol/blame.js";
import {
  type LedgerState,
  type Outcome,
  outcomeOf,
  type Roster,
  type ShownMessage,
} from "../protocol/index.js";
import type { Evaluation } from "../tables/evaluation.js";
import { fileLog } from "./file-log.js";
import { type Lease, type Log, memoryLog } from "./log.js";
import { postgresLog } from "./postgres-log.js";

/** A secure sum that its sites agreed to. */
export interface AgreedGroup {
  readonly cohort: string;
  readonly survivors: readonly string[];
  readonly signatures: Readonly<Record<string, string>>;
}

/** An exchange that is done: the one fact that makes it so. */
export interface LedgerRow {
  readonly exchange: number;
  readonly attempt: number;
  readonly survivors: readonly string[];
  /** The survivors of each group that was drawn, where there are several. */
  readonly groups?: readonly (readonly string[])[];
  /** What sites are shown after it. */
  readonly shown: ShownMessage;
  /** Of the latest round whose losses were summed. */
  readonly meanLoss: number | null;
  /** The ε that each site in the attempt said it has spent by then, where records are private. */
  readonly spent?: Readonly<Record<string, number>>;
  /** The hash of what the sites computed with, and of the roster then. */
  readonly statement?: string;
  readonly roster?: string;
  /** Updates that were scaled down to the bound, where there were any. */
  readonly scaled?: number;
  /** Of each secure sum: the hash of its cohort, its survivors, and who of them signed that they agree. */
  readonly agreed?: readonly AgreedGroup[];
  /** Sites that were left out because their floors could not be met, and why. */
  readonly without?: Readonly<Record<string, string>>;
  /** What the final model comes to on the rows of all sites, where it is asked. */
  readonly evaluation?: Evaluation;
  /** Why its round was given up, and who may be at fault: nobody was counted. */
  readonly void?: { readonly reason: string; readonly suspects: readonly string[] };
}

/** A place, and who has taken it. */
export interface LedgerSite {
  readonly site: string;
  /** Its identity, once it has joined. */
  readonly key: string | null;
  /** Why it takes part no more, if so. */
  readonly removed?: string;
}

const hash = z.string();
/** What a row and its beginning have at the least; whoever reads them goes by it. */
const shown = z.looseObject({
  ...{ step: z.number(), exchange: z.number(), model: hash, meanPrice: z.number(), past: hash },
  answers: z.array(z.number()),
});
const names = z.array(z.string());
const row = z.looseObject({
  ...{ exchange: z.number(), attempt: z.number(), meanLoss: z.number().nullable() },
  ...{ survivors: names, groups: z.array(names).optional(), shown },
  statement: hash.optional(),
  roster: hash.optional(),
  agreed: z
    .array(z.looseObject({ cohort: hash, survivors: names, signatures: z.record(z.string(), z.string()) }))
    .optional(),
  void: z.looseObject({ reason: z.string(), suspects: names }).optional(),
});
const entrySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("value"), name: z.string(), value: z.string() }),
  z.object({ kind: z.literal("invite"), site: z.string(), code: hash, expires: z.number() }),
  z.object({ kind: z.literal("join"), site: z.string(), key: z.string() }),
  z.object({ kind: z.literal("revoke"), site: z.string() }),
  z.object({ kind: z.literal("remove"), site: z.string(), reason: z.string() }),
  z.object({ kind: z.literal("begin"), shown: shown.transform((one) => one as ShownMessage) }),
  z.object({ kind: z.literal("open"), exchange: z.number(), attempt: z.number() }),
  z.object({ kind: z.literal("settle"), exchange: z.number(), attempt: z.number(), blob: hash }),
  z.object({ kind: z.literal("commit"), row: row.transform((one) => one as unknown as LedgerRow) }),
  z.object({ kind: z.literal("lease"), holder: z.string() }),
]);

/** One fact. */
export type LedgerEntry = z.infer<typeof entrySchema>;

/** What is written before anyone is told. */
export interface Ledger {
  value(name: string): Promise<string | undefined>;
  setValue(name: string, value: string): Promise<void>;
  /** A place for a site; a code can be used once, until it expires. A new code makes the old one void. */
  invite(site: string, codeHash: string, expires: number): Promise<void>;
  /** Uses a code up, or says why not; or only says so. */
  join(site: string, codeHash: string, key: string, now: number, look?: boolean): Promise<void>;
  /** Gives a place back that nobody took, or any until so many are taken; whether it did. */
  revoke(site: string, places: number): Promise<boolean>;
  /** A site takes part no more, from the next attempt on. */
  remove(site: string, reason: string): Promise<void>;
  /** In the order of the invitations. */
  sites(): Promise<LedgerSite[]>;
  /** Those that have joined and were not removed. */
  roster(): Promise<Roster>;
  /** What the first exchange shows. */
  begin(shown: ShownMessage): Promise<void>;
  open(exchange: number, attempt: number): Promise<void>;
  /** An attempt that sites may be asked to reveal, by the hash of the blob that has it. */
  settle(exchange: number, attempt: number, blob: string): Promise<void>;
  commit(row: LedgerRow): Promise<void>;
  rows(): Promise<LedgerRow[]>;
  /** Nothing before the beginning; the settled attempt by its blob. */
  state(): Promise<(Omit<LedgerState, "settled"> & { readonly settled?: string }) | undefined>;
  /** All entries, as they were written, with the time of each. */
  entries(): Promise<readonly (LedgerEntry & { readonly time: string })[]>;
  head(): Promise<Log["head"]>;
  /** How long the log was when it was last written, by a note beside it; nothing where there is none. */
  noted(): Promise<Log["head"] | undefined>;
  lease(holder: string): Promise<Lease>;
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
      `The join code for ${site} has been used. A site goes on from the folder it joined with, by --resume; if that is lost, the coordinator may remove it (pliant federate remove DIR --site ${site}) and invite anew.`,
    );
  if (now > known.expires) throw new InputError(`The join code for ${site} has expired; ask for a new one.`);
}

interface Place {
  readonly codeHash: string;
  readonly expires: number;
  readonly key: string | null;
  readonly removed?: string;
}

/** A ledger over a log, which others may append to as well. */
export function ledgerOver(log: Log): Ledger {
  const values = new Map<string, string>();
  const places = new Map<string, Place>();
  const rows: LedgerRow[] = [];
  const all: (LedgerEntry & { time: string })[] = [];
  let first: ShownMessage | undefined;
  let attempts = 0;
  let suspects: readonly string[] = [];
  let [failed, failures] = [0, 0];
  let settled: string | undefined;
  let counted: LedgerState["counted"] = {};
  const outcomes: Outcome[] = [];
  let held: string | undefined;
  let holder: string | undefined;
  /** Nothing where the places have changed since it was asked for. */
  let roster: Roster | undefined;

  const fold = (entry: LedgerEntry) => {
    if (["invite", "join", "revoke", "remove"].includes(entry.kind)) roster = undefined;
    if (entry.kind === "value") values.set(entry.name, entry.value);
    else if (entry.kind === "invite") {
      const { site, code: codeHash, expires } = entry;
      const before = places.get(site);
      if (before?.removed !== undefined) places.delete(site);
      places.set(site, {
        codeHash,
        expires,
        key: before?.removed === undefined ? (before?.key ?? null) : null,
      });
    } else if (entry.kind === "join") places.set(entry.site, { ...places.get(entry.site)!, key: entry.key });
    else if (entry.kind === "revoke") places.delete(entry.site);
    else if (entry.kind === "remove") {
      places.set(entry.site, { ...places.get(entry.site)!, removed: entry.reason });
      // Whoever is left was a suspect beside it.
      suspects = [];
    } else if (entry.kind === "begin") first ??= entry.shown;
    else if (entry.kind === "open") {
      attempts = entry.attempt;
      settled = undefined;
    } else if (entry.kind === "settle") settled = entry.blob;
    else if (entry.kind === "lease") holder = entry.holder;
    else {
      const { row } = entry;
      rows.push(row);
      [attempts, settled] = [0, undefined];
      const { step } = row.shown;
      if (row.void) failed = step;
      if (row.void && row.void.suspects.length > 0) failures++;
      const survivors = new Set(row.survivors);
      suspects = row.void ? row.void.suspects : afterSum(suspects, survivors, step - failed, failures);
      const { exchange, attempt, statement = "" } = row;
      const groups = row.void ? null : (row.groups ?? [row.survivors]);
      outcomes.push(outcomeOf(exchange, { attempt, statement, groups }));
      counted = {
        ...counted,
        ...Object.fromEntries(row.survivors.map((site) => [site, { exchange, attempt }])),
      };
    }
  };
  const take = (body: string) => {
    const { time, ...given } = JSON.parse(body) as { time: string };
    const parsed = entrySchema.safeParse(given);
    if (!parsed.success) {
      const [{ path, message }] = parsed.error.issues;
      throw new PliantError(
        `Entry ${all.length + 1} of the ledger is none that was ever written: ${path.join(".") || "kind"}: ${message}.`,
      );
    }
    const entry = parsed.data;
    all.push({ time, ...entry });
    fold(entry);
  };
  const read = () => log.read(take);
  const append = (decide: () => LedgerEntry | undefined) =>
    log.append(take, () => {
      if (held !== undefined && holder !== held)
        throw new InputError(`Another coordinator has taken over: ${holder}.`);
      const entry = decide();
      return entry && JSON.stringify({ time: new Date().toISOString(), ...entry });
    });

  return {
    value: async (name) => {
      await read();
      return values.get(name);
    },
    setValue: (name, value) => append(() => ({ kind: "value", name, value })),
    invite: (site, code, expires) => append(() => ({ kind: "invite", site, code, expires })),
    join: (site, codeHash, key, now, look = false) =>
      append(() => {
        const known = places.get(site);
        checkCode(site, known?.removed === undefined ? known : undefined, codeHash, key, now);
        const other = [...places].find(
          ([name, one]) => name !== site && one.key === key && one.removed === undefined,
        );
        if (other)
          throw new InputError(`This identity has joined as ${other[0]}; each site has one of its own.`);
        return look || known!.key === key ? undefined : { kind: "join", site, key };
      }),
    revoke: async (site, most) => {
      let did = false;
      await append(() => {
        const taken = [...places.values()].filter(
          ({ key, removed }) => key !== null && removed === undefined,
        );
        did = places.has(site) && (places.get(site)!.key === null || taken.length < most);
        return did ? { kind: "revoke", site } : undefined;
      });
      return did;
    },
    remove: (site, reason) =>
      append(() =>
        places.get(site)?.removed === undefined && places.has(site)
          ? { kind: "remove", site, reason }
          : undefined,
      ),
    sites: async () => {
      await read();
      return [...places].map(([site, { key, removed }]) => ({
        site,
        key,
        ...(removed !== undefined && { removed }),
      }));
    },
    roster: async () => {
      await read();
      roster ??= Object.fromEntries(
        [...places].flatMap(([site, { key, removed }]) =>
          key === null || removed !== undefined ? [] : [[site, key]],
        ),
      );
      return roster;
    },
    begin: (shown) => append(() => (first ? undefined : { kind: "begin", shown })),
    open: (exchange, attempt) => append(() => ({ kind: "open", exchange, attempt })),
    settle: (exchange, attempt, blob) => append(() => ({ kind: "settle", exchange, attempt, blob })),
    commit: (row) =>
      append(() => {
        if (row.exchange !== rows.length)
          throw new InputError(`Exchange ${row.exchange} cannot be written after ${rows.length} exchanges.`);
        return { kind: "commit", row };
      }),
    rows: async () => {
      await read();
      return [...rows];
    },
    state: async () => {
      await read();
      if (!first) return undefined;
      const voids = rows.filter((row) => row.void).length;
      const shown = rows.at(-1)?.shown ?? first;
      return {
        exchange: rows.length,
        attempts,
        counted,
        outcomes: [...outcomes],
        shown,
        voids,
        suspects,
        settled,
      };
    },
    entries: async () => {
      await read();
      return [...all];
    },
    head: async () => {
      await read();
      return log.head;
    },
    noted: async () => log.noted?.(),
    lease: async (who) => {
      const lease = await log.lease(who);
      await append(() => ({ kind: "lease", holder: who }));
      held = who;
      return lease;
    },
    close: () => log.close(),
  };
}

/** Within one process: lost with it. */
export const memoryLedger = (): Ledger => ledgerOver(memoryLog());

/** In a file. */
export const fileLedger = (file: string): Ledger => ledgerOver(fileLog(file));

/** In a Postgres database. */
export const postgresLedger = async (address: string, run: string): Promise<Ledger> =>
  ledgerOver(await postgresLog(address, run));
