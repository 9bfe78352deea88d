// A registry on this machine that has our tarballs and passes everything else on, so that `npm install` is tried as others
// will run it, before anything is published.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { gunzipSync } from "node:zlib";
import { extract } from "tar-stream";
import type { Manifest } from "./staging.js";

export interface Registry {
  readonly url: string;
  close(): void;
}

export async function openRegistry(tarballs: readonly string[], upstream: string): Promise<Registry> {
  const files = new Map<string, Buffer>();
  const packuments = new Map<string, object>();
  const server = createServer(async ({ url = "/" }, response) => {
    const path = decodeURIComponent(url.split("?")[0].slice(1));
    const file = files.get(path);
    const packument = packuments.get(path);
    if (file) return response.writeHead(200, { "content-type": "application/octet-stream" }).end(file);
    if (packument) {
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(packument));
    }
    try {
      const answer = await fetch(new URL(url, upstream));
      const body = Buffer.from(await answer.arrayBuffer());
      const type = answer.headers.get("content-type") ?? "application/json";
      response.writeHead(answer.status, { "content-type": type }).end(body);
    } catch (reason) {
      response.writeHead(502).end(`${upstream} does not answer: ${(reason as Error).message}`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const tarball of tarballs) {
    const bytes = await readFile(tarball);
    const manifest = await manifestIn(bytes);
    files.set(`-/${basename(tarball)}`, bytes);
    const dist = {
      tarball: `${address}/-/${basename(tarball)}`,
      integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
      shasum: createHash("sha1").update(bytes).digest("hex"),
    };
    packuments.set(manifest.name, {
      name: manifest.name,
      "dist-tags": { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist } },
    });
  }
  return {
    url: address,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The package.json inside a tarball. */
export async function manifestIn(tarball: Buffer): Promise<Manifest> {
  const entries = extract();
  entries.end(gunzipSync(tarball));
  for await (const entry of entries) {
    if (entry.header.name === "package/package.json") {
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      return JSON.parse(Buffer.concat(chunks).toString());
    }
    entry.resume();
  }
  throw new Error("There is no package.json in this tarball.");
}
