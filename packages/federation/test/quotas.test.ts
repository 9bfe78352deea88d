// A peer that has not shown who it is has 64 kB in all, however large a federation it talks to.
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { limited, quotasOf, uploadQuota } from "../src/embedded/quotas.js";

test.each([4, 100_000])(
  "of %i sites, bytes on the wire are counted until a peer has proved itself",
  (sites) => {
    let [proven, cut] = [false, 0];
    const socket = Object.assign(new EventEmitter(), { terminate: () => cut++ });
    const wire = new EventEmitter();
    limited(socket as never, wire as never, quotasOf(sites), () => proven);
    const kB = Buffer.alloc(1024);
    for (let i = 0; i < 64; i++) wire.emit("data", kB);
    expect(cut).toBe(0);
    wire.emit("data", kB);
    expect(cut).toBe(1);
    proven = true;
    for (let i = 0; i < 200; i++) wire.emit("data", kB);
    expect(cut).toBe(1);
    socket.emit("close");
  },
);

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
