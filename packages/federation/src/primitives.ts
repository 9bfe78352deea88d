// The ciphers and curves that the protocol stands on, as Node has them. A browser's tab has page/primitives.ts in the place of
// this file. X25519 (RFC 7748), Ed25519 (RFC 8032), HKDF-SHA-256 (RFC 5869), AES-256 in counter and in Galois/counter mode.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";

export { randomBytes } from "node:crypto";

export const sha256 = (data: string | Uint8Array): Buffer => createHash("sha256").update(data).digest();

// Keys are read as JSON Web Keys (RFC 8037), in a tenth of the time that DER takes.
const curves = { x25519: "X25519", ed25519: "Ed25519" };
type Curve = keyof typeof curves;

// Reading a key takes ten times as long as using it.
const kept = { x25519: new WeakMap<Buffer, KeyObject>(), ed25519: new WeakMap<Buffer, KeyObject>() };

function secretKey(curve: Curve, secret: Buffer): KeyObject {
  const known = kept[curve].get(secret);
  if (known) return known;
  // The public part must be there, and is not read.
  const jwk = { kty: "OKP", crv: curves[curve], d: secret.toString("base64url"), x: "" };
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  kept[curve].set(secret, key);
  return key;
}

function openKey(curve: Curve, bytes: Buffer): KeyObject {
  const key = { kty: "OKP", crv: curves[curve], x: bytes.toString("base64url") };
  return createPublicKey({ key, format: "jwk" });
}

/** The public key of 32 secret bytes. */
export const openKeyOf = (curve: Curve, secret: Buffer): Buffer =>
  Buffer.from(createPublicKey(secretKey(curve, secret)).export({ format: "jwk" }).x!, "base64url");

/** What the owners of two keys share; throws, or is zeros, where a key is of low order. */
export const sharedSecret = (secret: Buffer, theirs: Buffer): Buffer =>
  diffieHellman({ privateKey: secretKey("x25519", secret), publicKey: openKey("x25519", theirs) });

/** 32 bytes from a secret, for one purpose. */
export const derived = (secret: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, Buffer.alloc(0), purpose, 32));

export const signature = (secret: Buffer, text: string): Buffer =>
  sign(null, Buffer.from(text), secretKey("ed25519", secret));

/** Throws where the key is none. */
export const isSigned = (key: Buffer, text: string, by: Buffer): boolean =>
  verify(null, Buffer.from(text), openKey("ed25519", key), by);

const zeros = new Uint8Array(1 << 16);

/**
 * Bytes under a key, as many at a time as asked for, up to 2¹⁶, and whole blocks of 16 until the last time; streams of
 * different numbers never meet.
 */
export function keystream(key: Buffer, number: number): (bytes: number) => ArrayBuffer {
  const start = Buffer.alloc(16);
  start[0] = number;
  const cipher = createCipheriv("aes-256-ctr", key, start);
  return (bytes) => {
    const made = cipher.update(zeros.subarray(0, bytes));
    const { buffer, byteOffset } = made;
    const whole = byteOffset === 0 && buffer.byteLength === bytes;
    return (whole ? buffer : buffer.slice(byteOffset, byteOffset + bytes)) as ArrayBuffer;
  };
}

// Every key seals once, so a nonce of zeros is used once.
const nonce = Buffer.alloc(12);

export function seal(key: Buffer, bytes: Buffer): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Throws where it was not sealed with this key. */
export function unseal(key: Buffer, sealed: Buffer): Buffer {
  const cipher = createDecipheriv("aes-256-gcm", key, nonce);
  cipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
}
