// The same ciphers and curves in a tab, where Node's are not, and where WebCrypto has them only for those who wait.
import { ctr, gcm } from "@noble/ciphers/aes.js";
import { ed25519, x25519 } from "@noble/curves/ed25519.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 as hash } from "@noble/hashes/sha2.js";

const bytesIn = (data: string | Uint8Array): Uint8Array =>
  typeof data === "string" ? new TextEncoder().encode(data) : data;

export const randomBytes = (count: number): Buffer =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(count)));

export const sha256 = (data: string | Uint8Array): Buffer => Buffer.from(hash(bytesIn(data)));

export const openKeyOf = (curve: "x25519" | "ed25519", secret: Buffer): Buffer =>
  Buffer.from((curve === "x25519" ? x25519 : ed25519).getPublicKey(secret));

export const sharedSecret = (secret: Buffer, theirs: Buffer): Buffer =>
  Buffer.from(x25519.getSharedSecret(secret, theirs));

export const derived = (secret: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdf(hash, secret, undefined, bytesIn(purpose), 32));

export const signature = (secret: Buffer, text: string): Buffer =>
  Buffer.from(ed25519.sign(bytesIn(text), secret));

export const isSigned = (key: Buffer, text: string, by: Buffer): boolean =>
  ed25519.verify(by, bytesIn(text), key, { zip215: false });

/** Counter mode from a block of its own each time: the counter is the whole block, its highest byte first. */
export function keystream(key: Buffer, number: number): (bytes: number) => ArrayBuffer {
  let blocks = 0;
  return (bytes) => {
    const start = new Uint8Array(16);
    start[0] = number;
    new DataView(start.buffer).setUint32(12, blocks);
    blocks += bytes / 16;
    const made = ctr(key, start).encrypt(new Uint8Array(bytes));
    return made.buffer.slice(made.byteOffset, made.byteOffset + bytes) as ArrayBuffer;
  };
}

const nonce = new Uint8Array(12);

export const seal = (key: Buffer, bytes: Buffer): Buffer => Buffer.from(gcm(key, nonce).encrypt(bytes));

export const unseal = (key: Buffer, sealed: Buffer): Buffer => Buffer.from(gcm(key, nonce).decrypt(sealed));
