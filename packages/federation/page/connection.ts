// A tab's way to the coordinator: the server that the page came from. Which certificate that has, the browser has looked at.
import { InputError, PliantError } from "@pliant/core";
import type { JoinCode } from "../src/embedded/code.js";
import { type Blobs, checkedBlob } from "../src/ports/blobs.js";
import type { Identity } from "../src/protocol/index.js";
import { blobAuthorization, joinBody } from "../src/sessions/requests.js";
import { type SiteSession, siteSession } from "../src/sessions/site.js";
import { checkSpec, type FederationSpec } from "../src/spec/spec.js";
import { digest } from "../src/sums/index.js";

async function sentence(response: Response): Promise<string> {
  const { error } = (await response.json().catch(() => ({}))) as { error?: string };
  return error ?? "The coordinator's answer is none.";
}

/** Learns what is to be learnt; uses the join code up, or only looks. */
export async function joinWith(code: JoinCode, identity: Identity, look: boolean): Promise<FederationSpec> {
  const response = await fetch("/join", { method: "POST", body: joinBody(code, identity, look) });
  if (!response.ok) throw new InputError(await sentence(response));
  return checkSpec(((await response.json()) as { spec: unknown }).spec, "The coordinator's spec");
}

export function blobsFor(run: string, site: string, identity: Identity): Pick<Blobs, "get" | "put"> {
  const ask = async (method: "GET" | "PUT", hash: string, body?: BodyInit): Promise<ArrayBuffer> => {
    const headers = { authorization: blobAuthorization(run, site, identity, method, hash) };
    const response = await fetch(`/blobs/${hash}`, { method, headers, body });
    if (!response.ok) throw new PliantError(await sentence(response));
    return response.arrayBuffer();
  };
  return {
    get: async (hash) => checkedBlob(hash, Buffer.from(await ask("GET", hash))),
    put: async (bytes) => {
      const hash = digest(bytes);
      await ask("PUT", hash, bytes as BodyInit);
      return hash;
    },
  };
}

/** Connects, and connects again whenever the connection is lost. */
export function connected(run: string, site: string, identity: Identity): SiteSession {
  let socket: WebSocket | undefined;
  let wait = 100;
  const session = siteSession(run, site, identity, {
    send: (text) => void (socket?.readyState === WebSocket.OPEN && socket.send(text)),
    close: () => socket?.close(),
  });
  const open = () => {
    if (session.closed) return;
    socket = new WebSocket(`wss://${location.host}`);
    socket.onmessage = ({ data }) => {
      session.hear(String(data));
      if (session.welcomed) wait = 100;
    };
    socket.onclose = () => {
      session.lost();
      if (session.closed) return;
      setTimeout(open, wait);
      wait = Math.min(2 * wait, 2000);
    };
  };
  open();
  return session;
}
