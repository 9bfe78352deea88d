// Serves the Studio on this machine.
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { createAdaptorServer } from "@hono/node-server";
import { InputError } from "@pliant/core";
import { loopback } from "./guard.js";
import { ensurePage } from "./page-build.js";
import { questionsTo } from "./questions.js";
import { createStudio } from "./studio.js";
import { newToken } from "./token.js";

/** Which runs, for whom, and where. */
export interface ServeOptions {
  readonly runs: string;
  /** 4747, or the next one that is free, unless given; 0 for any. */
  readonly port?: number;
  /** Where to listen: this machine only, unless given. */
  readonly host?: string;
  /** For others to look at: on all addresses of this machine unless given, and for reading only. */
  readonly share?: boolean;
  /** The folder with the built page: the package's own unless given. */
  readonly page?: string;
  /** The words that run pliant, as in ["node", "pliant.js"]: the page asks `insist` by them, and nothing without. */
  readonly command?: readonly string[];
  /** Told where that page has to be built first. */
  readonly onBuild?: () => void;
}

/** A Studio that listens, until it is closed. */
export interface Serving {
  /** For reading; with its token, where others can reach it. */
  readonly url: string;
  /** What a page must send to change or ask anything. */
  readonly pageToken: string;
  /** Opens a page that may change and ask things, at a run or at the list. */
  address(run?: string): string;
  /** Where others can reach it: the same by the addresses of this machine. */
  readonly others: readonly string[];
  close(): Promise<void>;
}

const firstPort = 4747;
const portsTried = 20;

/** Starts the Studio over a folder of runs. */
export async function serveStudio(options: ServeOptions): Promise<Serving> {
  const { runs, port, share = false, host = share ? "0.0.0.0" : "127.0.0.1", onBuild } = options;
  const token = share || !loopback(host) ? newToken() : undefined;
  const pageToken = newToken();
  const page = options.page ?? (await ensurePage({ onBuild }));
  const questions = questionsTo(options.command);
  const fetch = createStudio({
    runs,
    host,
    page,
    pageToken,
    readOnly: share,
    questions,
    ...(token && { token }),
  });
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
    const { port: at } = server.address() as AddressInfo;
    const name = everywhere.has(host) || host === "127.0.0.1" ? "localhost" : host;
    const url = addressOf(name, at, token);
    const opened = (url: string, run?: string): string => (share ? url : withPageToken(url, pageToken, run));
    return {
      url,
      pageToken,
      address: (run) => opened(url, run),
      others: everywhere.has(host) ? ownAddresses().map((own) => opened(addressOf(own, at, token))) : [],
      close: () => {
        questions.close();
        return close(server);
      },
    };
  }
  throw new InputError("no port was given.");
}

function whyNot(code: string | undefined, port: number, host: string): string {
  if (code === "EADDRINUSE") return `port ${port} is in use; choose another with --port, or 0 for any.`;
  if (code === "EACCES")
    return `port ${port} may not be used by this user; choose one above 1023 with --port.`;
  return `the address ${host} is not one of this machine (${code}); leave out --host to listen on this machine only.`;
}

const everywhere = new Set(["0.0.0.0", "::"]);

/** The addresses of this machine that others know. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => address);

const addressOf = (name: string, port: number, token: string | undefined): string =>
  `http://${name.includes(":") ? `[${name}]` : name}:${port}/${token ? `?token=${token}` : ""}`;

/** Behind the hash, which no browser sends. */
const withPageToken = (url: string, token: string, run?: string): string =>
  `${url}#/${run === undefined ? "runs" : `run/${encodeURIComponent(run)}`}?page=${token}`;

async function close(server: Server): Promise<void> {
  // Live streams never end by themselves.
  server.closeAllConnections();
  await new Promise<void>((done) => server.close(() => done()));
}
