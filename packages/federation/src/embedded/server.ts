// The coordinator's own server: one port with TLS for joining, for models and updates by their hashes, and for messages.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { Socket } from "node:net";
import { InputError, PliantError } from "@pliant/core";
import { WebSocketServer } from "ws";
import { z } from "zod";
import type { Blobs } from "../ports/blobs.js";
import type { Ledger } from "../ports/ledger.js";
import { checkRelease, ownRelease, release, signed } from "../protocol/index.js";
import { fullSentence, isFull } from "../run/room.js";
import { blobText, coordinatorSessions, joinText, type Sessions } from "../sessions/index.js";
import { beginOf, type FederationSpec } from "../spec/spec.js";
import { digest } from "../sums/index.js";
import { tabPage } from "../tab/index.js";
import { beat, pingSockets } from "./beats.js";
import { type Certificate, minVersion } from "./certificate.js";
import { answerPings, pacedMessages, sendBody } from "./paced.js";
import { largestBody, limited, mostIdle, quotasOf, readQuota, uploadQuota } from "./quotas.js";

/** What it serves, and where. */
export interface EmbeddedOptions {
  readonly run: string;
  readonly spec: FederationSpec;
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  readonly certificate: Certificate;
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Where sites meet, if not here. */
  readonly bus?: string;
  /** Milliseconds between two signs of life. */
  readonly beat?: number;
  readonly say?: (what: string) => void;
  /** What a site may upload now, and what sites may read; anything unless given. */
  readonly admission?: Admission;
  /** Whenever a site has used its code. */
  readonly onJoined?: (site: string) => Promise<void>;
}

/** The coordinator's server, listening. */
export interface Embedded extends Pick<Sessions, "bus" | "connected" | "roster"> {
  readonly port: number;
  /** Other kinds of connections may open sessions too. */
  readonly sessions: Sessions;
  /** Bytes that came in and went out so far. */
  readonly traffic: { readonly in: number; readonly out: number };
  close(): Promise<void>;
}

const joining = z.object({
  site: z.string(),
  secret: z.string(),
  key: z.string().regex(/^[0-9a-f]{64}$/),
  signature: z.string(),
  /** The code is not used up: a site looks what is expected of its data first. */
  look: z.boolean(),
  release: release.optional(),
});

/** Which blobs are taken and given out: those that somebody was asked for. */
export interface Admission {
  /** How many bytes a site was asked to upload, and in which attempt; nothing where it was not. */
  expects(site: string): { readonly bytes: number; readonly attempt: string } | undefined;
  reads(hash: string): boolean;
}

