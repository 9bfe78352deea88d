// The ledger in a Postgres database, where one machine's disk is not enough. One database may hold many federations.
import { InputError } from "@pliant/core";
import postgres from "postgres";
import type { ShownMessage } from "../protocol/index.js";
import { checkCode, checkNext, type Ledger, type LedgerRow, stateOf } from "./ledger.js";

/** `postgres://user:password@host/database`, and the federation's name in it. */
export async function postgresLedger(address: string, run: string): Promise<Ledger> {
  const sql = postgres(address, { max: 2, onnotice: () => {}, connect_timeout: 10 });
  try {
    await sql.begin(async (begun) => {
      // Two that start at once would make the same tables.
      await begun`SELECT pg_advisory_xact_lock(7110210)`;
      await begun.unsafe(tables);
    });
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw new InputError(
      `The ledger at ${address.replace(/:[^:@/]*@/, ":…@")} cannot be opened: ${(error as Error).message}.`,
    );
  }
  const done = async (): Promise<number> =>
    (await sql<{ n: number }[]>`SELECT count(*)::int AS n FROM pliant_exchange WHERE run = ${run}`)[0].n;
  const value = async (name: string): Promise<string | undefined> =>
    (await sql<{ value: string }[]>`SELECT value FROM pliant_value WHERE run = ${run} AND name = ${name}`)[0]
      ?.value;
  const rows = async (): Promise<LedgerRow[]> =>
    (
      await sql<
        {
          exchange: number;
          attempt: number;
          survivors: string;
          shown: string;
          mean_loss: number | null;
          spent: string | null;
        }[]
      >`
        SELECT * FROM pliant_exchange LEFT JOIN pliant_spent USING (run, exchange) WHERE run = ${run} ORDER BY exchange`
    ).map((row) => ({
      exchange: row.exchange,
      attempt: row.attempt,
      survivors: JSON.parse(row.survivors) as string[],
      shown: JSON.parse(row.shown) as ShownMessage,
      meanLoss: row.mean_loss,
      ...(row.spent !== null && { spent: JSON.parse(row.spent) as LedgerRow["spent"] }),
    }));
  return {
    value,
    setValue: async (name, text) =>
      void (await sql`INSERT INTO pliant_value (run, name, value) VALUES (${run}, ${name}, ${text})
        ON CONFLICT (run, name) DO UPDATE SET value = excluded.value`),
    invite: async (site, code, expires) =>
      void (await sql`INSERT INTO pliant_site (run, site, code, expires) VALUES (${run}, ${site}, ${code}, ${expires})
        ON CONFLICT (run, site) DO UPDATE SET code = excluded.code, expires = excluded.expires`),
    join: async (site, code, key, now, look = false) => {
      await sql.begin(async (begun) => {
        const [known] = await begun<{ code: string; expires: number; key: string | null }[]>`
          SELECT code, expires, key FROM pliant_site WHERE run = ${run} AND site = ${site} FOR UPDATE`;
        checkCode(site, known && { ...known, codeHash: known.code }, code, key, now);
        if (!look) await begun`UPDATE pliant_site SET key = ${key} WHERE run = ${run} AND site = ${site}`;
      });
    },
    revoke: async (site, places) =>
      (
        await sql`DELETE FROM pliant_site WHERE run = ${run} AND site = ${site} AND (key IS NULL OR
          (SELECT count(*) FROM pliant_site WHERE run = ${run} AND key IS NOT NULL) < ${places})`
      ).count > 0,
    sites: async () => [
      ...(await sql<{ site: string; key: string | null }[]>`
        SELECT site, key FROM pliant_site WHERE run = ${run} ORDER BY place`),
    ],
    begin: async (shown) =>
      void (await sql`INSERT INTO pliant_value (run, name, value) VALUES (${run}, 'first', ${JSON.stringify(shown)})
        ON CONFLICT DO NOTHING`),
    open: async (exchange, attempt) =>
      void (await sql`INSERT INTO pliant_attempt (run, exchange, attempt) VALUES (${run}, ${exchange}, ${attempt})`),
    commit: async (row) => {
      checkNext(row, await done());
      await sql.begin(async (begun) => {
        await begun`INSERT INTO pliant_exchange (run, exchange, attempt, survivors, shown, mean_loss) VALUES
          (${run}, ${row.exchange}, ${row.attempt}, ${JSON.stringify(row.survivors)}, ${JSON.stringify(row.shown)}, ${row.meanLoss})`;
        if (row.spent)
          await begun`INSERT INTO pliant_spent (run, exchange, spent) VALUES (${run}, ${row.exchange}, ${JSON.stringify(row.spent)})`;
      });
    },
    rows,
    state: async () => {
      const first = await value("first");
      if (first === undefined) return undefined;
      const [{ most }] = await sql<{ most: number | null }[]>`
        SELECT max(attempt) AS most FROM pliant_attempt WHERE run = ${run} AND exchange = ${await done()}`;
      return stateOf(JSON.parse(first) as ShownMessage, await rows(), most ?? 0);
    },
    close: () => sql.end({ timeout: 5 }),
  };
}

const tables = `
  CREATE TABLE IF NOT EXISTS pliant_value (run text, name text, value text NOT NULL, PRIMARY KEY (run, name));
  CREATE TABLE IF NOT EXISTS pliant_site (
    run text, place serial, site text, code text NOT NULL, expires double precision NOT NULL, key text, PRIMARY KEY (run, site));
  CREATE TABLE IF NOT EXISTS pliant_attempt (run text, exchange int, attempt int, PRIMARY KEY (run, exchange, attempt));
  CREATE TABLE IF NOT EXISTS pliant_exchange (
    run text, exchange int, attempt int NOT NULL, survivors text NOT NULL, shown text NOT NULL, mean_loss double precision,
    PRIMARY KEY (run, exchange));
  CREATE TABLE IF NOT EXISTS pliant_spent (run text, exchange int, spent text NOT NULL, PRIMARY KEY (run, exchange));
`;
