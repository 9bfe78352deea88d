// Who a site is: an Ed25519 key (RFC 8032). Its fingerprint is what people compare.
import { ed25519 } from "@noble/curves/ed25519.js";
import { derived, isSigned, openKeyOf, signature } from "../primitives.js";
import { bytesOf, digest, hex, type Random } from "../sums/index.js";

/** A key that signs for a site. */
export interface Identity {
  /** The public key. */
  readonly key: string;
  sign(text: string): string;
  /** 32 bytes that only its owner knows, always the same for one purpose. */
  secretFor(purpose: string): Buffer;
}

/** 32 random bytes to make an identity of. */
export const newSecret = (random: Random): string => hex(random(32));

/** Of 32 secret bytes. */
export function identityOf(secret: string): Identity {
  const bytes = bytesOf(secret);
  return {
    key: hex(openKeyOf("ed25519", bytes)),
    sign: (text) => hex(signature(bytes, text)),
    secretFor: (purpose) => derived(bytes, `pliant ${purpose}`),
  };
}

// Each key is looked at once.
const weak = new Map<string, boolean>();

/** Whether a key is none, or of low order: then anybody can sign for it. */
export function isWeak(key: string): boolean {
  const known = weak.get(key);
  if (known !== undefined) return known;
  let found = true;
  try {
    found = ed25519.Point.fromBytes(bytesOf(key)).isSmallOrder();
  } catch {}
  if (weak.size > 200_000) weak.clear();
  weak.set(key, found);
  return found;
}

/** Whether the owner of a key signed a text. */
export function signed(key: string, text: string, by: string): boolean {
  try {
    if (isWeak(key)) return false;
    return isSigned(bytesOf(key), text, bytesOf(by));
  } catch {
    return false;
  }
}

/** A key as people read it to each other. */
export const fingerprint = (key: string): string =>
  digest(bytesOf(key))
    .slice(0, 32)
    .replace(/(.{4})(?=.)/g, "$1-");
