// The parts that all readers of delimited files share: how files begin, and on which line a row is.
import { headerOf } from "./csv.js";

export interface Beginning {
  readonly packed: boolean;
  /** The first bytes, unpacked. */
  readonly bytes: Uint8Array;
}

/** So many bytes are looked at first. */
export const glance = 1 << 18;

/** The names of the columns and the line they stand on; undefined where they are not simply on the first. */
export function headOf(
  bytes: Uint8Array,
  source: string,
): { readonly line: string; readonly names: readonly string[] } | undefined {
  const line = /^[^\n]+\n/.exec(new TextDecoder().decode(bytes))?.[0].replace(/\r?\n$/, "");
  if (line === undefined || line.includes("\r")) return undefined;
  const names = headerOf(line, source);
  return names === undefined || names.length < 2 ? undefined : { line, names };
}

/** About how many rows so many bytes are, by the lines of the first of them. */
export function rowsIn(bytes: Uint8Array, size: number): number {
  const lines = bytes.reduce((count, byte) => count + Number(byte === 0x0a), 1);
  return Math.ceil((1.02 * lines * size) / bytes.length);
}

/** Where a row is, found in the bytes of the file when it is first asked. */
export function placesIn(bytesOf: () => Uint8Array): (row: number) => string {
  let lines: Int32Array | undefined;
  return (row) => {
    lines ??= linesOf(bytesOf());
    return `line ${lines[row]}`;
  };
}

/** The line on which each row begins: empty lines are none, and a quoted cell may hold several. */
function linesOf(bytes: Uint8Array): Int32Array {
  const starts: number[] = [];
  let [line, quoted, empty] = [1, false, true];
  let start = 1;
  // By index: an iterator takes several times as long.
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === 0x22) quoted = !quoted;
    if (byte === 0x0a) {
      line++;
      if (!quoted) {
        if (!empty) starts.push(start);
        [start, empty] = [line, true];
      }
    } else if (byte !== 0x0d && byte !== 0x20) empty = false;
  }
  if (!empty) starts.push(start);
  return Int32Array.from(starts.slice(1));
}
