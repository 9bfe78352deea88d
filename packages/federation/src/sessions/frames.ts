// What goes over a connection, of whatever kind, before and beside the protocol's messages: who a site is, and who else takes part.
import { z } from "zod";
import { siteName } from "../protocol/index.js";

const roster = z.record(siteName, z.string().regex(/^[0-9a-f]{64}$/));

export const frame = z.discriminatedUnion("frame", [
  z.object({ frame: z.literal("challenge"), challenge: z.string() }),
  z.object({ frame: z.literal("prove"), site: siteName, signature: z.string() }),
  z.object({ frame: z.literal("welcome") }),
  z.object({ frame: z.literal("roster"), roster }),
  z.object({ frame: z.literal("refused"), why: z.string() }),
]);

export type Frame = z.infer<typeof frame>;

/** A frame, or a message of the protocol, which is not looked into here. */
export function frameOf(text: string): Frame | undefined {
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
