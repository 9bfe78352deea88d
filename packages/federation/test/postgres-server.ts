// A real Postgres on a free port, in a folder of its own; none where it cannot be had.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";

export interface PostgresServer {
  readonly address: string;
  stop(): Promise<void>;
}

const idOf = (flag: string): number =>
  Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout.trim() || Number.NaN);

/** Postgres refuses to run as root: there it runs as the user that its package made. */
export async function startPostgres(): Promise<PostgresServer | undefined> {
  const root = process.getuid?.() === 0;
  const user = root ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  if (spawnSync("initdb", ["--version"]).status !== 0 || (root && Number.isNaN(user.uid))) {
    console.log(
      "Skipped: there is no Postgres here; install Debian's postgresql, with its programs in PATH.",
    );
    return undefined;
  }
  // Another user may not look into a temporary folder of root's own.
  const folder = mkdtempSync(join(root ? "/tmp" : tmpdir(), "pliant-postgres-"));
  if (root) chownSync(folder, user.uid!, user.gid!);
  const data = join(folder, "data");
  const made = spawnSync("initdb", ["-D", data, "-U", "pliant", "-A", "trust", "--no-sync"], {
    ...user,
    cwd: folder,
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(made.stderr);
  const port = await freePort();
  const server: ChildProcess = spawn(
    "postgres",
    ["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
    { ...user, cwd: folder, stdio: "ignore" },
  );
  const address = `postgres://pliant@127.0.0.1:${port}/postgres`;
  for (;;) {
    const sql = postgres(address, { max: 1, connect_timeout: 2 });
    const answers = await sql`SELECT 1`.then(
      () => true,
      () => false,
    );
    await sql.end({ timeout: 1 });
    if (answers) break;
    if (server.exitCode !== null) throw new Error(`postgres ended with ${server.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    address,
    stop: async () => {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
