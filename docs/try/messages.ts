// What the page and its worker tell each other.
import type { Summary } from "@pliant/train";

/** The names and the bytes of files. */
export type Files = ReadonlyMap<string, Uint8Array>;

export type Question =
  | {
      readonly ask: "inspect";
      /** The file, where it is not the one that the worker has. */
      readonly table?: Table;
      readonly target?: string;
      readonly groups: readonly string[];
    }
  | { readonly ask: "example"; readonly name: string }
  | { readonly ask: "write"; readonly spec: object }
  | { readonly ask: "train"; readonly table: Table; readonly spec: string; readonly insist: boolean }
  | { readonly ask: "derive"; readonly folder: string; readonly files: Files }
  | { readonly ask: "stop" };

export interface Table {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** By question. */
export interface Answers {
  inspect: { readonly summary: Summary; readonly text: string };
  example: { readonly table: Table; readonly spec: string };
  /** The spec as YAML. */
  write: string;
  train: Trained;
  /** Files that are made of a run: its model as ONNX, its card, its report in words. */
  derive: Files;
  stop: boolean;
}

export interface Trained {
  /** The name of the run folder. */
  readonly folder: string;
  readonly files: Files;
}

/** Told while a run trains. */
export interface News {
  readonly line: string;
  /** The share of the work that is done, where it is known. */
  readonly done?: number;
  /** Its files so far, now and then. */
  readonly run?: Trained;
}

/** The worker wants the runtime, which the page alone can load; the answer is its bytes, packed, or nothing where it does not load. */
export interface Wanted {
  readonly wants: "runtime";
}
export interface Given {
  readonly runtime: PackedRuntime | undefined;
}

/** ONNX Runtime: its script, and its WebAssembly packed by gzip. */
export interface PackedRuntime {
  readonly script: string;
  readonly wasm: Uint8Array;
}

export type WorkerMessage =
  | Wanted
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly problem: string }
  | { readonly id: number; readonly news: News };
