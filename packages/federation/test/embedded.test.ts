// The coordinator's own server: who is let in, what it keeps, and connections that are cut.
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createServer as createTlsServer } from "node:tls";
import { type Blobs, digest, embeddedSite, folderBlobs, httpsBlobs, memoryBlobs } from "@pliant/federation";
import { afterAll, describe, expect, test, vi } from "vitest";
import { newCertificate } from "../src/embedded/certificate.js";
import { blobAuthorization } from "../src/sessions/requests.js";
import { seededBytes } from "./seeded.js";
import { joined, served } from "./served.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-blobs-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each([
  ["memory", async () => ({ blobs: memoryBlobs() as Pick<Blobs, "get" | "put">, close: async () => {} })],
  ["folder", async () => ({ blobs: folderBlobs(join(folder, "blobs")), close: async () => {} })],
  [
    "HTTPS",
    async () => {
      const { server, address, identities } = await served();
      return { blobs: httpsBlobs(address, "a", identities.get("a")!), close: () => server.close() };
    },
  ],
])("blobs: %s", (_, make) => {
  test("come back by their hash, to the byte", async () => {
    const { blobs, close } = await make();
    const bytes = seededBytes("blob")(100_000);
    const hash = await blobs.put(bytes);
    expect(hash).toBe(digest(bytes));
    expect((await blobs.get(hash)).equals(bytes)).toBe(true);
    await expect(blobs.get(digest("nothing"))).rejects.toThrow("There is nothing with the hash");
    await close();
  });
});

test.each([
  ["memory", memoryBlobs()],
  ["folder", folderBlobs(join(folder, "kept"))],
])("blobs that are not needed any more go, the others stay: %s", async (_, blobs) => {
  const [a, b, c] = await Promise.all(["a", "b", "c"].map((text) => blobs.put(Buffer.from(text))));
  await blobs.keepOnly([b, digest("never there")]);
  expect(String(await blobs.get(b))).toBe("b");
  for (const gone of [a, c]) await expect(blobs.get(gone)).rejects.toThrow("There is nothing with the hash");
});

