// A site's side of the coordinator's server.
import { type RequestOptions, request } from "node:https";
import { InputError, PliantError } from "@pliant/core";
import { WebSocket } from "ws";
import { type Blobs, checkedBlob } from "../ports/blobs.js";
import type { Identity } from "../protocol/index.js";
import { printable } from "../protocol/printable.js";
import { blobAuthorization, joinBody, type SiteSession, siteSession } from "../sessions/index.js";
import { checkSpec, type FederationSpec } from "../spec/spec.js";
import { digest } from "../sums/index.js";
import { beat, expectPings } from "./beats.js";
import type { JoinCode } from "./code.js";
import { largestBody } from "./quotas.js";
import { type Address, failed, TrustingAgent } from "./trusted.js";

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** No spec is longer, in bytes. */
const longestAnswer = 16 << 20;

/** A coordinator that is silent for so long is not there, in ms. */
const mostSilent = 120_000;

function ask(
  address: Address,
  agent: TrustingAgent,
  options: RequestOptions,
  body: Buffer | undefined,
  most: number,
): Promise<Answer> {
  const { host, port } = address;
  return new Promise((resolve, reject) => {
    const asked = request(
      { host, port, agent, timeout: mostSilent, ...options } as RequestOptions,
      (response) => {
        const parts: Buffer[] = [];
        let length = 0;
        response.on("data", (part: Buffer) => {
          length += part.length;
          if (length > most) asked.destroy(new Error(`it answers with more than ${most} bytes`));
          else parts.push(part);
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts) }));
        response.on("error", reject);
      },
    );
    asked.on("timeout", () => asked.destroy(new Error(`silent for ${mostSilent / 1000} s`)));
    asked.on("error", (error) => reject(failed(address, error)));
    asked.end(body);
  });
}

function sentenceOf({ body }: Answer): string {
  try {
    return printable(String((JSON.parse(body.toString()) as { error: unknown }).error));
  } catch {
    return "The coordinator's answer is none.";
  }
}

/** What a site is told when it joins. */
export interface Told {
  readonly spec: FederationSpec;
  /** Where sites meet, if not at the coordinator's own server. */
  readonly bus: string | undefined;
}

/** Learns what is to be learnt; uses the join code up, or only looks. */
export async function joinWith(
  code: JoinCode,
  identity: Identity,
  { look = false, ca }: { readonly look?: boolean; readonly ca?: string } = {},
): Promise<Told> {
  const address = { ...code, ca };
  const body = Buffer.from(joinBody(code, identity, look));
  const agent = new TrustingAgent(address);
  const answer = await ask(address, agent, { method: "POST", path: "/join" }, body, longestAnswer);
  agent.destroy();
  if (answer.status !== 200) throw new InputError(sentenceOf(answer));
  const { spec, bus } = JSON.parse(answer.body.toString()) as { spec: unknown; bus?: string };
  return { spec: checkSpec(spec, "The coordinator's spec"), bus };
}

/** Models and updates at the coordinator's server; every request is signed by the site. */
export function httpsBlobs(
  address: Address,
  site: string,
  identity: Identity,
  /** The size of a model in bytes. */
  longest = largestBody,
): Pick<Blobs, "get" | "put"> {
  const { run } = address;
  const agent = new TrustingAgent(address);
  const signedly = async (method: "GET" | "PUT", hash: string, body?: Buffer): Promise<Buffer> => {
    const headers = {
      authorization: blobAuthorization(run, site, identity, method, hash),
      "content-length": body?.length ?? 0,
    };
    const answer = await ask(address, agent, { method, path: `/blobs/${hash}`, headers }, body, longest);
    if (answer.status !== 200) throw new PliantError(sentenceOf(answer));
    return answer.body;
  };
  return {
    get: async (hash) => checkedBlob(hash, await signedly("GET", hash)),
    put: async (bytes) => {
      const hash = digest(bytes);
      await signedly("PUT", hash, bytes);
      return hash;
    },
  };
}

/** A site's connection to its coordinator. */
export type SiteConnection = Pick<SiteSession, "bus" | "roster" | "onRoster" | "end">;

/** Says once that the coordinator is not there, and once that it is again. */
export function sayingReach(
  { host, port }: Address,
  say: (what: string) => void,
): { lost(): void; found(): void } {
  let away = false;
  return {
    lost: () => {
      if (!away)
        say(
          `The coordinator at ${host}:${port} is not reached; this site tries again until it is. If it listens elsewhere by now, go on with --at HOST:PORT; if the federation is over, its coordinator says so once it is resumed.`,
        );
      away = true;
    },
    found: () => {
      if (away) say("The coordinator is reached again.");
      away = false;
    },
  };
}

/** Connects, and connects again whenever the connection is lost. */
export function embeddedSite(
  address: Address,
  site: string,
  identity: Identity,
  { every = beat, say = () => {} }: { readonly every?: number; readonly say?: (what: string) => void } = {},
): SiteConnection {
  const { host, port, run } = address;
  let socket: WebSocket | undefined;
  let wait = 100;
  const reach = sayingReach(address, say);
  const session = siteSession(run, site, identity, {
    send: (text) => void (socket?.readyState === WebSocket.OPEN && socket.send(text)),
    close: () => socket?.close(),
  });
  const again = () => {
    session.lost();
    if (session.closed) return;
    reach.lost();
    setTimeout(open, wait);
    wait = Math.min(2 * wait, 2000);
  };
  const agent = new TrustingAgent(address);
  const open = () => {
    if (session.closed) return;
    const opened = new WebSocket(`wss://${host.includes(":") ? `[${host}]` : host}:${port}`, {
      agent,
    } as object);
    socket = opened;
    expectPings(opened, every);
    opened.on("error", (error) => {
      const known = failed(address, error);
      if (known instanceof InputError) session.end(known.message);
    });
    opened.on("close", again);
    opened.on("message", (data) => {
      session.hear(String(data));
      if (!session.welcomed) return;
      wait = 100;
      reach.found();
    });
  };
  open();
  return session;
}
