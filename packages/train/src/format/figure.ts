// A number for a reader, in sentences and in tables.

/**
 * Three decimals, two digits of smaller numbers, five of larger ones. A number that is negligible beside its unit is 0, without a sign.
 */
export function figure(x: number, unit = 1): string {
  const size = Math.abs(x);
  if (size < 5e-5 * unit) return "0.000";
  if (size < 5e-3) return String(Number(x.toPrecision(2)));
  return size < 100 ? x.toFixed(3) : large(Number(x.toPrecision(5)));
}

/** One number beside another: with as many decimals as tell how far it is from it, where those of `shown` do not. */
export function beside(x: number, other: number, shown: string, unit = 1): string {
  const apart = Math.abs(x - other);
  const hidden = Math.abs(Number(shown.replaceAll(",", "")) - x);
  if (!(apart >= 5e-5 * unit) || hidden <= apart / 10) return shown;
  const digits = Math.min(20, Math.max(0, 1 - Math.floor(Math.log10(apart))));
  return x.toLocaleString("en", {
    maximumFractionDigits: digits,
    useGrouping: Math.abs(x) >= 1000,
  });
}

/** Three decimals, as numbers stand in tables, or five digits of what is large. */
export const plain = (x: number): string => (Math.abs(x) < 100 ? x.toFixed(3) : figure(x));

/** As it is, thousands apart. */
export const large = (x: number): string =>
  Math.abs(x) < 1000 ? String(x) : x.toLocaleString("en", { maximumFractionDigits: 2 });

/** For a share. */
export const percent = (share: number): string =>
  share === 0 ? "–" : share < 0.001 ? "<0.1%" : `${(100 * share).toFixed(1)}%`;

/** In two digits. */
export const amount = (x: number): string => String(Number(x.toPrecision(2)));

/** A requirement's name in a sentence. */
export const quoted = (name: string): string => `"${name}"`;

/** `a, b and c`. */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
