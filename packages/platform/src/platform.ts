// The interface that node.ts and page.ts implement. Files keep the names and the behaviour that node:fs gives them.

/** Files by path, synchronously. */
export interface Files {
  existsSync(path: string): boolean;
  readFileSync(path: string): Uint8Array;
  readFileSync(path: string, encoding: "utf8"): string;
  writeFileSync(path: string, content: string | Uint8Array): void;
  appendFileSync(path: string, content: string): void;
  /** The names in a folder, without order. */
  readdirSync(path: string): string[];
  mkdirSync(path: string, options: { recursive: true }): unknown;
  rmSync(path: string, options?: { recursive?: boolean; force?: boolean }): void;
  statSync(path: string): Stats;
}

/** The status of a file or folder. */
export interface Stats {
  readonly size: number;
  isDirectory(): boolean;
}

/** Paths as texts. */
export interface Paths {
  basename(path: string): string;
  dirname(path: string): string;
  join(...parts: string[]): string;
  relative(from: string, to: string): string;
  resolve(...parts: string[]): string;
}

/** The machine a run was made on, for the reader of its run.json. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
  readonly cores: number;
  readonly processor: string;
}

/** The exports of both node.ts and page.ts. */
export interface Platform extends Files, Paths {
  /** Replaces a file, or creates it: a reader sees the old or the new one, never half of one, and a crash leaves one of the two. */
  replaceFile(path: string, content: string | Uint8Array): void;
  /** The bytes of a file with room for one more at the end; undefined if the file shrinks meanwhile. */
  readWithRoom(path: string): Uint8Array | undefined;
  /** The first bytes of a file, at most so many. */
  firstBytes(path: string, count: number): Uint8Array;
  /** The SHA-256 of a file, in hexadecimal digits. */
  sha256(path: string): Promise<string>;
  /** A gzip file unpacked, or the first bytes of it, at most so many. */
  gunzip(path: string, most?: number): Promise<Uint8Array>;
  /** Each byte as the character of that number. */
  latin1(bytes: Uint8Array, from?: number, to?: number): string;
  /** What runs the program, by name and version: `{ node: "v20.19.0" }`. */
  runtime(): Readonly<Record<string, string>>;
  machine(): Machine;
  /** The process ID and host name, which together identify who works on a run. */
  worker(): { readonly process: number; readonly host: string };
  /** Calls `leave` when the process ends, by a signal too. */
  onExit(leave: () => void): void;
  /** Calls `stop` once a person asks the program to stop, until it is released. */
  onStopAsked(stop: () => void): { release(): void };
  /** Lets pending events run: signals, messages to a worker. */
  turn(): Promise<void>;
  /** The exports of a JavaScript or TypeScript file; another `version` imports a changed file again. */
  importFile(path: string, version: string): Promise<{ readonly default?: unknown }>;
}

/** An error whose message is for the user, in a package that knows no other error classes. */
export class NotHere extends Error {
  override readonly name = "NotHere";
}
