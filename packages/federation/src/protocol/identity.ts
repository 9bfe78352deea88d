// Who a site is: an Ed25519 key (RFC 8032). Its fingerprint is what people compare.
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { bytesOf, digest, hex, type Random } from "../sums/index.js";

const privateHead = bytesOf("302e020100300506032b657004220420");
const publicHead = bytesOf("302a300506032b6570032100");

export interface Identity {
  /** The public key. */
  readonly key: string;
  sign(text: string): string;
}

export const newSecret = (random: Random): string => hex(random(32));

/** Of 32 secret bytes. */
export function identityOf(secret: string): Identity {
  const der = Buffer.concat([privateHead, bytesOf(secret)]);
  const privateKey: KeyObject = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const exported = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  return {
    key: hex(exported.subarray(publicHead.length)),
    sign: (text) => hex(sign(null, Buffer.from(text), privateKey)),
  };
}

/** Whether the owner of a key signed a text. */
export function signed(key: string, text: string, signature: string): boolean {
  try {
    const publicKey = createPublicKey({
      key: Buffer.concat([publicHead, bytesOf(key)]),
      format: "der",
      type: "spki",
    });
    return verify(null, Buffer.from(text), publicKey, bytesOf(signature));
  } catch {
    return false;
  }
}

/** A key as people read it to each other. */
export const fingerprint = (key: string): string =>
  digest(bytesOf(key))
    .slice(0, 16)
    .replace(/(.{4})(?=.)/g, "$1-");
