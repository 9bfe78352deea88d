// Whether bytes are a text in UTF-8, and if not, what they look like.
import { InputError } from "@pliant/core";
import { latin1 } from "@pliant/platform";

/** Files that are no texts at all, or texts in another encoding that says so in its first bytes. */
export function refuseForeign(bytes: Uint8Array, source: string): void {
  const starts = (...first: number[]): boolean => first.every((byte, i) => bytes[i] === byte);
  if (starts(0x50, 0x4b, 0x03, 0x04))
    throw new InputError(
      `${source} is a ZIP archive or an Excel workbook; save the sheet as CSV in UTF-8, or unpack it.`,
    );
  if (starts(0xd0, 0xcf, 0x11, 0xe0))
    throw new InputError(`${source} is an old Excel workbook; save the sheet as CSV in UTF-8.`);
  if (latin1(bytes, 0, 4) === "FEA1")
    throw new InputError(
      `${source} is a Feather file of the first version; write it again with a newer pandas or Arrow.`,
    );
  if (starts(0x28, 0xb5, 0x2f, 0xfd)) throw new InputError(`${source} is packed by zstd; unpack it first.`);
  if (starts(0x42, 0x5a, 0x68)) throw new InputError(`${source} is packed by bzip2; unpack it first.`);
  if (starts(0xff, 0xfe) || starts(0xfe, 0xff) || alternating(bytes))
    throw new InputError(`${source} is a text in UTF-16; save it in UTF-8.`);
}

/** Every second byte is 0, as in UTF-16 without a mark. */
function alternating(bytes: Uint8Array): boolean {
  const some = bytes.subarray(0, 200);
  if (some.length < 8 || latin1(bytes, 0, 4) === "PAR1") return false;
  const zeros = [0, 1].map((from) => some.filter((byte, i) => i % 2 === from && byte === 0).length);
  return Math.max(...zeros) > 0.45 * some.length;
}

export function decoded(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new InputError(notUtf8(bytes, source));
  }
}

/** Where the first byte is that UTF-8 does not have there, and what the word around it would be in Windows-1252. */
function notUtf8(bytes: Uint8Array, source: string): string {
  const at = firstWrong(bytes);
  const line = bytes.subarray(0, at).reduce((count, byte) => count + Number(byte === 0x0a), 1);
  const windows = new TextDecoder("windows-1252");
  const before = /[^\s,;"]*$/.exec(windows.decode(bytes.subarray(Math.max(0, at - 20), at)))![0];
  const after = /^[^\s,;"]*/.exec(windows.decode(bytes.subarray(at, at + 20)))![0];
  const word = `${before}${after}`;
  const looks = /^[\p{L}\p{M}'’.-]+$/u.test(word)
    ? ` It looks like Windows-1252 (Latin-1), in which the word there is "${word}".`
    : "";
  return `${source} is not a text in UTF-8: line ${line} has the byte 0x${bytes[at].toString(16)}.${looks} Save it in UTF-8.`;
}

function firstWrong(bytes: Uint8Array): number {
  let [low, high] = [0, bytes.length];
  // The longest beginning that decodes; a character cut in two is no mistake there.
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, middle), { stream: true });
      low = middle;
    } catch {
      high = middle;
    }
  }
  // It may be the next one that shows that it has no place there; the first byte of all is ASCII or wrong itself.
  return bytes[low] < 0x80 ? low - 1 : low;
}
