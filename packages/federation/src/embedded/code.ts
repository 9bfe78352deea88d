// A join code: where the coordinator is, by which certificate it is known, and a secret that opens one place once.
import { InputError } from "@pliant/core";
import { z } from "zod";
import { siteName } from "../protocol/index.js";

const schema = z.strictObject({
  host: z.string().min(1),
  port: z.number().int().min(1).max(65535),
  /** Of the only certificate that is trusted; left out, it is one that an authority issued for the host. */
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  run: z.string().regex(/^[\w-]{1,64}$/),
  site: siteName,
  secret: z.string().min(16).max(64),
});

/** What a join code holds. */
export type JoinCode = z.infer<typeof schema>;

const head = "pliant1-";

/** A join code as people pass it on. */
export const encodeCode = (code: JoinCode): string =>
  head + Buffer.from(JSON.stringify(code)).toString("base64url");

/** The way back, or a sentence. */
export function decodeCode(text: string): JoinCode {
  const wrong = new InputError("This is not a join code; copy all of what pliant federate invite printed.");
  if (!text.startsWith(head)) throw wrong;
  try {
    // A tab's buffers know no base64url, and read it as base64.
    return schema.parse(JSON.parse(Buffer.from(text.slice(head.length), "base64").toString()));
  } catch {
    throw wrong;
  }
}

/** The page of the coordinator's server on which a browser's tab becomes the site. */
export const linkOf = (code: string): string => {
  const { host, port } = decodeCode(code);
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}/#${code}`;
};
