// Models and updates in an S3-compatible store (AWS, MinIO, Ceph, Garage), as objects PREFIX/HASH.
import { PliantError } from "@pliant/core";
import { type S3Options, type S3Request, signedHeaders } from "@pliant/data";
import { digest } from "../sums/index.js";
import { type Blobs, checkedBlob, gathered } from "./blobs.js";

export { readS3Address, type S3Options } from "@pliant/data";

/** How often a request is repeated that the store could not answer. */
const tries = 4;

/** One object each. */
export function s3Blobs(options: S3Options): Blobs {
  const at = (name: string): string => [options.prefix, name].filter(Boolean).join("/");
  /** The answer, or nothing where there is no such object. */
  const ask = async (asked: S3Request): Promise<Response | undefined> => {
    let why = "";
    for (let k = 0; k < tries; k++) {
      if (k > 0) await new Promise((resolve) => setTimeout(resolve, 100 * 4 ** k));
      const { url, headers } = signedHeaders(options, asked);
      const { host: _, ...sent } = headers;
      try {
        const answer = await fetch(url, { method: asked.method, headers: sent, body: asked.body as never });
        if (answer.ok) return answer;
        const text = asked.method === "HEAD" ? "" : await answer.text();
        if (answer.status === 404 && !text.includes("NoSuchBucket")) return undefined;
        const code = /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? "";
        why = `it answered ${answer.status} ${code}`.trim();
        // What is asked wrongly is wrong again.
        if (answer.status < 500 && answer.status !== 429) break;
      } catch (error) {
        const { cause, message } = error as Error & { cause?: Error };
        why = cause?.message ?? message;
      }
    }
    throw new PliantError(`The store at ${options.endpoint}/${options.bucket} cannot be used: ${why}.`);
  };
  const list = async (): Promise<string[]> => {
    const found: string[] = [];
    for (let token = ""; ; ) {
      const query = { "list-type": "2", prefix: at(""), ...(token && { "continuation-token": token }) };
      const text = await (await ask({ method: "GET", key: "", query }))!.text();
      found.push(...[...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key));
      token = /<NextContinuationToken>([^<]*)</.exec(text)?.[1] ?? "";
      if (token === "") return found;
    }
  };
  const put = async (bytes: Buffer): Promise<string> => {
    const hash = digest(bytes);
    await ask({ method: "PUT", key: at(hash), body: bytes });
    return hash;
  };
  return {
    put,
    draft: () => gathered(put),
    get: async (hash) => {
      const answer = await ask({ method: "GET", key: at(hash) });
      return checkedBlob(hash, answer && Buffer.from(await answer.arrayBuffer()));
    },
    length: async (hash) => {
      const answer = await ask({ method: "HEAD", key: at(hash) });
      return answer && Number(answer.headers.get("content-length"));
    },
    hashes: async () => (await list()).map((key) => key.split("/").at(-1)!).filter((name) => isHash(name)),
    keepOnly: async (hashes) => {
      for (const key of await list()) {
        const name = key.split("/").at(-1)!;
        if (isHash(name) && !hashes.includes(name)) await ask({ method: "DELETE", key });
      }
    },
  };
}

const isHash = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);
