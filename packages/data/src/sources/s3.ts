// Addresses of S3-compatible stores (AWS, MinIO, Ceph, Garage) and requests signed by AWS Signature Version 4;
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html.
import { createHash, createHmac } from "node:crypto";
import { InputError } from "@pliant/core";
import { shownAddress } from "./address.js";

/** Where a bucket is, and who asks. */
export interface S3Options {
  /** `https://s3.example.org`, without the bucket. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** The path below the bucket: an object, or what the names of several begin with. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * `s3://BUCKET/PATH?endpoint=https://HOST&region=REGION`. Keys come from the environment, as other tools have them, and are never
 * written down: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
 */
export function readS3Address(address: string, env: NodeJS.ProcessEnv = process.env): S3Options {
  const form = "s3://BUCKET/PATH?endpoint=https://HOST&region=REGION";
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new InputError(`An address of a store is ${form}, not ${shownAddress(address)}.`);
  }
  if (url.protocol !== "s3:" || url.hostname === "")
    throw new InputError(`An address of a store is ${form}, not ${shownAddress(address)}.`);
  if (url.username !== "" || url.password !== "")
    throw new InputError(
      "An address of a store has no keys in it; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead.",
    );
  const region = url.searchParams.get("region") ?? env.AWS_REGION ?? "us-east-1";
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey)
    throw new InputError(
      "The keys of the store are missing: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    );
  return {
    endpoint: (
      url.searchParams.get("endpoint") ??
      env.AWS_ENDPOINT_URL_S3 ??
      `https://s3.${region}.amazonaws.com`
    ).replace(/\/+$/, ""),
    region,
    bucket: url.hostname,
    prefix: url.pathname.replace(/^\/+|\/+$/g, ""),
    accessKeyId,
    secretAccessKey,
    ...(env.AWS_SESSION_TOKEN && { sessionToken: env.AWS_SESSION_TOKEN }),
  };
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** A request to a bucket. */
export interface S3Request {
  readonly method: "GET" | "PUT" | "HEAD" | "DELETE";
  /** Below the bucket. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** The headers of a request, signed for this moment. */
export function signedHeaders(
  { endpoint, region, bucket, accessKeyId, secretAccessKey, sessionToken }: S3Options,
  { method, key, query = {}, body = Buffer.alloc(0) }: S3Request,
  now = new Date(),
): { readonly url: string; readonly headers: Record<string, string> } {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const path = `/${[bucket, ...key.split("/")].filter(Boolean).map(escaped).join("/")}`;
  const search = Object.keys(query)
    .toSorted()
    .map((name) => `${escaped(name)}=${escaped(query[name])}`)
    .join("&");
  const headers: Record<string, string> = {
    host: new URL(endpoint).host,
    "x-amz-content-sha256": sha256(body),
    "x-amz-date": time,
    ...(sessionToken && { "x-amz-security-token": sessionToken }),
  };
  const names = Object.keys(headers).toSorted().join(";");
  const lines = Object.keys(headers)
    .toSorted()
    .map((name) => `${name}:${headers[name]}\n`);
  const request = [method, path, search, lines.join(""), names, headers["x-amz-content-sha256"]].join("\n");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(request)].join("\n");
  const signing = [time.slice(0, 8), region, "s3", "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${secretAccessKey}`,
  );
  const signature = hmac(signing, text).toString("hex");
  return {
    url: `${endpoint}${path}${search && `?${search}`}`,
    headers: {
      ...headers,
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    },
  };
}
