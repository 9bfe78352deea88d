// The platform as Node gives it.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { availableParallelism, cpus, hostname } from "node:os";
import * as path from "node:path";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import type { Files, Paths, Platform } from "./platform.js";

export { importFile } from "./import-file.js";
export * from "./platform.js";

export const { existsSync, writeFileSync, appendFileSync, readdirSync, mkdirSync, rmSync, statSync }: Files =
  fs as Files;
/** Without the methods of Buffer, whose `slice` shares memory where that of a Uint8Array copies. */
const plain = ({ buffer, byteOffset, length }: Buffer): Uint8Array =>
  new Uint8Array(buffer, byteOffset, length);

export const readFileSync = ((file: string, encoding?: "utf8") =>
  encoding ? fs.readFileSync(file, encoding) : plain(fs.readFileSync(file))) as Files["readFileSync"];
export const { basename, dirname, join, relative, resolve }: Paths = path;

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

export const readWithRoom: Platform["readWithRoom"] = (file) => {
  const { size } = fs.statSync(file);
  const bytes = plain(Buffer.allocUnsafe(size + 1));
  return readInto(file, bytes, size) === size ? bytes : undefined;
};

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

export const sha256: Platform["sha256"] = async (file) => {
  const hash = createHash("sha256");
  for await (const part of fs.createReadStream(file)) hash.update(part as Uint8Array);
  return hash.digest("hex");
};

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

export const latin1: Platform["latin1"] = (bytes, from = 0, to = bytes.length) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(to, bytes.length) - from).toString("latin1");

export const runtime: Platform["runtime"] = () => ({ node: process.version });

export const machine: Platform["machine"] = () => ({
  platform: process.platform,
  arch: process.arch,
  cores: availableParallelism(),
  processor: cpus()[0]?.model.trim() ?? "unknown",
});

export const worker: Platform["worker"] = () => ({ process: process.pid, host: hostname() });

export const onExit: Platform["onExit"] = (leave) => {
  process.once("exit", leave);
};

const signals = ["SIGINT", "SIGTERM"] as const;

export const onStopAsked: Platform["onStopAsked"] = (stop) => {
  for (const signal of signals) process.once(signal, stop);
  return {
    release: () => {
      for (const signal of signals) process.off(signal, stop);
    },
  };
};

export const turn: Platform["turn"] = () => setImmediate();
