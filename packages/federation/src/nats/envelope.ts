// Anyone on a NATS server may publish: whatever goes over it is signed for its session, by the coordinator's certificate
// or by a site's identity. What a site says before it is known is a frame that proves who it is, and needs no signature.
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { z } from "zod";

const schema = z.object({ text: z.string(), signature: z.string() });

export type Envelope = z.infer<typeof schema>;

export const encodeEnvelope = (envelope: Envelope): string => JSON.stringify(envelope);

/** Nothing where it is none. */
export function decodeEnvelope(payload: string): Envelope | undefined {
  try {
    return schema.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}

/** Subjects of a run. A session is of one process of one site, and known to all on the server. */
export const subjects = {
  /** From a site's process. */
  up: (run: string, session: string): string => `pliant.federation.${run}.up.${session}`,
  /** To a site's process. */
  down: (run: string, session: string): string => `pliant.federation.${run}.down.${session}`,
  /** To all. */
  all: (run: string): string => `pliant.federation.${run}.all`,
};

/** What is signed: a text on a subject. */
export const envelopeText = (subject: string, text: string): string => `pliant bus ${subject} ${text}`;

export const certificateSigner = (key: string): ((text: string) => string) => {
  const secret: KeyObject = createPrivateKey(key);
  return (text) => sign("sha256", Buffer.from(text), secret).toString("hex");
};

export const certificateVerifier = (cert: string): ((text: string, signature: string) => boolean) => {
  const key = createPublicKey(cert);
  return (text, signature) => verify("sha256", Buffer.from(text), key, Buffer.from(signature, "hex"));
};
