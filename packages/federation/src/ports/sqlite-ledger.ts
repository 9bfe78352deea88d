// The ledger as a file of SQLite: what is committed is on the disk before anyone is told (WAL, synchronous FULL).

import { InputError } from "@pliant/core";
import Database from "libsql";
import type { ShownMessage } from "../protocol/index.js";
import { checkCode, checkNext, type Ledger, type LedgerRow, stateOf } from "./ledger.js";

const tables = `
  CREATE TABLE IF NOT EXISTS value (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS site (
    place INTEGER PRIMARY KEY AUTOINCREMENT, site TEXT UNIQUE NOT NULL, code TEXT NOT NULL, expires REAL NOT NULL, key TEXT);
  CREATE TABLE IF NOT EXISTS attempt (exchange INTEGER NOT NULL, attempt INTEGER NOT NULL, PRIMARY KEY (exchange, attempt));
  CREATE TABLE IF NOT EXISTS exchange (
    exchange INTEGER PRIMARY KEY, attempt INTEGER NOT NULL, survivors TEXT NOT NULL, shown TEXT NOT NULL, mean_loss REAL);
  CREATE TABLE IF NOT EXISTS spent (exchange INTEGER PRIMARY KEY, spent TEXT NOT NULL);
`;

interface SiteRow {
  readonly site: string;
  readonly code: string;
  readonly expires: number;
  readonly key: string | null;
}

interface ExchangeRow {
  readonly exchange: number;
  readonly attempt: number;
  readonly survivors: string;
  readonly shown: string;
  readonly mean_loss: number | null;
  readonly spent: string | null;
}

/** Opens the file, or makes it. */
export function sqliteLedger(file: string): Ledger {
  const db = opened(file);
  const value = (name: string): string | undefined =>
    (db.prepare("SELECT value FROM value WHERE name = ?").get(name) as { value: string } | undefined)?.value;
  const site = (name: string): SiteRow | undefined =>
    db.prepare("SELECT * FROM site WHERE site = ?").get(name) as SiteRow | undefined;
  const rows = (): LedgerRow[] =>
    (
      db
        .prepare("SELECT * FROM exchange LEFT JOIN spent USING (exchange) ORDER BY exchange")
        .all() as ExchangeRow[]
    ).map((row) => ({
      exchange: row.exchange,
      attempt: row.attempt,
      survivors: JSON.parse(row.survivors) as string[],
      shown: JSON.parse(row.shown) as ShownMessage,
      meanLoss: row.mean_loss,
      ...(row.spent !== null && { spent: JSON.parse(row.spent) as LedgerRow["spent"] }),
    }));
  const done = (): number => (db.prepare("SELECT count(*) AS n FROM exchange").get() as { n: number }).n;
  return {
    value: async (name) => value(name),
    setValue: async (name, text) =>
      void db.prepare("INSERT OR REPLACE INTO value (name, value) VALUES (?, ?)").run(name, text),
    invite: async (name, code, expires) =>
      void db
        .prepare(
          "INSERT INTO site (site, code, expires) VALUES (?, ?, ?) ON CONFLICT (site) DO UPDATE SET code = excluded.code, expires = excluded.expires",
        )
        .run(name, code, expires),
    join: async (name, code, key, now, look = false) => {
      const known = site(name);
      checkCode(name, known && { ...known, codeHash: known.code }, code, key, now);
      if (!look) db.prepare("UPDATE site SET key = ? WHERE site = ?").run(key, name);
    },
    revoke: async (name, places) =>
      db
        .prepare(
          "DELETE FROM site WHERE site = ? AND (key IS NULL OR (SELECT count(*) FROM site WHERE key IS NOT NULL) < ?)",
        )
        .run(name, places).changes > 0,
    sites: async () =>
      (db.prepare("SELECT site, key FROM site ORDER BY place").all() as SiteRow[]).map((row) => ({
        site: row.site,
        key: row.key,
      })),
    begin: async (shown) =>
      void db
        .prepare("INSERT OR IGNORE INTO value (name, value) VALUES ('first', ?)")
        .run(JSON.stringify(shown)),
    open: async (exchange, attempt) =>
      void db.prepare("INSERT INTO attempt (exchange, attempt) VALUES (?, ?)").run(exchange, attempt),
    commit: async (row) => {
      checkNext(row, done());
      // First what is nothing without the row; the row alone makes the exchange done.
      if (row.spent)
        db.prepare("INSERT OR REPLACE INTO spent (exchange, spent) VALUES (?, ?)").run(
          row.exchange,
          JSON.stringify(row.spent),
        );
      db.prepare(
        "INSERT INTO exchange (exchange, attempt, survivors, shown, mean_loss) VALUES (?, ?, ?, ?, ?)",
      ).run(
        row.exchange,
        row.attempt,
        JSON.stringify(row.survivors),
        JSON.stringify(row.shown),
        row.meanLoss,
      );
    },
    rows: async () => rows(),
    state: async () => {
      const first = value("first");
      if (first === undefined) return undefined;
      const { most } = db
        .prepare("SELECT max(attempt) AS most FROM attempt WHERE exchange = ?")
        .get(done()) as { most: number | null };
      return stateOf(JSON.parse(first) as ShownMessage, rows(), most ?? 0);
    },
    close: async () => void db.close(),
  };
}

function opened(file: string): Database.Database {
  try {
    const db = new Database(file);
    db.exec("PRAGMA journal_mode = WAL");
    db.exec("PRAGMA synchronous = FULL");
    db.exec("PRAGMA busy_timeout = 5000");
    db.exec(tables);
    return db;
  } catch (error) {
    throw new InputError(`The ledger ${file} cannot be opened: ${(error as Error).message}.`);
  }
}
