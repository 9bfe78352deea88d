// Numbers, times and sizes as a reader likes them. Made by hand: the browser's own ways are many languages', and to be made ready take it as
// long as half of the list.

const minus = (text: string): string => text.replaceAll("-", "−");

/** Four digits; what is nothing to a reader is 0. */
export const number = (x: number | null | undefined, digits = 4, nothing = 1e-6): string =>
  typeof x === "number" && Math.abs(x) < nothing ? "0" : fine(x, digits);

/** However small: of what is measured against a tolerance. */
export function fine(x: number | null | undefined, digits = 4): string {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6) return minus(x.toExponential(digits - 1).replace(/\.?0+e/, "e"));
  // As it is after rounding: 9.99e-4 is 0.001.
  if (Number(size.toExponential(1)) < 1e-3) return minus(x.toExponential(1).replace(".0", ""));
  if (size >= 1000) return minus(whole(x));
  return minus(String(Number(x.toPrecision(digits))));
}

export const signed = (x: number, digits = 3): string =>
  x > 1e-6 ? `+${number(x, digits)}` : number(x, digits);

/** The mark at a place of an axis: on one that is linear, what is nothing beside its other marks is 0. */
export const mark = (at: number, ticks: readonly number[], logarithmic = false): string =>
  logarithmic ? fine(at) : number(at, 4, 1e-6 * Math.max(...ticks.map(Math.abs)));

/** As it was asked for, however small. */
export const level = (x: number | readonly number[], digits = 4): string =>
  [x]
    .flat()
    .map((y) => fine(y, digits))
    .join(" and ");

/** Three digits of what is held against a level; what is nothing beside that too is 0. */
export const held = (x: number, against: number | readonly number[]): string => {
  const size = Math.max(...[against].flat().map(Math.abs));
  return number(x, 3, size > 0 ? Math.min(1e-6, 1e-4 * size) : undefined);
};

export const percentOf = (share: number): string => `${(100 * share).toFixed(2)}%`;

/** The paper's experiments report accuracies in percent, everything else as shares: no size of a number tells which. */
export const accuracyWords = (accuracy: number, kind: unknown): string =>
  percentOf(kind === "invariance" || kind === "federated" ? accuracy / 100 : accuracy);

/** 1,234,567. */
export const whole = (x: number | null): string =>
  x === null ? "–" : String(Math.round(x)).replace(/\B(?=(\d{3})+$)/g, ",");

export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(n) / 3));
  return `${(n / 1000 ** power).toPrecision(3).replace(/\.0+$/, "")} ${units[power - 1]}`;
}

const spans = [
  ["yr.", 31_536_000, "last yr."],
  ["mo.", 2_592_000, "last mo."],
  ["day", 86_400, "yesterday"],
  ["hr.", 3600, "1 hr. ago"],
  ["min.", 60, "1 min. ago"],
] as const;

/** "3 hr. ago". */
export function ago(time: string | number | null, now: number): string {
  const at = time === null ? Number.NaN : new Date(time).getTime();
  if (Number.isNaN(at)) return "–";
  const seconds = (now - at) / 1000;
  for (const [unit, span, one] of spans) {
    if (Math.abs(seconds) < span) continue;
    const count = Math.round(Math.abs(seconds) / span);
    const many = `${count} ${unit}${unit === "day" && count > 1 ? "s" : ""}`;
    return seconds < 0 ? `in ${many}` : count === 1 ? one : `${many} ago`;
  }
  return "just now";
}

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** "Nov 16, 2026, 6:05 AM", where the reader is. */
export function date(time: string | number | null): string {
  const at = new Date(time ?? Number.NaN);
  if (Number.isNaN(at.getTime())) return "–";
  const [hours, minutes] = [at.getHours(), String(at.getMinutes()).padStart(2, "0")];
  const clock = `${hours % 12 || 12}:${minutes} ${hours < 12 ? "AM" : "PM"}`;
  return `${months[at.getMonth()]} ${at.getDate()}, ${at.getFullYear()}, ${clock}`;
}

export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** testAccuracy → test accuracy. */
export const words = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_-]/g, " ")
    .toLowerCase();
