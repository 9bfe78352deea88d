// The coordinator's own server: one port with TLS for joining, for models and updates by their hashes, and for messages.
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { InputError, PliantError } from "pliant";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import type { Blobs } from "../ports/blobs.js";
import type { CoordinatorBus } from "../ports/bus.js";
import type { Ledger } from "../ports/ledger.js";
import { signed } from "../protocol/index.js";
import type { FederationSpec } from "../spec/spec.js";
import { digest } from "../sums/index.js";
import type { Certificate } from "./certificate.js";
import { type Frame, frameOf, joinText, proofText } from "./frames.js";

export interface EmbeddedOptions {
  readonly run: string;
  readonly spec: FederationSpec;
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  readonly certificate: Certificate;
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
}

export interface Embedded {
  readonly port: number;
  readonly bus: CoordinatorBus;
  /** Sites that are connected now. */
  readonly connected: readonly string[];
  /** Resolves once every place is taken; sites are told who takes part. */
  roster(): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

const joining = z.object({
  site: z.string(),
  secret: z.string(),
  key: z.string().regex(/^[0-9a-f]{64}$/),
  signature: z.string(),
  /** The code is not used up: a site looks what is expected of its data first. */
  look: z.boolean(),
});

/** No model or update is larger. */
const largestBody = 2 ** 30;

export async function embeddedServer(options: EmbeddedOptions): Promise<Embedded> {
  const { run, spec, ledger, blobs, certificate, host } = options;
  const connections = new Map<string, WebSocket>();
  const tokens = new Map<string, string>();
  let hear: (site: string, text: string) => void = () => {};
  let complete: ((roster: Readonly<Record<string, string>>) => void) | undefined;
  const full = new Promise<Readonly<Record<string, string>>>((resolve) => {
    complete = resolve;
  });
  let roster: Readonly<Record<string, string>> | undefined;
  const say = (socket: WebSocket, frame: Frame) => socket.send(JSON.stringify(frame));

  /** Who takes part, once every place is taken. */
  const look = async () => {
    const sites = await ledger.sites();
    if (roster || sites.length < spec.sites.number || sites.some(({ key }) => key === null)) return;
    roster = Object.fromEntries(sites.map(({ site, key }) => [site, key!]));
    for (const socket of connections.values()) say(socket, { frame: "roster", roster });
    complete!(roster);
  };

  const server = createServer(certificate, (request, response) => {
    answer(request, response).catch((error: Error) => {
      const expected = error instanceof PliantError;
      if (response.headersSent) return void response.destroy();
      reply(response, expected ? 400 : 500, { error: expected ? error.message : "The coordinator failed." });
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "" } = request;
    if (method === "POST" && url === "/join") return join(request, response);
    const hash = /^\/blobs\/([0-9a-f]{64})$/.exec(url)?.[1];
    if (hash === undefined) return reply(response, 404, { error: "There is nothing here." });
    const token = request.headers.authorization?.replace(/^Bearer /, "");
    if (token === undefined || ![...tokens.values()].includes(token))
      return reply(response, 401, { error: "This site is not connected." });
    if (method === "GET") {
      const bytes = await blobs.get(hash);
      response.writeHead(200, { "content-type": "application/octet-stream", "content-length": bytes.length });
      return void response.end(bytes);
    }
    if (method !== "PUT") return reply(response, 405, { error: "Blobs are read and written." });
    const bytes = await bodyOf(request, largestBody);
    if (digest(bytes) !== hash) throw new InputError("What was sent has another hash.");
    await blobs.put(bytes);
    reply(response, 200, {});
  }

  async function join(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parsed = joining.safeParse(jsonOf(await bodyOf(request, 10_000)));
    if (!parsed.success) throw new InputError("This is not a request to join.");
    const { site, secret, key, signature, look: only } = parsed.data;
    if (!signed(key, joinText(run, site, secret), signature))
      throw new InputError("The request to join is not signed by the identity it names.");
    await ledger.join(site, digest(secret), key, Date.now(), only);
    reply(response, 200, { run, spec });
    if (!only) await look();
  }

  const sockets = new WebSocketServer({ server, maxPayload: 64 << 20 });
  sockets.on("connection", (socket) => {
    const challenge = randomBytes(32).toString("hex");
    let site: string | undefined;
    say(socket, { frame: "challenge", challenge });
    socket.on("error", () => socket.terminate());
    socket.on("message", async (data) => {
      const text = String(data);
      if (site !== undefined) return hear(site, text);
      const proof = frameOf(text);
      const refuse = (why: string) => {
        say(socket, { frame: "refused", why });
        socket.close();
      };
      if (proof?.frame !== "prove") return refuse("A site says first who it is.");
      const known = (await ledger.sites()).find((one) => one.site === proof.site);
      const text2 = proofText(run, proof.site, challenge);
      if (!known?.key || !signed(known.key, text2, proof.signature))
        return refuse(
          `${proof.site} has another identity here; join with a code of its own, or from the folder it joined with.`,
        );
      const older = connections.get(known.site);
      if (older) {
        say(older, { frame: "refused", why: "Another process has joined with this site's identity." });
        older.close();
      }
      site = known.site;
      connections.set(site, socket);
      tokens.set(site, randomBytes(32).toString("hex"));
      say(socket, { frame: "welcome", token: tokens.get(site)! });
      if (roster) say(socket, { frame: "roster", roster });
    });
    socket.on("close", () => {
      if (site !== undefined && connections.get(site) === socket) connections.delete(site);
    });
  });

  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: { code?: string; message: string }) =>
      reject(
        error.code === "EADDRINUSE"
          ? new InputError(`Port ${options.port} is in use; choose another with --port.`)
          : new InputError(`The coordinator cannot listen on ${host}: ${error.message}.`),
      ),
    );
    // Errors of the socket server are those of its server.
    sockets.on("error", () => {});
    server.listen(options.port, host, resolve);
  });
  await look();

  return {
    port: (server.address() as { port: number }).port,
    get connected() {
      return [...connections.keys()];
    },
    roster: () => full,
    bus: {
      listen: (handler) => {
        hear = handler;
      },
      send: (site, text) => connections.get(site)?.send(text),
      close: async () => {},
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > most) throw new InputError(`A body of more than ${most} bytes is not taken.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
