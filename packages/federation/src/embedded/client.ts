// A site's side of the coordinator's server. The certificate is looked at before anything is said, and is the only one trusted.
import { type RequestOptions, request } from "node:https";
import { connect } from "node:tls";
import { InputError, NetworkError, PliantError } from "@pliant/core";
import { WebSocket } from "ws";
import { type Blobs, checkedBlob } from "../ports/blobs.js";
import type { Identity } from "../protocol/index.js";
import { printable } from "../protocol/printable.js";
import { blobAuthorization, joinBody, type SiteSession, siteSession } from "../sessions/index.js";
import { checkSpec, type FederationSpec } from "../spec/spec.js";
import { digest } from "../sums/index.js";
import { beat, expectPings } from "./beats.js";
import { certificateFingerprint, minVersion } from "./certificate.js";
import type { JoinCode } from "./code.js";

/** Where the coordinator is, and how it is known. */
export type Address = Pick<JoinCode, "host" | "port" | "fingerprint" | "run">;

/** The coordinator's certificate, if it is the one that the code names. */
export function pinned({ host, port, fingerprint }: Address): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host, port, minVersion, rejectUnauthorized: false, servername: "localhost" },
      () => {
        const { raw } = socket.getPeerCertificate();
        socket.end();
        const found = certificateFingerprint(raw);
        if (found === fingerprint)
          resolve(`-----BEGIN CERTIFICATE-----\n${raw.toString("base64")}\n-----END CERTIFICATE-----\n`);
        else
          reject(
            new InputError(
              `Whoever answers at ${host}:${port} has another certificate than the join code names; nothing was sent.`,
            ),
          );
      },
    );
    socket.on("error", (error) =>
      reject(new NetworkError(`The coordinator at ${host}:${port} does not answer: ${error.message}.`)),
    );
  });
}

const trusting = (ca: string) => ({
  ...{ ca, minVersion, servername: "localhost" },
  checkServerIdentity: () => undefined,
});

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

function ask({ host, port }: Address, ca: string, options: RequestOptions, body?: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, ...trusting(ca), ...options }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts) }));
      response.on("error", reject);
    });
    asked.on("error", (error) =>
      reject(new NetworkError(`The coordinator at ${host}:${port} does not answer: ${error.message}.`)),
    );
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
  { look = false }: { readonly look?: boolean } = {},
): Promise<Told> {
  const ca = await pinned(code);
  const body = Buffer.from(joinBody(code, identity, look));
  const answer = await ask(code, ca, { method: "POST", path: "/join" }, body);
  if (answer.status !== 200) throw new InputError(sentenceOf(answer));
  const { spec, bus } = JSON.parse(answer.body.toString()) as { spec: unknown; bus?: string };
  return { spec: checkSpec(spec, "The coordinator's spec"), bus };
}

/** Models and updates at the coordinator's server; every request is signed by the site. */
export function httpsBlobs(address: Address, site: string, identity: Identity): Pick<Blobs, "get" | "put"> {
  const { run } = address;
  let trusted: string | undefined;
  const signedly = async (method: "GET" | "PUT", hash: string, body?: Buffer): Promise<Buffer> => {
    const headers = {
      authorization: blobAuthorization(run, site, identity, method, hash),
      "content-length": body?.length ?? 0,
    };
    trusted ??= await pinned(address);
    const answer = await ask(address, trusted, { method, path: `/blobs/${hash}`, headers }, body);
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
    setTimeout(() => void open(), wait);
    wait = Math.min(2 * wait, 2000);
  };
  const open = async () => {
    if (session.closed) return;
    let ca: string;
    try {
      ca = await pinned(address);
    } catch (error) {
      return error instanceof InputError ? session.end(error.message) : again();
    }
    // It may have been closed meanwhile.
    if (session.closed) return;
    const opened = new WebSocket(`wss://${host}:${port}`, trusting(ca) as object);
    socket = opened;
    expectPings(opened, every);
    opened.on("error", () => {});
    opened.on("close", again);
    opened.on("message", (data) => {
      session.hear(String(data));
      if (!session.welcomed) return;
      wait = 100;
      reach.found();
    });
  };
  void open();
  return session;
}
