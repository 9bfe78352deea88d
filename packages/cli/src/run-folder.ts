// A run on disk: run.json says what was asked, metrics.jsonl has one line an evaluation, report.json the answer, and
// checkpoint.safetensors the state to go on from, its step and form in the header. Whole files are written beside and
// renamed, so that a crash leaves the old or the new one, never half of one.
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type Data, type DType, mapTree, NdArray } from "@pliant/engine";
import type { SolverState } from "pliant";
import { UsageError } from "./usage.js";

export interface RunFolder<Asked> {
  readonly path: string;
  /** What was asked when the run began. */
  readonly asked: Asked;
  /** Where to go on from; undefined at the beginning. */
  readonly state: SolverState | undefined;
  /** The evaluation first, then the state it is of: going on drops evaluations that are ahead of the state. */
  save(state: SolverState, metrics?: object): void;
  finish(report: object): void;
}

const files = ["run.json", "report.json", "metrics.jsonl", "checkpoint.safetensors"] as const;
const [askedFile, reportFile, metricsFile, checkpointFile] = files;

/** Starts a run in a folder, in place of the one that may be there. */
export function startRun<Asked extends object>(path: string, asked: Asked): RunFolder<Asked> {
  return onDisk(path, () => {
    mkdirSync(path, { recursive: true });
    // run.json goes first and comes last: a folder without it holds no run.
    for (const file of files) rmSync(join(path, file), { force: true });
    replace(join(path, askedFile), json(asked));
    return folder(path, asked, undefined);
  });
}

/** Goes on with the run in a folder. */
export function resumeRun<Asked extends object>(
  path: string,
  read: (asked: unknown) => Asked,
): RunFolder<Asked> {
  if (!existsSync(join(path, askedFile)))
    throw new UsageError(`there is no run to resume in ${path}; start one without --resume.`);
  return onDisk(path, () => {
    const asked = read(parseJson(join(path, askedFile)));
    const [checkpoint, metrics] = [join(path, checkpointFile), join(path, metricsFile)];
    if (!existsSync(checkpoint)) {
      // The first checkpoint precedes the first evaluation.
      if (existsSync(metrics))
        throw new UsageError(`there is no ${checkpointFile} in ${path} to resume from; ${startAgain}`);
      return folder(path, asked, undefined);
    }
    const state = decodeState(readFileSync(checkpoint), checkpoint);
    if (existsSync(metrics)) replace(metrics, upTo(state.step, readFileSync(metrics, "utf8")));
    return folder(path, asked, state);
  });
}

const startAgain = "start again without --resume.";

function folder<Asked>(path: string, asked: Asked, state: SolverState | undefined): RunFolder<Asked> {
  return {
    path,
    asked,
    state,
    save: (next, metrics) =>
      onDisk(path, () => {
        if (metrics) appendFileSync(join(path, metricsFile), `${JSON.stringify(metrics)}\n`);
        replace(join(path, checkpointFile), encodeState(next));
      }),
    finish: (report) => onDisk(path, () => replace(join(path, reportFile), json(report))),
  };
}

/** What the file system refuses is the user's to put right. */
function onDisk<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (reason) {
    const { code, message } = reason as NodeJS.ErrnoException;
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw reason;
    throw new UsageError(`the run folder ${path} cannot be used: ${message}`);
  }
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

function parseJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (reason) {
    if (!(reason instanceof SyntaxError)) throw reason;
    throw new UsageError(`${file} is damaged: it is not JSON (${reason.message}); ${startAgain}`);
  }
}

function replace(file: string, content: string | Uint8Array): void {
  const beside = `${file}.new`;
  const open = openSync(beside, "w");
  try {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    for (let at = 0; at < bytes.length; ) at += writeSync(open, bytes, at);
    fsyncSync(open);
  } finally {
    closeSync(open);
  }
  renameSync(beside, file);
}

/** The whole lines of evaluations no later than a step. */
function upTo(step: number, lines: string): string {
  const kept = lines.split("\n").filter((line) => {
    try {
      return JSON.parse(line).step <= step;
    } catch {
      return false;
    }
  });
  return kept.map((line) => `${line}\n`).join("");
}

// The safetensors format: the header's length in eight bytes, the header as JSON, the arrays one after another.

const names: Partial<Record<DType, string>> = { float32: "F32", float64: "F64", int32: "I32" };
const makers: Record<string, new (bytes: ArrayBuffer) => Data> = {
  F32: Float32Array,
  F64: Float64Array,
  I32: Int32Array,
};

export function encodeState({ step, ...arrays }: SolverState): Uint8Array {
  const parts: Uint8Array[] = [];
  const header: Record<string, unknown> = {};
  let end = 0;
  const form = mapTree(arrays, ({ data, shape, dtype }: NdArray, path) => {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const name = path.slice(1);
    header[name] = { dtype: names[dtype], shape, data_offsets: [end, end + bytes.length] };
    parts.push(bytes);
    end += bytes.length;
    return name;
  });
  header.__metadata__ = { step: String(step), form: JSON.stringify(form) };
  const text = Buffer.from(JSON.stringify(header));
  // Padded with spaces, so that the arrays begin at a multiple of eight.
  const bytes = Buffer.alloc(Math.ceil(text.length / 8) * 8, " ");
  text.copy(bytes);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return Buffer.concat([length, bytes, ...parts]);
}

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

export function decodeState(bytes: Buffer, file: string): SolverState {
  try {
    const start = 8 + Number(bytes.readBigUInt64LE(0));
    const { __metadata__: about, ...entries } = JSON.parse(bytes.toString("utf8", 8, start));
    const step = Number(about.step);
    if (!Number.isSafeInteger(step) || step < 0) throw new Error(`"${about.step}" is not a step`);
    const last = Math.max(...Object.values(entries as Record<string, Entry>).map((e) => e.data_offsets[1]));
    if (bytes.length !== start + last)
      throw new Error(`${bytes.length} bytes where ${start + last} were written`);
    const arrays = mapTree(JSON.parse(about.form), (name: string) => {
      const { dtype, shape, data_offsets: span } = entries[name] as Entry;
      // A copy, since an array begins anywhere in the file.
      const own = Uint8Array.from(bytes.subarray(start + span[0], start + span[1]));
      return new NdArray(new makers[dtype](own.buffer), shape);
    });
    return { ...(arrays as Omit<SolverState, "step">), step };
  } catch (reason) {
    throw new UsageError(
      `${file} is damaged and cannot be resumed from (${(reason as Error).message}); ${startAgain}`,
    );
  }
}
