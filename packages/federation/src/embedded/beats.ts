// Signs of life. A connection that is cut without a word, as by a router that forgot it, looks open from both ends for hours: the
// coordinator's server pings its sockets, and a side that has heard nothing for several beats takes the connection for lost.
import type { WebSocket, WebSocketServer } from "ws";

/** Milliseconds between two pings. */
export const beat = 15_000;

/** Beats without a sign of the coordinator. A site counts those in which it could listen: while it trains it may hear nothing. */
const mostMissed = 3;

/** Beats without a sign of a site, which may be deaf for as long as it trains. */
const mostSilent = 8;

/** Pings the sockets of a server, and cuts those that are silent. Returns what ends it. */
export function pingSockets(sockets: WebSocketServer, every: number): () => void {
  const silent = new Map<WebSocket, number>();
  sockets.on("connection", (socket) => {
    const heard = () => silent.set(socket, 0);
    heard();
    socket.on("pong", heard);
    socket.on("message", heard);
    socket.on("close", () => silent.delete(socket));
  });
  const beating = setInterval(() => {
    for (const [socket, beats] of silent) {
      silent.set(socket, beats + 1);
      if (beats >= mostSilent) socket.terminate();
      else socket.ping();
    }
  }, every);
  return () => clearInterval(beating);
}

/** Cuts a site's socket when the coordinator is silent. */
export function expectPings(socket: WebSocket, every: number): void {
  let missed = 0;
  const heard = () => {
    missed = 0;
  };
  const beating = setInterval(() => {
    if (++missed > mostMissed) socket.terminate();
  }, every);
  socket.on("ping", heard);
  socket.on("message", heard);
  socket.on("close", () => clearInterval(beating));
}
