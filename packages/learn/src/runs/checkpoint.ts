// A state as a file in the safetensors format: the header's length in eight bytes, the header as JSON, the arrays one after another. The step and
// the form of the state are in the header's metadata.

import { InputError } from "@pliant/core";
import { type Data, type DType, mapTree, NdArray } from "@pliant/engine";

/** A tree of arrays and its step. */
export interface Saved {
  readonly step: number;
}

const names: Partial<Record<DType, string>> = { float32: "F32", float64: "F64", int32: "I32" };
const makers: Record<string, new (bytes: ArrayBuffer) => Data> = {
  F32: Float32Array,
  F64: Float64Array,
  I32: Int32Array,
};

/** A state as a safetensors file, its step in the header. */
export function encodeState({ step, ...arrays }: Saved): Uint8Array {
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
  const text = new TextEncoder().encode(JSON.stringify(header));
  // Padded with spaces, so that the arrays begin at a multiple of eight.
  const start = 8 + Math.ceil(text.length / 8) * 8;
  const file = new Uint8Array(start + end).fill(0x20, 8, start);
  new DataView(file.buffer).setBigUint64(0, BigInt(start - 8), true);
  file.set(text, 8);
  for (let at = start, i = 0; i < parts.length; at += parts[i++].length) file.set(parts[i], at);
  return file;
}

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

/** Reads the exact state from the bytes of a checkpoint; error messages call it `file`. */
export function decodeState<State extends Saved>(bytes: Uint8Array, file: string): State {
  try {
    const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getBigUint64(0, true);
    const start = 8 + Number(length);
    const { __metadata__: about, ...entries } = JSON.parse(
      new TextDecoder().decode(bytes.subarray(8, start)),
    );
    const step = Number(about.step);
    if (!Number.isSafeInteger(step) || step < 0) throw new Error(`"${about.step}" is not a step`);
    const last = Math.max(...Object.values(entries as Record<string, Entry>).map((e) => e.data_offsets[1]));
    if (bytes.length !== start + last)
      throw new Error(`${bytes.length} bytes where ${start + last} were written`);
    const arrays = mapTree(JSON.parse(about.form), (name: string) => {
      const { dtype, shape, data_offsets: span } = entries[name] as Entry;
      // A copy, because arrays in the file need not be aligned.
      const own = Uint8Array.from(bytes.subarray(start + span[0], start + span[1]));
      return new NdArray(new makers[dtype](own.buffer), shape);
    });
    return { ...(arrays as object), step } as State;
  } catch (reason) {
    throw new InputError(`${file} is damaged (${(reason as Error).message}); train the run again.`);
  }
}
