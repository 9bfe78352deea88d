// A web server on this machine that behaves as well or as badly as a test asks.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Served {
  /** Its address, with a slash at the end. */
  readonly url: string;
  /** The requests so far: path and the range asked for, if any. */
  readonly requests: readonly { path: string; range?: string }[];
}

/** Serves until the test ends. */
export async function serve(answer: RequestListener): Promise<Served> {
  const requests: { path: string; range?: string }[] = [];
  const server = createServer((request, response) => {
    requests.push({ path: request.url!, range: request.headers.range });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests };
}

/** The address of a port that nobody listens to. */
export async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/`;
}

/** The bytes, from where the range asks. */
export function answerRange(
  bytes: Uint8Array,
  request: IncomingMessage,
  response: ServerResponse,
): Uint8Array {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
  const rest = bytes.subarray(from);
  if (from > 0)
    response.writeHead(206, {
      "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}`,
      "content-length": rest.length,
    });
  else response.writeHead(200, { "content-length": bytes.length });
  return rest;
}
