// A certificate of the coordinator's own, made on its first start: X.509 v3, ECDSA on P-256, signed by itself. Sites know it by
// its fingerprint, which their join code holds, and trust no one else.
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { InputError, unreadable } from "@pliant/core";

/** A certificate and its private key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Where a certificate that an authority issued is, with its chain, and its key. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Reads them, or says what is wrong with them. */
export function readCertificate({ certificate, key }: CertificateFiles): Certificate {
  const read = (file: string) => {
    try {
      return readFileSync(file, "utf8");
    } catch (error) {
      throw unreadable(file, error);
    }
  };
  const [cert, secret] = [read(certificate), read(key)];
  const parsed = (file: string, what: string, act: () => unknown) => {
    try {
      return act();
    } catch {
      throw new InputError(`${file} has no ${what} as PEM.`);
    }
  };
  const found = parsed(certificate, "certificate", () => new X509Certificate(cert)) as X509Certificate;
  const matches = parsed(key, "unencrypted private key", () =>
    found.checkPrivateKey(createPrivateKey(secret)),
  );
  if (!matches) throw new InputError(`${key} is not the key of the certificate in ${certificate}.`);
  if (Date.parse(found.validTo) < Date.now())
    throw new InputError(`The certificate in ${certificate} expired on ${found.validTo}.`);
  return { cert, key: secret };
}

/** Whether a site that looks for this host accepts the certificate. */
export function isFor(cert: string, host: string): boolean {
  const found = new X509Certificate(cert);
  return (isIP(host) ? found.checkIP(host) : found.checkHost(host)) !== undefined;
}

/** The names that a certificate is for. */
export const namesIn = (cert: string): string => new X509Certificate(cert).subjectAltName ?? "no name";

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
const basicConstraints = identifier("551d13");

/** What a certificate says; signed by its own key unless an issuer is named. */
export interface CertificateContent {
  readonly name: string;
  readonly hosts?: readonly string[];
  readonly addresses?: readonly string[];
  /** Whether it may issue others. */
  readonly authority?: boolean;
  readonly issuer?: { readonly name: string; readonly key: string };
  readonly days: number;
}

const distinguished = (name: string) => sequence(der(0x31, sequence(commonName, text(name))));

/** A certificate for a new key. */
export function makeCertificate({
  name,
  hosts = [],
  addresses = [],
  authority = false,
  issuer,
  days,
}: CertificateContent): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const now = Date.now();
  const serial = randomBytes(15);
  serial[0] = (serial[0] & 0x7f) | 0x40;
  const names = [
    ...hosts.map((host) => der(0x82, Buffer.from(host))),
    ...addresses.map((address) => der(0x87, Buffer.from(address.split(".").map(Number)))),
  ];
  const extensions = [
    ...(names.length > 0 ? [sequence(alternativeName, der(0x04, sequence(...names)))] : []),
    ...(authority ? [sequence(basicConstraints, der(0x04, sequence(der(0x01, Buffer.of(0xff)))))] : []),
  ];
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, serial),
    ecdsaWithSha256,
    distinguished(issuer?.name ?? name),
    sequence(time(new Date(now - 86_400_000)), time(new Date(now + days * 86_400_000))),
    distinguished(name),
    publicKey.export({ format: "der", type: "spki" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign("sha256", body, issuer?.key ?? privateKey);
  const whole = sequence(body, ecdsaWithSha256, der(0x03, Buffer.of(0), signature));
  const lines = whole.toString("base64").replace(/(.{64})(?=.)/g, "$1\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ format: "pem", type: "pkcs8" }) as string,
  };
}

/** For ten years: it is pinned, and a run that outlives it starts a new one. */
export const newCertificate = (): Certificate =>
  makeCertificate({ name: "pliant federation", hosts: ["localhost"], addresses: ["127.0.0.1"], days: 3650 });
