// A real NATS server on a free port, in a folder of its own; none where no nats-server is found.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const places = [
  ...(process.env.PATH ?? "").split(delimiter),
  join(process.env.GOPATH ?? join(homedir(), "go"), "bin"),
];

export const natsServer: string | undefined =
  process.env.NATS_SERVER ??
  places.map((folder) => join(folder, "nats-server")).find((file) => existsSync(file));

if (natsServer === undefined)
  console.log(
    "Skipped: no nats-server is in PATH or named by NATS_SERVER; go install github.com/nats-io/nats-server/v2@latest.",
  );

export interface Server {
  readonly address: string;
  stop(): void;
}

/** Started, and ready for connections. */
export async function startServer(options: readonly string[] = ["-js"]): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "nats-"));
  const server = spawn(natsServer!, ["-a", "127.0.0.1", "-p", "-1", "-sd", folder, ...options], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const address = await readAddress(server);
  return {
    address,
    stop: () => {
      server.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function readAddress(server: ChildProcess): Promise<string> {
  let output = "";
  for await (const part of server.stderr!) {
    output += part;
    const port = /client connections on 127\.0\.0\.1:(\d+)/.exec(output)?.[1];
    if (port && output.includes("Server is ready")) {
      server.stderr!.on("data", () => undefined);
      return `nats://127.0.0.1:${port}`;
    }
  }
  throw new Error(`nats-server ended: ${output}`);
}
