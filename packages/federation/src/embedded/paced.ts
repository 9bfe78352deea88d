// Sending at the pace of the other end: a part is handed to the connection once it has taken the one before. What many are sent is
// then in memory once, and not once for each of them, as it would be in the buffers of their connections.
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { WebSocket } from "ws";

/** In bytes. */
const part = 1 << 16;

function* partsOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += part) yield bytes.subarray(from, from + part);
}

/**
 * Messages over a socket, in fragments (RFC 6455, 5.4), and its end after the last of them. A peer that leaves more than `unread`
 * bytes waiting is cut off: it is asked again once it is back.
 */
export function pacedMessages(
  socket: WebSocket,
  unread: number,
): { send(bytes: Buffer): void; close(): void } {
  const waiting: Buffer[] = [];
  let length = 0;
  let going = false;
  let closing = false;
  const sendNext = (): void => {
    const bytes = waiting.shift();
    going = bytes !== undefined;
    length -= bytes?.length ?? 0;
    if (bytes) sendFrom(bytes, 0);
    else if (closing) socket.close();
  };
  const sendFrom = (bytes: Buffer, from: number): void => {
    const to = from + part;
    const last = to >= bytes.length;
    // An error is heard by the socket's listener, and nothing more is sent.
    socket.send(bytes.subarray(from, to), { binary: false, fin: last }, (error) => {
      if (error) return;
      if (last) sendNext();
      else sendFrom(bytes, to);
    });
  };
  return {
    send: (bytes) => {
      if (waiting.at(-1) === bytes) return;
      waiting.push(bytes);
      length += bytes.length;
      if (!going) sendNext();
      else if (length > unread) socket.terminate();
    },
    close: () => {
      closing = true;
      if (!going) socket.close();
    },
  };
}

/** Answers pings of a peer that takes the answers. */
export function answerPings(socket: WebSocket): void {
  socket.on("ping", (data: Buffer) => {
    if (socket.bufferedAmount <= 2 * part) socket.pong(data);
  });
}

/** An answer's body, and its end. */
export const sendBody = (to: Writable, bytes: Buffer): Promise<void> =>
  pipeline(Readable.from(partsOf(bytes)), to);
