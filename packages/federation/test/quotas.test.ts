// A peer that has not shown who it is has 64 kB in all, however large a federation it talks to.
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { limited, quotasOf } from "../src/embedded/quotas.js";

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
