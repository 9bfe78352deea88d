// A column as it was read: the place of each cell among the different texts of the column.

export interface Texts {
  /** Indices into `texts`; −1 where there is nothing. */
  readonly codes: Int32Array;
  /** Without the spaces around them, in the order of the rows. */
  readonly texts: readonly string[];
}

export function textsOf(cells: readonly string[]): Texts {
  const found = new Map<string, number>();
  const codes = Int32Array.from(cells, (cell) => placeOf(found, cell));
  return merged({ codes, texts: [...found.keys()] });
}

/** The place of a text among those found, where a new one goes last. */
export function placeOf(found: Map<string, number>, text: string): number {
  const known = found.get(text);
  if (known !== undefined) return known;
  found.set(text, found.size);
  return found.size - 1;
}

/** Texts that differ by the spaces around them are one. */
export function merged({ codes, texts }: Texts): Texts {
  const trimmed = texts.map((text) => text.trim());
  if (trimmed.every((text, i) => text === texts[i])) return { codes, texts };
  const found = new Map<string, number>();
  const places = trimmed.map((text) => placeOf(found, text));
  return { codes: codes.map((code) => (code < 0 ? code : places[code])), texts: [...found.keys()] };
}

/** By text: how many cells have it, and the first row of them. */
export function counted({ codes, texts }: Texts): { counts: Int32Array; firsts: Int32Array } {
  const counts = new Int32Array(texts.length);
  const firsts = new Int32Array(texts.length).fill(-1);
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row];
    if (code < 0) continue;
    if (counts[code] === 0) firsts[code] = row;
    counts[code]++;
  }
  return { counts, firsts };
}
