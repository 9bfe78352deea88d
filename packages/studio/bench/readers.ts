// Readers at once, as pages read: the list, the run, its curves, and then what is appended to it while they look.
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";

/** A connection for every question, as readers on many machines have. */
function ask(url: string): { request: ClientRequest; answer: Promise<IncomingMessage> } {
  const request = get(url, { agent: false });
  return {
    request,
    answer: new Promise((done, failed) => request.once("response", done).once("error", failed)),
  };
}

async function json(url: string): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  for await (const piece of await ask(url).answer) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString());
}

/** Opens so many pages of a run at once, and tells how many milliseconds it takes until the last of them has everything it shows. */
export async function readAtOnce(url: string, name: string, count: number): Promise<number> {
  const query = new URLSearchParams({ name });
  const begun = performance.now();
  const followed = await Promise.all(
    Array.from({ length: count }, async () => {
      await json(`${url}api/runs`);
      await json(`${url}api/run?${query}`);
      const { version, rows } = await json(`${url}api/series?${query}`);
      const { request, answer } = ask(`${url}api/live?${query}&from=${version}:${rows}`);
      (await answer).on("error", () => {}).resume();
      return request;
    }),
  );
  const taken = Math.round(performance.now() - begun);
  // Long enough for every one of them to have been looked after some times.
  await setTimeout(10_000);
  for (const request of followed) request.on("error", () => {}).destroy();
  return taken;
}