describe("the embedded server", () => {
  test("does not let one site in with another's identity", async () => {
    const { server, address, identities } = await served();
    const thief = joined(embeddedSite(address, "a", identities.get("b")!).bus);
    await vi.waitUntil(() => thief.ended.length > 0, { timeout: 60_000 });
    expect(thief.ended[0]).toContain("a has another identity here");
    await server.close();
  });

  test("speaks no TLS before 1.3, and sites do not either", async () => {
    const { server, address, identities } = await served();
    const { host, port } = address;
    const heard = await new Promise<string>((resolve) => {
      const socket = connect({ host, port, rejectUnauthorized: false, maxVersion: "TLSv1.2" }, () =>
        resolve(String(socket.getProtocol())),
      );
      socket.on("error", (error) => resolve(error.message));
    });
    expect(heard).toContain("version");
    await server.close();
    const older = createTlsServer({ ...newCertificate(), maxVersion: "TLSv1.2" });
    await new Promise<void>((resolve) => older.listen(0, "127.0.0.1", resolve));
    const there = { ...address, port: (older.address() as AddressInfo).port };
    await expect(httpsBlobs(there, "a", identities.get("a")!).get(digest("x"))).rejects.toThrow("version");
    older.close();
  });

  test("keeps nothing that has another hash than was said, and takes no more of it than of an upload", async () => {
    const blobs = memoryBlobs();
    const size = 1000;
    const expects = () => ({ bytes: size, attempt: "0.1" });
    const { server, address, identities } = await served({
      blobs,
      admission: { expects, reads: () => false },
    });
    const hash = "ab".repeat(32);
    const authorization = blobAuthorization("r", "a", identities.get("a")!, "PUT", hash);
    const statusOf = (body: Buffer) =>
      new Promise<number>((resolve, reject) => {
        const to = { host: address.host, port: address.port, path: `/blobs/${hash}`, method: "PUT" };
        const headers = { authorization, "content-length": size };
        request({ ...to, headers, rejectUnauthorized: false }, (response) => {
          response.resume();
          response.on("end", () => resolve(response.statusCode!));
        })
          .on("error", reject)
          .end(body);
      });
    const statuses: number[] = [];
    for (let i = 0; i < 20; i++) statuses.push(await statusOf(Buffer.alloc(size, i)));
    expect(statuses.slice(0, 16)).toEqual(Array(16).fill(400));
    expect(statuses.at(-1)).toBe(429);
    expect(await blobs.hashes()).toEqual([]);
    await server.close();
  });

  test("gives a site no more models while it does not read those it asked for, and others theirs", async () => {
    const { server, address, identities } = await served();
    // More than the connections in between hold.
    const model = Buffer.alloc(16 << 20, 7);
    const hash = await httpsBlobs(address, "a", identities.get("a")!).put(model);
    const statusOf = (site: string) =>
      new Promise<number>((resolve, reject) => {
        const authorization = blobAuthorization("r", site, identities.get(site)!, "GET", hash);
        const to = { host: address.host, port: address.port, path: `/blobs/${hash}`, agent: false };
        const asked = request(
          { ...to, headers: { authorization }, rejectUnauthorized: false },
          (response) => {
            unread.push(() => asked.destroy());
            resolve(response.statusCode!);
          },
        ).on("error", reject);
        asked.end();
      });
    const unread: (() => void)[] = [];
    for (const wanted of [200, 200, 200, 200, 429]) expect(await statusOf("a")).toBe(wanted);
    expect(await statusOf("b")).toBe(200);
    for (const end of unread) end();
    await vi.waitUntil(async () => (await statusOf("a")) === 200, { timeout: 60_000 });
    await server.close();
  });

  test("gives models to sites of the federation, who sign what they ask for", async () => {
    const { server, address, identities } = await served();
    const hash = await httpsBlobs(address, "a", identities.get("a")!).put(Buffer.from("model"));
    expect(String(await httpsBlobs(address, "b", identities.get("b")!).get(hash))).toBe("model");
    for (const [site, identity] of [
      ["a", "b"],
      ["nobody", "a"],
    ])
      await expect(httpsBlobs(address, site, identities.get(identity)!).get(hash)).rejects.toThrow(
        "This is for sites of the federation",
      );
    await server.close();
  });

  test("is left alone when its certificate is another", async () => {
    const { server, address, identities } = await served();
    const elsewhere = { ...address, fingerprint: digest("another") };
    const site = joined(embeddedSite(elsewhere, "a", identities.get("a")!).bus);
    await vi.waitUntil(() => site.ended.length > 0, { timeout: 60_000 });
    expect(site.ended[0]).toContain("has another certificate than the join code names; nothing was sent.");
    await server.close();
  });

  test("says that its port is in use", async () => {
    const { server } = await served();
    const second = served({ port: server.port });
    await expect(second).rejects.toThrow(`Port ${server.port} is in use; choose another with --port.`);
    await server.close();
  });

  test("is connected to again where a connection is cut without a word, and forgets the one that was", async () => {
    const { server, address, identities } = await served({ beat: 50 });
    const ways: Socket[] = [];
    const between = createServer((near) => {
      const far = dial(server.port, "127.0.0.1");
      for (const [from, to] of [
        [near, far],
        [far, near],
      ]) {
        from.pipe(to);
        from.on("error", () => to.destroy());
        from.on("close", () => to.destroy());
        ways.push(from);
      }
    });
    await new Promise<void>((listening) => between.listen(0, "127.0.0.1", listening));
    const { port } = between.address() as { port: number };
    const site = (name: string, every: number) =>
      joined(embeddedSite({ ...address, port }, name, identities.get(name)!, { every }).bus);
    // The second does not notice.
    const [a, b] = [site("a", 50), site("b", 1e9)];
    await vi.waitUntil(() => a.connected === 1 && b.connected === 1, { timeout: 60_000 });
    // All ends stay open, and nothing comes through any more.
    for (const way of ways) way.unpipe().pause();
    await vi.waitUntil(() => a.connected === 2, { timeout: 60_000 });
    await vi.waitUntil(() => server.connected.join() === "a", { timeout: 60_000 });
    expect([...a.ended, ...b.ended]).toEqual([]);
    for (const one of [a, b]) await one.bus.close();
    between.close();
    for (const way of ways) way.destroy();
    await server.close();
  });
});