/** Starts the coordinator's server. */
export async function embeddedServer(options: EmbeddedOptions): Promise<Embedded> {
  const { run, spec, ledger, blobs, certificate, host } = options;
  const tab = tabPage();
  let full = false;
  const room = uploadQuota();
  const sessions = coordinatorSessions(run, beginOf(spec), ledger);
  const read = lastRead(blobs);
  const reading = readQuota();

  // Sites come back between training, sharing and uploading: a handshake costs more than a connection that waits.
  const keepAliveTimeout = 65_000;
  const server = createServer({ ...certificate, minVersion, keepAliveTimeout }, (request, response) => {
    answer(request, response).catch((error: Error) => {
      const expected = error instanceof PliantError;
      if (response.headersSent) return void response.destroy();
      reply(response, expected ? 400 : 500, { error: expected ? error.message : "The coordinator failed." });
    });
  });

  // Whoever neither reads nor sends for so long is cut off.
  server.setTimeout(mostIdle);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "" } = request;
    if (method === "POST" && url === "/join") return join(request, response);
    if (method === "GET" && (await tab.answer(url, response))) return;
    const hash = /^\/blobs\/([0-9a-f]{64})$/.exec(url)?.[1];
    if (hash === undefined) return reply(response, 404, { error: "There is nothing here." });
    const [, name = "", signature = ""] =
      /^Pliant (\S+) (\S+)$/.exec(request.headers.authorization ?? "") ?? [];
    const site = Buffer.from(name, "hex").toString();
    const key = await sessions.keyOf(site);
    if (!key || !signed(key, blobText(run, site, method ?? "", hash), signature))
      return reply(response, 401, {
        error: "This is for sites of the federation, which sign what they ask for.",
      });
    if (method === "GET") {
      if (options.admission && !options.admission.reads(hash))
        return reply(response, 404, { error: "No site is shown this now." });
      if (!reading.begins(site))
        return reply(response, 429, { error: `${site} has not read what it asked for before.` });
      try {
        const bytes = await read(hash);
        const length = { "content-length": bytes.length };
        response.writeHead(200, { "content-type": "application/octet-stream", ...length });
        return await sendBody(response, bytes);
      } finally {
        reading.ends(site);
      }
    }
    if (method !== "PUT") return reply(response, 405, { error: "Blobs are read and written." });
    const asked = options.admission?.expects(site);
    if (options.admission && !asked)
      return reply(response, 409, { error: `${site} was not asked for an update now.` });
    const expected = asked?.bytes ?? largestBody;
    if (asked && Number(request.headers["content-length"]) !== expected)
      return reply(response, 413, { error: `${site} was asked for an update of ${expected} bytes.` });
    const quota = asked && room(site, asked.attempt, expected);
    const tooMuch = `${site} has uploaded as much as one attempt takes.`;
    if (quota && !quota.receives(0)) return reply(response, 429, { error: tooMuch });
    const draft = blobs.draft();
    let received = 0;
    try {
      for await (const part of bodyOf(request, expected)) {
        received += part.length;
        if (quota && !quota.receives(part.length)) throw new InputError(tooMuch);
        await draft.add(part);
      }
      // Known by its bytes before it has a name.
      if (draft.hash() !== hash) throw new InputError("What was sent has another hash.");
      if (quota && !quota.keeps(hash)) throw new InputError(tooMuch);
      await draft.keep();
    } catch (error) {
      await draft.drop();
      if (!isFull(error)) throw error;
      quota?.forgets(received);
      if (!full) options.say?.(fullSentence);
      full = true;
      // The site comes again with it.
      return reply(response, 507, { error: "The coordinator's disk is full." });
    }
    full = false;
    reply(response, 200, {});
  }

  async function join(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parsed = joining.safeParse(jsonOf(await wholeBodyOf(request, 10_000)));
    if (!parsed.success) throw new InputError("This is not a request to join.");
    const { site, secret, key, signature, look: only } = parsed.data;
    if (!signed(key, joinText(run, site, secret), signature))
      throw new InputError("The request to join is not signed by the identity it names.");
    checkRelease(`${site} runs`, parsed.data.release);
    await ledger.join(site, digest(secret), key, Date.now(), only);
    reply(response, 200, { run, spec, bus: options.bus, release: ownRelease });
    if (only) return;
    await options.onJoined?.(site);
    await sessions.joined();
  }

  const open = new Set<Socket>();
  const past = { in: 0, out: 0 };
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("close", () => {
      open.delete(socket);
      past.in += socket.bytesRead;
      past.out += socket.bytesWritten;
    });
  });
  const quotas = quotasOf(spec.sites.number);
  const sockets = new WebSocketServer({ server, maxPayload: quotas.message, autoPong: false });
  const stopPinging = pingSockets(sockets, options.beat ?? beat);
  // One text to many is made bytes once, which wait for all of them in one place.
  let last = { text: "", bytes: Buffer.of() };
  const bytesOf = (text: string): Buffer => {
    if (text !== last.text) last = { text, bytes: Buffer.from(text) };
    return last.bytes;
  };
  sockets.on("connection", (socket, request) => {
    const messages = pacedMessages(socket, quotas.unread);
    answerPings(socket);
    const session = sessions.open({
      send: (text) => messages.send(bytesOf(text)),
      // One that does not close is cut.
      close: () => {
        messages.close();
        setTimeout(() => socket.terminate(), 1_000).unref();
      },
    });
    limited(socket, request.socket, quotas, () => session.site !== undefined);
    socket.on("error", () => socket.terminate());
    socket.on("message", (data: Buffer) => void session.hear(String(data)));
    socket.on("close", () => session.lost());
  });

  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: { code?: string; message: string }) =>
      reject(
        error.code === "EADDRINUSE"
          ? new PliantError(`Port ${options.port} is in use; choose another with --port.`)
          : new InputError(`The coordinator cannot listen on ${host}: ${error.message}.`),
      ),
    );
    // Errors of the socket server are those of its server.
    sockets.on("error", () => {});
    server.listen(options.port, host, resolve);
  }).catch((error: unknown) => {
    // What beats would keep the process alive.
    stopPinging();
    throw error;
  });
  await sessions.joined();

  return {
    port: (server.address() as { port: number }).port,
    get connected() {
      return sessions.connected;
    },
    roster: sessions.roster,
    bus: sessions.bus,
    sessions,
    get traffic() {
      let { in: inward, out } = past;
      for (const socket of open) [inward, out] = [inward + socket.bytesRead, out + socket.bytesWritten];
      return { in: inward, out };
    },
    close: async () => {
      stopPinging();
      sockets.close();
      const closed = new Promise((resolve) => server.close(resolve));
      // Also those that have not shaken hands yet.
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** All sites read the same model at about the same time, and some the one before. */
function lastRead(blobs: Blobs): Blobs["get"] {
  const kept = new Map<string, Promise<Buffer>>();
  return (hash) => {
    const known = kept.get(hash);
    if (known) return known;
    const bytes = blobs.get(hash);
    kept.set(hash, bytes);
    for (const other of kept.keys()) if (kept.size > 2) kept.delete(other);
    bytes.catch(() => kept.delete(hash));
    return bytes;
  };
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function* bodyOf(request: IncomingMessage, most: number): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > most) throw new InputError(`A body of more than ${most} bytes is not taken.`);
    yield part;
  }
}

async function wholeBodyOf(request: IncomingMessage, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of bodyOf(request, most)) parts.push(part);
  return Buffer.concat(parts);
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
