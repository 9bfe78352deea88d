// How much a peer may send: little until it has shown who it is, and after that no more than a site of this federation has to say.
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { clock } from "../run/clock.js";

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
  let since = clock();
  let said = 0;
  return {
    takes: (bytes) => {
      if (clock() - since > 10_000) [since, said] = [clock(), 0];
      said += bytes;
      if (said > often) socket.terminate();
      return said <= often;
    },
  };
}

/** Different uploads that one attempt keeps of a site: one, and some that a crash made it forget. */
const uploads = 4;
/** So many times what was asked is received of a site in an attempt: connections break, and an upload begins again. */
const again = 16;

/** What one site has sent in one attempt. */
export interface UploadRoom {
  /** Whether these bytes are received as well. */
  receives(bytes: number): boolean;
  /** What could not be kept here was no fault of the site. */
  forgets(bytes: number): void;
  /** Whether what has this hash, known from its bytes, is kept. */
  keeps(hash: string): boolean;
}

/** Keeps a site from filling the coordinator's disk, and its line: what an attempt leaves is removed only when the next one begins. */
export function uploadQuota(): (site: string, attempt: string, expected: number) => UploadRoom {
  const sent = new Map<
    string,
    { readonly attempt: string; received: number; readonly hashes: Set<string> }
  >();
  return (site, attempt, expected) => {
    const known = sent.get(site);
    const now = known?.attempt === attempt ? known : { attempt, received: 0, hashes: new Set<string>() };
    sent.set(site, now);
    return {
      receives: (bytes) => {
        now.received += bytes;
        return now.received <= again * expected;
      },
      forgets: (bytes) => {
        now.received -= bytes;
      },
      keeps: (hash) => {
        if (now.hashes.size >= uploads && !now.hashes.has(hash)) return false;
        now.hashes.add(hash);
        return true;
      },
    };
  };
}
