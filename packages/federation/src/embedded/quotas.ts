// How much a peer may send: little until it has shown who it is, and after that no more than a site of this federation has to say.
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { clock } from "../run/clock.js";
import { mostNeighbours } from "../sums/index.js";

/** In bytes. */
export interface Quotas {
  /** Before a peer has shown who it is, in all. */
  readonly before: number;
  /** One message of a site. */
  readonly message: number;
  /** All that a site sends, in ten seconds. */
  readonly often: number;
  /** All that waits to be read by a site. */
  readonly unread: number;
}

/** No model or update is larger. */
export const largestBody = 2 ** 30;

/** How long a peer may take to show who it is, in ms. */
const proving = 10_000;

/** How long a request may wait for its peer, in ms. */
export const mostIdle = 120_000;

/** Boxes and shares for each of its neighbours in a sum are the most that a site has to say: below 1 kB each. */
export function quotasOf(sites: number): Quotas {
  const message = (64 << 10) + 1024 * mostNeighbours(sites);
  // A member receives several messages about every other member, each below 1 kB.
  const unread = 4 * ((64 << 10) + 1024 * sites);
  return { before: 64 << 10, message, often: 16 * message, unread };
}

/** Cuts a connection that is beyond its quota, counted on the wire: a message is in memory only once it is whole, and pings are none. */
export function limited(
  socket: WebSocket,
  wire: Socket,
  { before, often }: Quotas,
  proven: () => boolean,
): void {
  const late = setTimeout(() => !proven() && socket.terminate(), proving);
  socket.on("close", () => clearTimeout(late));
  let known = false;
  let heard = 0;
  let since = 0;
  wire.on("data", (part: Buffer) => {
    if (proven() && (!known || clock() - since > 10_000)) [known, heard, since] = [true, 0, clock()];
    heard += part.length;
    if (heard > (known ? often : before)) socket.terminate();
  });
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

/** Models that a site reads at the same time: one, and some whose connections broke without a word. */
const reads = 4;

/** Keeps a site from holding models in memory that it never reads: whether it may read another, and that it is done with one. */
export function readQuota(): { begins(site: string): boolean; ends(site: string): void } {
  const open = new Map<string, number>();
  return {
    begins: (site) => {
      const now = open.get(site) ?? 0;
      if (now >= reads) return false;
      open.set(site, now + 1);
      return true;
    },
    ends: (site) => {
      const now = open.get(site)! - 1;
      if (now > 0) open.set(site, now);
      else open.delete(site);
    },
  };
}
