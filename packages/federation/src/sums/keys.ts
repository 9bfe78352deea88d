// Keys of an attempt, and what two sites agree on from each other's.
import { InputError } from "@pliant/core";
import { derived, openKeyOf, sharedSecret } from "../primitives.js";

/** Random bytes; a test's come from a seed. */
export type Random = (bytes: number) => Buffer;

/** Bytes as they travel. */
export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
/** The way back from `hex`. */
export const bytesOf = (text: string): Buffer => Buffer.from(text, "hex");

/** The public key of 32 secret bytes. */
export const publicKey = (secret: Buffer): string => hex(openKeyOf("x25519", secret));

// Two sites need what they share for the boxes of both ways.
const known = new WeakMap<Buffer, Map<string, Buffer>>();

function sharedWith(secret: Buffer, theirs: string): Buffer {
  const mine = known.get(secret) ?? new Map<string, Buffer>();
  known.set(secret, mine);
  const shared = mine.get(theirs) ?? sharedSecret(secret, bytesOf(theirs));
  mine.set(theirs, shared);
  return shared;
}

/**
 * 32 bytes that the owners of both keys know and nobody else, for one purpose. A key of low order, which would make them known
 * to all, is refused.
 */
export function agreedKey(secret: Buffer, theirs: string, purpose: string): Buffer {
  let shared: Buffer;
  try {
    shared = sharedWith(secret, theirs);
  } catch {
    throw lowOrder(theirs);
  }
  if (shared.every((byte) => byte === 0)) throw lowOrder(theirs);
  return derived(shared, purpose);
}

/** Low orders divide 8, and so does every secret: any secret shows them. */
const anySecret = Buffer.alloc(32, 1);

/** Whether nobody has a secret with the owner of this key. */
export function isLowOrder(key: string): boolean {
  try {
    return sharedSecret(anySecret, bytesOf(key)).every((byte) => byte === 0);
  } catch {
    return true;
  }
}

const lowOrder = (key: string): InputError =>
  new InputError(`The key ${key.slice(0, 16)}… gives no secret: it is of low order, or no key at all.`);
