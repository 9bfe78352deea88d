// A site's side of the coordinator's server. The certificate is looked at before anything is said, and is the only one trusted.
import { type RequestOptions, request } from "node:https";
import { connect } from "node:tls";
import { InputError, PliantError } from "pliant";
import { WebSocket } from "ws";
import { type Blobs, checkedBlob } from "../ports/blobs.js";
import type { SiteBus, SiteListener } from "../ports/bus.js";
import type { Identity } from "../protocol/index.js";
import { checkSpec, type FederationSpec } from "../spec/spec.js";
import { digest } from "../sums/index.js";
import { certificateFingerprint } from "./certificate.js";
import type { JoinCode } from "./code.js";
import { frameOf, joinText, proofText } from "./frames.js";

/** Where the coordinator is, and how it is known. */
export type Address = Pick<JoinCode, "host" | "port" | "fingerprint" | "run">;

/** The coordinator's certificate, if it is the one that the code names. */
export function pinned({ host, port, fingerprint }: Address): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, rejectUnauthorized: false, servername: "localhost" }, () => {
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
    });
    socket.on("error", (error) =>
      reject(new PliantError(`The coordinator at ${host}:${port} does not answer: ${error.message}.`)),
    );
  });
}

const trusting = (ca: string) => ({ ca, checkServerIdentity: () => undefined, servername: "localhost" });

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
      reject(new PliantError(`The coordinator at ${host}:${port} does not answer: ${error.message}.`)),
    );
    asked.end(body);
  });
}

function sentenceOf({ body }: Answer): string {
  try {
    return String((JSON.parse(body.toString()) as { error: unknown }).error);
  } catch {
    return "The coordinator's answer is none.";
  }
}

/** Learns what is to be learnt; uses the join code up, or only looks. */
export async function joinWith(
  code: JoinCode,
  identity: Identity,
  { look = false }: { readonly look?: boolean } = {},
): Promise<FederationSpec> {
  const ca = await pinned(code);
  const { run, site, secret } = code;
  const signature = identity.sign(joinText(run, site, secret));
  const body = Buffer.from(JSON.stringify({ site, secret, key: identity.key, signature, look }));
  const answer = await ask(code, ca, { method: "POST", path: "/join" }, body);
  if (answer.status !== 200) throw new InputError(sentenceOf(answer));
  const { spec } = JSON.parse(answer.body.toString()) as { spec: unknown };
  return checkSpec(spec, "The coordinator's spec");
}

export interface EmbeddedSite {
  readonly bus: SiteBus;
  readonly blobs: Pick<Blobs, "get" | "put">;
  /** Who takes part, once every place is taken. */
  roster(): Promise<Readonly<Record<string, string>>>;
}

/** Connects, and connects again whenever the connection is lost. */
export function embeddedSite(address: Address, site: string, identity: Identity): EmbeddedSite {
  const { host, port, run } = address;
  let socket: WebSocket | undefined;
  let listener: SiteListener | undefined;
  let welcome: { readonly token: string; readonly ca: string } | undefined;
  let closed = false;
  let wait = 100;
  let known: ((roster: Readonly<Record<string, string>>) => void) | undefined;
  let failed: ((error: Error) => void) | undefined;
  const roster = new Promise<Readonly<Record<string, string>>>((resolve, reject) => {
    known = resolve;
    failed = reject;
  });
  // Whoever waits for it hears of it; nobody may be waiting.
  roster.catch(() => {});

  const end = (why: string) => {
    closed = true;
    socket?.close();
    failed!(new InputError(why));
    listener?.ended(why);
  };
  const again = () => {
    welcome = undefined;
    if (closed) return;
    setTimeout(() => void open(), wait);
    wait = Math.min(2 * wait, 2000);
  };
  const open = async () => {
    if (closed) return;
    let ca: string;
    try {
      ca = await pinned(address);
    } catch (error) {
      if (error instanceof InputError) return end(error.message);
      return again();
    }
    const opened = new WebSocket(`wss://${host}:${port}`, trusting(ca) as object);
    socket = opened;
    opened.on("error", () => {});
    opened.on("close", again);
    opened.on("message", (data) => {
      const text = String(data);
      const frame = frameOf(text);
      if (!frame) return listener?.message(text);
      if (frame.frame === "challenge") {
        const signature = identity.sign(proofText(run, site, frame.challenge));
        opened.send(JSON.stringify({ frame: "prove", site, signature }));
      } else if (frame.frame === "welcome") {
        wait = 100;
        welcome = { token: frame.token, ca };
        listener?.connected();
      } else if (frame.frame === "roster") known!(frame.roster);
      else if (frame.frame === "refused") end(frame.why);
    });
  };
  void open();

  const blob = async (options: RequestOptions, body?: Buffer): Promise<Buffer> => {
    if (!welcome) throw new PliantError("There is no connection to the coordinator.");
    const headers = { authorization: `Bearer ${welcome.token}`, "content-length": body?.length ?? 0 };
    const answer = await ask(address, welcome.ca, { ...options, headers }, body);
    if (answer.status !== 200) throw new PliantError(sentenceOf(answer));
    return answer.body;
  };
  return {
    roster: () => roster,
    blobs: {
      get: async (hash) => checkedBlob(hash, await blob({ path: `/blobs/${hash}` })),
      put: async (bytes) => {
        const hash = digest(bytes);
        await blob({ method: "PUT", path: `/blobs/${hash}` }, bytes);
        return hash;
      },
    },
    bus: {
      listen: (handler) => {
        listener = handler;
        if (welcome) handler.connected();
      },
      send: (text) => {
        if (socket?.readyState === WebSocket.OPEN && welcome) socket.send(text);
      },
      close: async () => {
        closed = true;
        socket?.close();
        failed!(new PliantError("The site has stopped."));
      },
    },
  };
}
