// The platform in Node.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { availableParallelism, cpus, hostname } from "node:os";
import * as path from "node:path";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import type { Files, Paths, Platform } from "./platform.js";

export { importFile } from "./import-file.js";
export * from "./platform.js";

const files = fs as Files;

/** Whether there is a file or folder. */
export const existsSync: Files["existsSync"] = files.existsSync;
/** Writes a file. */
export const writeFileSync: Files["writeFileSync"] = files.writeFileSync;
/** Adds text to the end of a file. */
export const appendFileSync: Files["appendFileSync"] = files.appendFileSync;
/** The names in a folder. */
export const readdirSync: Files["readdirSync"] = files.readdirSync;
/** Makes a folder and those above it. */
export const mkdirSync: Files["mkdirSync"] = files.mkdirSync;
/** Removes a file or, recursively, a folder. */
export const rmSync: Files["rmSync"] = files.rmSync;
/** The size of a file, and whether it is a folder. */
export const statSync: Files["statSync"] = files.statSync;

/** Without the methods of Buffer, whose `slice` shares memory where that of a Uint8Array copies. */
const plain = ({ buffer, byteOffset, length }: Buffer): Uint8Array =>
  new Uint8Array(buffer, byteOffset, length);

/** The bytes of a file, or its text. */
export const readFileSync = ((file: string, encoding?: "utf8") =>
  encoding ? fs.readFileSync(file, encoding) : plain(fs.readFileSync(file))) as Files["readFileSync"];

/** The last part of a path. */
export const basename: Paths["basename"] = path.basename;
/** A path without its last part. */
export const dirname: Paths["dirname"] = path.dirname;
/** Joins parts to a path. */
export const join: Paths["join"] = path.join;
/** The relative path from one path to another. */
export const relative: Paths["relative"] = path.relative;
/** A path from the root. */
export const resolve: Paths["resolve"] = path.resolve;

/** Replaces a file whole: a reader sees the old or the new one. */
export const replaceFile: Platform["replaceFile"] = (file, content) => {
  const beside = `${file}.new`;
  const open = fs.openSync(beside, "w");
  try {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(open, bytes, at);
    fs.fsyncSync(open);
  } finally {
    fs.closeSync(open);
  }
  fs.renameSync(beside, file);
};

/** The bytes of a file with room for one more at the end. */
export const readWithRoom: Platform["readWithRoom"] = (file) => {
  const { size } = fs.statSync(file);
  const bytes = plain(Buffer.allocUnsafe(size + 1));
  return readInto(file, bytes, size) === size ? bytes : undefined;
};

/** The first bytes of a file. */
export const firstBytes: Platform["firstBytes"] = (file, count) => {
  const bytes = plain(Buffer.allocUnsafe(count));
  return bytes.subarray(0, readInto(file, bytes, count));
};

/** How many bytes there were to read. */
function readInto(file: string, bytes: Uint8Array, count: number): number {
  const open = fs.openSync(file, "r");
  try {
    for (let at = 0; at < count; ) {
      const more = fs.readSync(open, bytes, at, count - at, at);
      if (more === 0) return at;
      at += more;
    }
    return count;
  } finally {
    fs.closeSync(open);
  }
}

/** The SHA-256 of a file, in hexadecimal digits. */
export const sha256: Platform["sha256"] = async (file) => {
  const hash = createHash("sha256");
  for await (const part of fs.createReadStream(file)) hash.update(part as Uint8Array);
  return hash.digest("hex");
};

/** A gzip file unpacked, or the first bytes of it. */
export const gunzip: Platform["gunzip"] = async (file, most = Infinity) => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of fs.createReadStream(file).pipe(createGunzip())) {
    parts.push(part);
    size += part.length;
    if (size >= most) break;
  }
  return plain(Buffer.concat(parts)).subarray(0, most);
};

/** Each byte as the character of that number. */
export const latin1: Platform["latin1"] = (bytes, from = 0, to = bytes.length) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(to, bytes.length) - from).toString("latin1");

/** The program that runs this one, by name and version. */
export const runtime: Platform["runtime"] = () => ({ node: process.version });

/** The machine this runs on. */
export const machine: Platform["machine"] = () => ({
  platform: process.platform,
  arch: process.arch,
  cores: availableParallelism(),
  processor: cpus()[0]?.model.trim() ?? "unknown",
});

/** The process ID and host name. */
export const worker: Platform["worker"] = () => ({ process: process.pid, host: hostname() });

const signals = ["SIGINT", "SIGTERM"] as const;

let exitsBySignal = false;

/** A signal that nothing catches would end the process without the event `exit`; the code is that of shells, 128 + SIGINT. */
function exitBySignal(): void {
  if (exitsBySignal) return;
  exitsBySignal = true;
  for (const signal of signals) {
    const exitUnlessCaught = (): void => {
      if (process.listenerCount(signal) === 1) process.exit(130);
      process.off(signal, exitUnlessCaught);
    };
    process.prependListener(signal, exitUnlessCaught);
  }
}

/** Calls a function when the process ends, by SIGINT or SIGTERM too. */
export const onExit: Platform["onExit"] = (leave) => {
  process.once("exit", leave);
  exitBySignal();
};

/** Calls a function once SIGINT or SIGTERM comes, until it is released. */
export const onStopAsked: Platform["onStopAsked"] = (asked) => {
  for (const signal of signals) process.once(signal, asked);
  return {
    release: () => {
      for (const signal of signals) process.off(signal, asked);
    },
  };
};

/** Lets pending events run. */
export const turn: Platform["turn"] = () => setImmediate();
