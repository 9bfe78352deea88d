// A certificate of the coordinator's own, made on its first start: X.509 v3, ECDSA on P-256, signed by itself. Sites know it by
// its fingerprint, which their join code holds, and trust no one else.
import { createHash, generateKeyPairSync, randomBytes, sign, X509Certificate } from "node:crypto";

/** A certificate and its private key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Of TLS, on both sides. */
export const minVersion = "TLSv1.3" as const;

/** The SHA-256 of a certificate. */
export const certificateFingerprint = (cert: string | Buffer): string =>
  createHash("sha256").update(new X509Certificate(cert).raw).digest("hex");

// Distinguished Encoding Rules: a tag, a length, the content (ITU-T X.690).
function der(tag: number, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 128) return Buffer.concat([Buffer.of(tag, body.length), body]);
  // In as few bytes as it takes: browsers refuse more.
  const length = Buffer.from(body.length.toString(16).padStart(body.length < 256 ? 2 : 4, "0"), "hex");
  return Buffer.concat([Buffer.of(tag, 0x80 + length.length), length, body]);
}
const sequence = (...content: Uint8Array[]) => der(0x30, ...content);
const identifier = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const text = (value: string) => der(0x0c, Buffer.from(value));
/** With two digits of the year before 2050, with four from then on (RFC 5280, 4.1.2.5). */
const time = (value: Date) => {
  const digits = value.toISOString().replace(/\D/g, "").slice(0, 14);
  return value.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : der(0x18, Buffer.from(`${digits}Z`));
};

const ecdsaWithSha256 = sequence(identifier("2a8648ce3d040302"));
const commonName = identifier("550403");
const alternativeName = identifier("551d11");

/** For ten years: it is pinned, and a run that outlives it starts a new one. */
export function newCertificate(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(der(0x31, sequence(commonName, text("pliant federation"))));
  const now = Date.now();
  const serial = randomBytes(15);
  serial[0] = (serial[0] & 0x7f) | 0x40;
  const names = sequence(der(0x82, Buffer.from("localhost")), der(0x87, Buffer.of(127, 0, 0, 1)));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, serial),
    ecdsaWithSha256,
    name,
    sequence(time(new Date(now - 86_400_000)), time(new Date(now + 3650 * 86_400_000))),
    name,
    publicKey.export({ format: "der", type: "spki" }),
    der(0xa3, sequence(sequence(alternativeName, der(0x04, names)))),
  );
  const signature = sign("sha256", body, privateKey);
  const whole = sequence(body, ecdsaWithSha256, der(0x03, Buffer.of(0), signature));
  const lines = whole.toString("base64").replace(/(.{64})(?=.)/g, "$1\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ format: "pem", type: "pkcs8" }) as string,
  };
}
