// Values of a column that differ by case or blanks alone: as they are written they count as different ones.
import type { CategoryColumn } from "@pliant/data";

const plainly = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/\s+/g, "");

/** Values that are rather one, each with how many rows have it, the commonest first. */
export function spellingsIn({ codes, categories }: CategoryColumn): (readonly [string, number])[][] {
  const counts = new Int32Array(categories.length);
  for (const code of codes) if (code >= 0) counts[code]++;
  const alike = new Map<string, [string, number][]>();
  for (const [code, text] of categories.entries()) {
    if (counts[code] === 0) continue;
    const key = plainly(text);
    const known = alike.get(key);
    if (known) known.push([text, counts[code]]);
    else alike.set(key, [[text, counts[code]]]);
  }
  return [...alike.values()]
    .filter(({ length }) => length > 1)
    .map((list) => list.sort((a, b) => b[1] - a[1]));
}
