// Keys of an attempt, and what two sites agree on from each other's. X25519 (RFC 7748), HKDF-SHA-256 (RFC 5869).
import { createPrivateKey, createPublicKey, diffieHellman, hkdfSync, type KeyObject } from "node:crypto";
import { InputError } from "pliant";

/** Random bytes; a test's come from a seed. */
export type Random = (bytes: number) => Buffer;

/** Bytes as they travel. */
export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
export const bytesOf = (text: string): Buffer => Buffer.from(text, "hex");

// What stands before 32 raw bytes in DER.
const privateHead = bytesOf("302e020100300506032b656e04220420");
const publicHead = bytesOf("302a300506032b656e032100");

// Reading a key takes ten times as long as using it.
const keys = new WeakMap<Buffer, KeyObject>();

function privateKey(secret: Buffer): KeyObject {
  const known = keys.get(secret);
  if (known) return known;
  const key = createPrivateKey({ key: Buffer.concat([privateHead, secret]), format: "der", type: "pkcs8" });
  keys.set(secret, key);
  return key;
}

/** The public key of 32 secret bytes. */
export function publicKey(secret: Buffer): string {
  const exported = createPublicKey(privateKey(secret)).export({ format: "der", type: "spki" });
  return hex(exported.subarray(publicHead.length));
}

/**
 * 32 bytes that the owners of both keys know and nobody else, for one purpose. A key of low order, which would make them known
 * to all, is refused.
 */
export function agreedKey(secret: Buffer, theirs: string, purpose: string): Buffer {
  let shared: Buffer;
  try {
    const theirKey = createPublicKey({
      key: Buffer.concat([publicHead, bytesOf(theirs)]),
      format: "der",
      type: "spki",
    });
    shared = diffieHellman({ privateKey: privateKey(secret), publicKey: theirKey });
  } catch {
    throw lowOrder(theirs);
  }
  if (shared.every((byte) => byte === 0)) throw lowOrder(theirs);
  return derivedKey(shared, purpose);
}

const lowOrder = (key: string): InputError =>
  new InputError(`The key ${key.slice(0, 16)}… gives no secret: it is of low order, or no key at all.`);

/** 32 bytes from a secret, for one purpose. */
export const derivedKey = (secret: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, Buffer.alloc(0), purpose, 32));
