// A peer that has not shown who it is has 64 kB in all, however large a federation it talks to; a site has what a site has to say.
import { EventEmitter } from "node:events";
import { ownRelease } from "@pliant/federation";
import { expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { limited, quotasOf, uploadQuota } from "../src/embedded/quotas.js";
import { type Frame, proofText } from "../src/sessions/frames.js";
import { served } from "./served.js";

/** A connection that was cut so often, and the wire below it. */
function connection(sites: number) {
  const state = { proven: false, cut: 0 };
  const socket = Object.assign(new EventEmitter(), { terminate: () => state.cut++ });
  const wire = new EventEmitter();
  limited(socket as never, wire as never, quotasOf(sites), () => state.proven);
  return { state, socket, kB: () => void wire.emit("data", Buffer.alloc(1024)) };
}

test.each([4, 100_000])(
  "of %i sites, bytes on the wire are counted until a peer has proved itself, and after that too",
  (sites) => {
    const { state, socket, kB } = connection(sites);
    for (let i = 0; i < 64; i++) kB();
    expect(state.cut).toBe(0);
    kB();
    expect(state.cut).toBe(1);
    state.proven = true;
    const { often } = quotasOf(sites);
    for (let i = 0; i < Math.floor(often / 1024); i++) kB();
    expect(state.cut).toBe(1);
    kB();
    expect(state.cut).toBe(2);
    socket.emit("close");
  },
);

test("what a site may say grows with its neighbours in a sum, not with the federation", () => {
  expect(quotasOf(4).message).toBe((64 << 10) + 3 * 1024);
  expect(quotasOf(100_000).message).toBeLessThan(2 * quotasOf(50).message);
});

test("a member that floods the coordinator with pings is cut off", async () => {
  const { server, address, identities } = await served();
  const socket = new WebSocket(`wss://${address.host}:${address.port}`, { rejectUnauthorized: false });
  socket.on("error", () => {});
  socket.on("message", (text) => {
    const heard = JSON.parse(String(text)) as Frame;
    if (heard.frame !== "challenge") return;
    const signature = identities.get("a")!.sign(proofText("r", "a", heard.challenge));
    socket.send(JSON.stringify({ frame: "prove", site: "a", signature, release: ownRelease }));
  });
  await vi.waitUntil(() => server.connected.includes("a"), { timeout: 60_000 });
  const ping = Buffer.alloc(125);
  const flood = setInterval(() => {
    for (let i = 0; i < 1000 && socket.readyState === WebSocket.OPEN; i++) socket.ping(ping);
  });
  await vi.waitUntil(() => !server.connected.includes("a"), { timeout: 60_000 });
  clearInterval(flood);
  await server.close();
});

test("of a site a few different things are kept in an attempt: they stay on the disk until the next one", () => {
  const quota = uploadQuota();
  const keeps = (attempt: string, hash: string, site = "a") => quota(site, attempt, 100).keeps(hash);
  for (const hash of ["1", "2", "3", "4"]) expect(keeps("0.1", hash)).toBe(true);
  for (let i = 5; i < 1000; i++) expect(keeps("0.1", String(i))).toBe(false);
  // The same again is no more; nor do others pay for it.
  expect(keeps("0.1", "2")).toBe(true);
  expect(keeps("0.1", "5", "b")).toBe(true);
  expect(keeps("0.2", "5")).toBe(true);
});

test("bytes are counted as they come, whatever they are said to be", () => {
  const quota = uploadQuota();
  const receives = (bytes: number, attempt = "0.1") => quota("a", attempt, 100).receives(bytes);
  for (let i = 0; i < 16; i++) expect(receives(100)).toBe(true);
  expect(receives(1)).toBe(false);
  expect(receives(1, "0.2")).toBe(true);
});
