// Serves the Studio on this machine.
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { InputError } from "pliant";
import { ensurePage } from "./page-build.js";
import { createStudio } from "./studio.js";

export interface ServeOptions {
  readonly runs: string;
  /** 4747, or the next one that is free, unless given; 0 for any. */
  readonly port?: number;
  /** Where to listen: this machine only, unless given. */
  readonly host?: string;
  /** The folder with the built page: the package's own unless given. */
  readonly page?: string;
  /** Told where that page has to be built first. */
  readonly onBuild?: () => void;
}

export interface Serving {
  readonly url: string;
  close(): Promise<void>;
}

const firstPort = 4747;
const portsTried = 20;

export async function serveStudio(options: ServeOptions): Promise<Serving> {
  const { runs, port, host = "127.0.0.1", onBuild } = options;
  const fetch = createStudio({ runs, host, page: options.page ?? (await ensurePage({ onBuild })) });
  const ports = port === undefined ? Array.from({ length: portsTried }, (_, i) => firstPort + i) : [port];
  for (const candidate of ports) {
    const server = createAdaptorServer({ fetch }) as Server;
    try {
      server.listen(candidate, host);
      await once(server, "listening");
    } catch (reason) {
      const { code } = reason as NodeJS.ErrnoException;
      if (code === "EADDRINUSE" && candidate !== ports.at(-1)) continue;
      throw new InputError(whyNot(code, candidate, host));
    }
    return { url: addressOf(server, host), close: () => close(server) };
  }
  throw new InputError("no port was given.");
}

function whyNot(code: string | undefined, port: number, host: string): string {
  if (code === "EADDRINUSE") return `port ${port} is in use; choose another with --port, or 0 for any.`;
  if (code === "EACCES")
    return `port ${port} may not be used by this user; choose one above 1023 with --port.`;
  return `the address ${host} is not one of this machine (${code}); leave out --host to listen on this machine only.`;
}

function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const name = host === "127.0.0.1" || host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}/`;
}

async function close(server: Server): Promise<void> {
  // Live streams never end by themselves.
  server.closeAllConnections();
  await new Promise<void>((done) => server.close(() => done()));
}
