// The platform in a page or its worker: files in memory, and no process.
import { sha256 as sha256Of } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { memoryFiles } from "./memory-files.js";
import { NotHere, type Platform } from "./platform.js";

export * from "./page-paths.js";
export * from "./platform.js";

export const {
  existsSync,
  readFileSync,
  writeFileSync,
  appendFileSync,
  readdirSync,
  mkdirSync,
  rmSync,
  statSync,
} = memoryFiles();

export const replaceFile: Platform["replaceFile"] = writeFileSync;

export const readWithRoom: Platform["readWithRoom"] = (file) => {
  const bytes = readFileSync(file);
  const roomy = new Uint8Array(bytes.length + 1);
  roomy.set(bytes);
  return roomy;
};

export const firstBytes: Platform["firstBytes"] = (file, count) => readFileSync(file).subarray(0, count);

export const sha256: Platform["sha256"] = async (file) => bytesToHex(sha256Of(readFileSync(file)));

export const gunzip: Platform["gunzip"] = async (file, most = Infinity) => {
  const packed = readFileSync(file) as Uint8Array<ArrayBuffer>;
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let size = 0; size < most; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
  }
  await reader.cancel();
  return new Uint8Array(await new Blob(parts).arrayBuffer()).subarray(0, most);
};

/** Arguments of one call are limited. */
const most = 1 << 13;

export const latin1: Platform["latin1"] = (bytes, from = 0, to = bytes.length) => {
  let text = "";
  for (let at = from; at < to; at += most)
    text += String.fromCharCode(...bytes.subarray(at, Math.min(to, at + most)));
  return text;
};

/** The browser's name: the last product in its user agent. */
export const runtime: Platform["runtime"] = () => ({
  browser: /(Firefox|Edg|Chrome|Version)\/[\d.]+/.exec(navigator.userAgent)?.[0] ?? "unknown",
});

export const machine: Platform["machine"] = () => ({
  platform: "browser",
  arch: "wasm32",
  cores: navigator.hardwareConcurrency ?? 1,
  processor: "unknown",
});

export const worker: Platform["worker"] = () => ({ process: 0, host: "a page" });

export const onExit: Platform["onExit"] = () => {};

let stopping: (() => void) | undefined;

export const onStopAsked: Platform["onStopAsked"] = (stop) => {
  stopping = stop;
  return {
    release: () => {
      if (stopping === stop) stopping = undefined;
    },
  };
};

/** The page's Ctrl-C: the current run saves itself and ends. Returns whether there is one. */
export function askToStop(): boolean {
  stopping?.();
  return stopping !== undefined;
}

/** Posts a message to itself, which queues behind those that have arrived; timers would wait for milliseconds. */
export const turn: Platform["turn"] = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });

export const importFile: Platform["importFile"] = async () => {
  throw new NotHere("a page runs no files of your own; train with the command, pliant train.");
};
