// Every store for models and updates does the same: memory, a folder, an S3-compatible server.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signedHeaders } from "@pliant/data";
import { type Blobs, digest, folderBlobs, memoryBlobs, readS3Address, s3Blobs } from "@pliant/federation";
import { afterAll, describe, expect, test } from "vitest";
import { startS3 } from "./s3-server.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-blobs-"));
const s3 = await startS3();
afterAll(() => {
  rmSync(folder, { recursive: true });
  s3?.stop();
});
const stores: [string, () => Promise<Blobs>][] = [
  ["memory", async () => memoryBlobs()],
  ["folder", async () => folderBlobs(join(folder, "blobs"))],
];
if (s3) stores.push(["S3", async () => s3Blobs(readS3Address(await s3.address("one")))]);

describe.each(stores)("%s", (_, open) => {
  test("keeps bytes by their hash, and only those that are wanted", async () => {
    const blobs = await open();
    const [a, b] = [Buffer.from("a model"), Buffer.alloc(300_000, 7)];
    const [first, second] = [await blobs.put(a), await blobs.put(b)];
    expect(await blobs.put(a)).toBe(first);
    expect(await blobs.get(second)).toEqual(b);
    expect(await blobs.length(second)).toBe(300_000);
    expect((await blobs.hashes()).toSorted()).toEqual([first, second].toSorted());
    await blobs.keepOnly([second]);
    expect(await blobs.length(first)).toBeUndefined();
    await expect(blobs.get(first)).rejects.toThrow(`There is nothing with the hash ${first.slice(0, 16)}…`);
    expect(await blobs.hashes()).toEqual([second]);
  });

  test("takes a blob in parts, which is there once it is kept, and never if it is dropped", async () => {
    const blobs = await open();
    const before = await blobs.hashes();
    const parts = [Buffer.from("one "), Buffer.alloc(0), Buffer.alloc(200_000, 1)];
    const [kept, dropped] = [blobs.draft(), blobs.draft()];
    for (const part of parts) {
      await kept.add(part);
      await dropped.add(part);
    }
    await dropped.add(Buffer.from("more"));
    expect(await blobs.hashes()).toEqual(before);
    await dropped.drop();
    await kept.keep();
    expect(kept.hash()).toBe(digest(Buffer.concat(parts)));
    expect((await blobs.hashes()).toSorted()).toEqual([...before, kept.hash()].toSorted());
    expect(await blobs.get(kept.hash())).toEqual(Buffer.concat(parts));
  });
});

test("what a coordinator that was killed had half written goes with what is not needed; what another writes stays", async () => {
  const at = join(folder, "half");
  const blobs = folderBlobs(at);
  writeFileSync(join(at, "0123456789abcdef-0.part"), "half of an upload");
  const going = blobs.draft();
  await going.add(Buffer.from("an upload"));
  await blobs.keepOnly([]);
  await going.keep();
  expect(readdirSync(at)).toEqual([going.hash()]);
});

test.runIf(s3)(
  "more objects than one list has, and two federations in one bucket",
  async () => {
    const options = readS3Address(await s3!.address("many"));
    const [here, there] = [s3Blobs({ ...options, prefix: "here" }), s3Blobs({ ...options, prefix: "there" })];
    const kept = await there.put(Buffer.from("of another"));
    for (let first = 0; first < 1010; first += 101)
      await Promise.all(Array.from({ length: 101 }, (_, i) => here.put(Buffer.from(String(first + i)))));
    expect(await here.hashes()).toHaveLength(1010);
    expect(await there.hashes()).toEqual([kept]);
  },
  120_000,
);

test.runIf(s3)("a bucket that is not there is a sentence", async () => {
  const address = (await s3!.address("there")).replace("there", "nowhere");
  await expect(s3Blobs(readS3Address(address)).put(Buffer.from("x"))).rejects.toThrow(
    /The store at http:.*\/nowhere cannot be used: it answered 404 NoSuchBucket\./,
  );
});

test("addresses that are none, keys that are missing or written down", () => {
  const keys = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
  expect(() => readS3Address("http://host/bucket", keys)).toThrow(
    "An address of a store is s3://BUCKET/PATH",
  );
  expect(() => readS3Address("s3://bucket", {})).toThrow("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  expect(() => readS3Address("s3://key:secret@bucket/x", keys)).toThrow("An address of a store has no keys");
  expect(readS3Address("s3://bucket/a/b?region=eu-1", keys)).toMatchObject({
    endpoint: "https://s3.eu-1.amazonaws.com",
    bucket: "bucket",
    prefix: "a/b",
  });
});

test("the signature is that of the example in Amazon's documentation", () => {
  // "Get Bucket (List Objects)" of "Signature Calculations for the Authorization Header"; its host names the bucket.
  const { headers } = signedHeaders(
    {
      ...{ endpoint: "https://examplebucket.s3.amazonaws.com", region: "us-east-1", bucket: "", prefix: "" },
      accessKeyId: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    },
    { method: "GET", key: "", query: { "max-keys": "2", prefix: "J" } },
    new Date("2013-05-24T00:00:00Z"),
  );
  expect(headers.authorization).toBe(
    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  );
});
