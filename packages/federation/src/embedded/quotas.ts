// How much a peer may send: little until it has shown who it is, and after that no more than a site of this federation has to say.
import type { Socket } from "node:net";
import type { WebSocket } from "ws";

/** In bytes. */
export interface Quotas {
  /** Before a peer has shown who it is, in all. */
  readonly before: number;
  /** One message of a site. */
  readonly message: number;
  /** All messages of a site, in ten seconds. */
  readonly often: number;
}

/** No model or update is larger. */
export const largestBody = 2 ** 30;

/** How long a peer may take to show who it is, in ms. */
const proving = 10_000;

/** Boxes and shares for each of the others are the most that a site has to say: below 1 kB each. */
export function quotasOf(sites: number): Quotas {
  const message = (64 << 10) + 1024 * sites;
  return { before: 64 << 10, message, often: 16 * message };
}

/** Cuts a connection that is beyond its quota. */
export function limited(
  socket: WebSocket,
  wire: Socket,
  { before, often }: Quotas,
  proven: () => boolean,
): { takes(bytes: number): boolean } {
  const late = setTimeout(() => !proven() && socket.terminate(), proving);
  socket.on("close", () => clearTimeout(late));
  let heard = 0;
  // Counted on the wire: a message is in memory only once it is whole.
  const count = (part: Buffer) => {
    if (proven()) return void wire.off("data", count);
    heard += part.length;
    if (heard > before) socket.terminate();
  };
  wire.on("data", count);
  let since = Date.now();
  let said = 0;
  return {
    takes: (bytes) => {
      if (Date.now() - since > 10_000) [since, said] = [Date.now(), 0];
      said += bytes;
      if (said > often) socket.terminate();
      return said <= often;
    },
  };
}

/** Different uploads that one attempt takes from a site: one, and some that a crash made it forget. */
const uploads = 4;

/** Keeps a site from filling the coordinator's disk: what an attempt leaves is removed only when the next one begins. */
export function uploadQuota(): { takes(site: string, attempt: string, hash: string): boolean } {
  const sent = new Map<string, { readonly attempt: string; readonly hashes: Set<string> }>();
  return {
    takes: (site, attempt, hash) => {
      const known = sent.get(site);
      const { hashes } = known?.attempt === attempt ? known : { hashes: new Set<string>() };
      if (hashes.has(hash)) return true;
      if (hashes.size >= uploads) return false;
      sent.set(site, { attempt, hashes: hashes.add(hash) });
      return true;
    },
  };
}
