// The log in a Postgres database, where one machine's disk is not enough. One database may hold many federations.
import { createHash } from "node:crypto";
import { NetworkError } from "@pliant/core";
import type postgres from "postgres";
import { damaged, heldBy, type Log, linkedHash, noHash } from "./log.js";

/** `postgres://user:password@host/database`, and the federation's name in it. */
export async function postgresLog(address: string, run: string): Promise<Log> {
  const { default: open } = await import("postgres");
  const sql = open(address, { max: 2, onnotice: () => {}, connect_timeout: 10 });
  const shown = address.replace(/:[^:@/]*@/, ":…@");
  try {
    await sql.begin(async (begun) => {
      // Two that start at once would make the same tables.
      await begun`SELECT pg_advisory_xact_lock(7110210)`;
      await begun.unsafe(tables);
    });
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw new NetworkError(`The ledger at ${shown} cannot be opened: ${(error as Error).message}.`);
  }
  let entries = 0;
  let hash = noHash;
  const readFrom = async (from: postgres.Sql | postgres.TransactionSql, take: (body: string) => void) => {
    const rows = await from<{ entry: number; hash: string; body: string }[]>`
      SELECT entry, hash, body FROM pliant_entry WHERE run = ${run} AND entry > ${entries} ORDER BY entry`;
    for (const row of rows) {
      if (row.entry !== entries + 1 || row.hash !== linkedHash(hash, row.body))
        throw damaged(`The ledger of ${run} at ${shown}`, entries + 1);
      entries++;
      ({ hash } = row);
      take(row.body);
    }
  };
  // One after another: what one appends the next has read.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const next = last.then(act, act);
    last = next.catch(() => {});
    return next;
  };
  return {
    read: (take) => inTurn(() => readFrom(sql, take)),
    append: (take, decide) =>
      inTurn(async () => {
        await sql.begin(async (begun) => {
          await begun`SELECT pg_advisory_xact_lock(${lockOf(`${run} append`)})`;
          await readFrom(begun, take);
          const body = decide();
          if (body !== undefined)
            await begun`INSERT INTO pliant_entry (run, entry, hash, body)
              VALUES (${run}, ${entries + 1}, ${linkedHash(hash, body)}, ${body})`;
        });
        await readFrom(sql, take);
      }),
    get head() {
      return { entries, hash };
    },
    lease: async (holder) => {
      // The lock is the connection's: with the process, or with the network, it is gone.
      const own = open(address, {
        max: 1,
        onnotice: () => {},
        connect_timeout: 10,
        idle_timeout: 0,
        max_lifetime: null,
      });
      const lock = lockOf(`${run} lease`);
      const [{ taken }] = await own<{ taken: boolean }[]>`SELECT pg_try_advisory_lock(${lock}) AS taken`;
      if (!taken) {
        await own.end({ timeout: 1 });
        const [other] = await sql<{ value: string }[]>`SELECT value FROM pliant_lease WHERE run = ${run}`;
        throw heldBy(other?.value ?? "another process");
      }
      await sql`INSERT INTO pliant_lease (run, value) VALUES (${run}, ${holder})
        ON CONFLICT (run) DO UPDATE SET value = excluded.value`;
      let tell: (why: string) => void = () => {};
      const lost = new Promise<string>((resolve) => {
        tell = resolve;
      });
      const looking = setInterval(() => {
        own<{ held: boolean }[]>`SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory'
          AND pid = pg_backend_pid()) AS held`.then(
          ([{ held }]) => held || tell("The lease was lost with the connection to the ledger."),
          () => tell("The lease was lost with the connection to the ledger."),
        );
      }, 2000);
      return {
        lost,
        release: async () => {
          clearInterval(looking);
          await own.end({ timeout: 5 });
        },
      };
    },
    close: () => sql.end({ timeout: 5 }),
  };
}

/** A number for a purpose, as advisory locks have them. */
const lockOf = (purpose: string): string =>
  createHash("sha256").update(`pliant ${purpose}`).digest().readBigInt64BE().toString();

const tables = `
  CREATE TABLE IF NOT EXISTS pliant_entry (run text, entry int, hash text NOT NULL, body text NOT NULL, PRIMARY KEY (run, entry));
  CREATE TABLE IF NOT EXISTS pliant_lease (run text PRIMARY KEY, value text NOT NULL);
`;
