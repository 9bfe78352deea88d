// A connection is handed no more than it takes: what a thousand sites are sent must not lie in a thousand buffers.
import { EventEmitter } from "node:events";
import { Writable } from "node:stream";
import { expect, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { answerPings, pacedMessages, sendBody } from "../src/embedded/paced.js";

/** A socket that takes a part when it is told to. */
function slowSocket() {
  const log: string[] = [];
  let take: ((error?: Error) => void) | undefined;
  const socket = {
    send: (bytes: Buffer, { fin }: { fin: boolean }, taken: (error?: Error) => void) => {
      log.push(`${bytes.length}${fin ? "" : " and more"}`);
      take = taken;
    },
    close: () => void log.push("closed"),
    terminate: () => void log.push("cut"),
  };
  return { socket: socket as unknown as WebSocket, log, takes: (error?: Error) => take?.(error) };
}

test("a part is handed over once the one before is taken, messages stay in order, and the end comes last", () => {
  const { socket, log, takes } = slowSocket();
  const messages = pacedMessages(socket, 1e6);
  const long = Buffer.alloc(150_000);
  messages.send(long);
  const short = Buffer.alloc(10);
  for (let i = 0; i < 100; i++) messages.send(short);
  messages.close();
  expect(log).toEqual(["65536 and more"]);
  takes();
  takes();
  expect(log).toEqual(["65536 and more", "65536 and more", "18928"]);
  takes();
  expect(log.at(-1)).toBe("10");
  takes();
  expect(log.at(-1)).toBe("closed");
});

test("what a site asked for again while it waited is sent once; a site that reads nothing is cut off", () => {
  const { socket, log } = slowSocket();
  const messages = pacedMessages(socket, 3000);
  messages.send(Buffer.alloc(10));
  const same = Buffer.alloc(1000);
  for (let i = 0; i < 10; i++) messages.send(same);
  messages.send(Buffer.alloc(2000));
  expect(log).toEqual(["10"]);
  messages.send(Buffer.alloc(1));
  expect(log).toEqual(["10", "cut"]);
});

test("a ping is answered once the answers before it are taken", () => {
  const pongs: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    bufferedAmount: 0,
    pong: (data: Buffer) => void pongs.push(String(data)),
  });
  answerPings(socket as never);
  socket.emit("ping", Buffer.from("one"));
  socket.bufferedAmount = 1 << 20;
  socket.emit("ping", Buffer.from("two"));
  socket.bufferedAmount = 0;
  socket.emit("ping", Buffer.from("three"));
  expect(pongs).toEqual(["one", "three"]);
});

test("nothing more is handed to a socket that is lost", () => {
  const { socket, log, takes } = slowSocket();
  const messages = pacedMessages(socket, 1e6);
  messages.send(Buffer.alloc(150_000));
  messages.send(Buffer.alloc(10));
  takes(new Error("lost"));
  expect(log).toEqual(["65536 and more"]);
});

test("a body is read as fast as it is taken", async () => {
  const taken: (() => void)[] = [];
  let bytes = 0;
  const reader = new Writable({
    highWaterMark: 16_384,
    write: (part: Buffer, _, done) => {
      bytes += part.length;
      taken.push(done);
    },
  });
  const sent = sendBody(reader, Buffer.alloc(1_000_000));
  await vi.waitUntil(() => taken.length === 1, { timeout: 60_000 });
  expect(bytes).toBe(65_536);
  expect(reader.writableLength).toBe(65_536);
  while (bytes < 1_000_000) {
    taken.shift()?.();
    await new Promise(setImmediate);
  }
  taken.shift()!();
  await sent;
});

test("long messages arrive whole over a real socket, as text, between shorter ones", async () => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  const texts = ["first", "long ü ".repeat(100_000), "last"];
  server.on("connection", (socket) => {
    const messages = pacedMessages(socket, 1e6);
    for (const text of texts) messages.send(Buffer.from(text));
    messages.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  const heard: string[] = [];
  socket.on("message", (data, isBinary) => heard.push(isBinary ? "binary" : String(data)));
  await new Promise((resolve) => socket.on("close", resolve));
  expect(heard).toEqual(texts);
  server.close();
});
