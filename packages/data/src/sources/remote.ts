// Tables behind an address: fetched once into a temporary file, which is read like any other and removed when the process ends.
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { setTimeout as startTimer } from "node:timers";
import { InputError, NetworkError } from "@pliant/core";
import { onExit } from "@pliant/platform";
import { shownAddress, wholeAddress } from "./address.js";
import { readS3Address, signedHeaders } from "./s3.js";

/** Milliseconds without a byte after which an address is given up. */
const patience = 30_000;

const copies = new Map<string, Promise<string>>();
let folder: string | undefined;

/** The path of a copy; one address is fetched once in a process, so that all who read it see the same bytes. */
export async function localCopy(given: string): Promise<string> {
  if (process.env.PLIANT_GIVEN)
    throw new InputError(
      `${shownAddress(given)} is not asked for a run that may have come from others; ask in a terminal, if you trust it.`,
    );
  const address = wholeAddress(given, process.env.PLIANT_ADDRESSES);
  const known = copies.get(address);
  if (known) return known;
  const copy = fetched(address, copies.size);
  copies.set(address, copy);
  // A failure is not kept: the next read tries again.
  copy.catch(() => copies.delete(address));
  return copy;
}

interface Request {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A name and a password before the host go into a header, as `fetch` wants it. */
function withoutCredentials(url: URL): Request {
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const words = [username, password].map(decodeURIComponent).join(":");
  const headers = username ? { authorization: `Basic ${Buffer.from(words).toString("base64")}` } : undefined;
  return { url: url.href, headers: headers ?? {} };
}

function requestOf(address: string): Request {
  const [, scheme] = /^([a-z0-9+.-]+):/i.exec(address)!;
  switch (scheme.toLowerCase()) {
    case "http":
    case "https":
      return withoutCredentials(new URL(address));
    case "s3": {
      const options = readS3Address(address);
      if (options.prefix === "")
        throw new InputError(`${shownAddress(address)} names a bucket and no object.`);
      const { url, headers } = signedHeaders(options, { method: "GET", key: options.prefix });
      const { host: _, ...sent } = headers;
      return { url, headers: sent };
    }
    case "postgres":
    case "postgresql":
      throw new InputError(
        `${shownAddress(address)} is a PostgreSQL database, which Pliant does not query. Export the table first: psql "ADDRESS" -c "\\copy (select * from TABLE) to 'rows.csv' csv header"`,
      );
    default:
      throw new InputError(
        `${shownAddress(address)} cannot be read: Pliant reads files, https:// and s3:// addresses. Copy the table to a file first.`,
      );
  }
}

async function fetched(address: string, place: number): Promise<string> {
  const { url, headers } = requestOf(address);
  const shown = shownAddress(address);
  const giveUp = new AbortController();
  const silence = startTimer(() => giveUp.abort(), patience);
  try {
    // Asked for as it is: a packed table is unpacked by its reader.
    const asked = { ...headers, "accept-encoding": "identity" };
    const response = await fetch(url, { signal: giveUp.signal, headers: asked });
    if (!response.ok || response.body === null) {
      const code = /<Code>([^<]*)<\/Code>/.exec(await response.text())?.[1] ?? response.statusText;
      throw new NetworkError(
        `${shown} cannot be read: the server answered ${`${response.status} ${code}`.trimEnd()}.`,
      );
    }
    if (/^text\/html\b/.test(response.headers.get("content-type") ?? ""))
      throw new InputError(`${shown} is a web page, not a table; use the address of the file itself.`);
    const path = pathFor(response, place, new URL(url));
    const file = createWriteStream(path);
    const body = Readable.fromWeb(response.body as ReadableStream);
    body.on("data", () => silence.refresh());
    await new Promise<void>((resolve, reject) => {
      body.on("error", reject);
      file.on("error", reject).on("finish", resolve);
      body.pipe(file);
    });
    return path;
  } catch (reason) {
    if (reason instanceof InputError || reason instanceof NetworkError) throw reason;
    const { name, message, cause } = reason as Error & { cause?: Error & { code?: string } };
    const why =
      name === "AbortError"
        ? `it was silent for ${patience / 1000} s`
        : cause?.message || cause?.code || message;
    throw new NetworkError(`${shown} cannot be read: ${why}.`);
  } finally {
    clearTimeout(silence);
    giveUp.abort();
  }
}

/** A place of its own, with the name that the address ends in: its ending says what the file is. */
function pathFor(response: Response, place: number, { pathname }: URL): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), "pliant-data-"));
    onExit(() => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  const own = join(folder, String(place));
  mkdirSync(own, { recursive: true });
  const name = basename(decodeURIComponent(pathname)).replaceAll(/[^\w.-]/g, "_") || "table";
  const lines = /ndjson|jsonlines|json-seq/.test(response.headers.get("content-type") ?? "");
  return join(own, lines && !/\.json/i.test(name) ? `${name}.jsonl` : name);
}
