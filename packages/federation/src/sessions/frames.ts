// What goes over a connection, of whatever kind, before and beside the protocol's messages: who a site is, and who else takes part.
import { z } from "zod";
import { release, siteName } from "../protocol/index.js";
import { printable } from "../protocol/printable.js";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const roster = z.record(siteName, hash);

export const frame = z.discriminatedUnion("frame", [
  z.object({ frame: z.literal("challenge"), challenge: z.string() }),
  /** With the hash of the roster that it was told before the connection was lost. */
  z.object({
    frame: z.literal("prove"),
    site: siteName,
    signature: z.string(),
    roster: hash.optional(),
    release: release.optional(),
  }),
  z.object({ frame: z.literal("welcome"), release: release.optional() }),
  z.object({ frame: z.literal("roster"), roster }),
  /** Who has joined and gone since the roster of one hash, and the hash of the roster that this gives. */
  z.object({
    frame: z.literal("change"),
    before: hash,
    after: hash,
    joined: roster,
    gone: z.array(siteName).max(100_000),
  }),
  /** A site that missed a change asks for the whole roster. */
  z.object({ frame: z.literal("missed") }),
  z.object({ frame: z.literal("refused"), why: z.string().transform(printable) }),
]);

export type Frame = z.infer<typeof frame>;

/** A frame, or a message of the protocol, which is not looked into here. */
export function frameOf(text: string): Frame | undefined {
  // Messages are long, and are parsed where they are taken.
  if (!text.startsWith('{"frame":')) return undefined;
  try {
    const parsed = frame.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** What a site signs to show who it is, bound to this connection. */
export const proofText = (run: string, site: string, challenge: string): string =>
  `pliant session ${run} ${site} ${challenge}`;

/** What a site signs to read or write a blob. */
export const blobText = (run: string, site: string, method: string, hash: string): string =>
  `pliant blob ${run} ${site} ${method} ${hash}`;

/** What a site signs to join. */
export const joinText = (run: string, site: string, secret: string): string =>
  `pliant join ${run} ${site} ${secret}`;
