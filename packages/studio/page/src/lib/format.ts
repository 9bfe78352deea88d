// Numbers, times and sizes as a reader likes them.

const minus = (text: string): string => text.replace("-", "−");

/** Four digits; what is nothing to a reader is 0. */
export function number(x: number | null | undefined, digits = 4): string {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (Math.abs(x) < 1e-6) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-3) return minus(x.toExponential(1).replace(".0", ""));
  if (size >= 1000) return minus(Math.round(x).toLocaleString("en"));
  return minus(String(Number(x.toPrecision(digits))));
}

export const signed = (x: number, digits = 3): string =>
  x > 1e-6 ? `+${number(x, digits)}` : number(x, digits);

export const level = (x: number | readonly number[], digits = 4): string =>
  [x]
    .flat()
    .map((y) => number(y, digits))
    .join(" and ");

/** Accuracies are shares in some runs, percent in others; a reader sees percent. */
export const percentOf = (x: number): string => `${(x > 1.5 ? x : 100 * x).toFixed(2)}%`;

export const whole = (x: number | null): string => (x === null ? "–" : Math.round(x).toLocaleString("en"));

export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(n) / 3));
  return `${(n / 1000 ** power).toPrecision(3).replace(/\.0+$/, "")} ${units[power - 1]}`;
}

const spans: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** "3 hr. ago". */
export function ago(time: string | number | null, now: number): string {
  const at = time === null ? Number.NaN : new Date(time).getTime();
  if (Number.isNaN(at)) return "–";
  const seconds = (at - now) / 1000;
  for (const [unit, span] of spans)
    if (Math.abs(seconds) >= span) return relative.format(Math.round(seconds / span), unit);
  return "just now";
}

const full = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
export const date = (time: string | number | null): string => {
  const at = time === null ? Number.NaN : new Date(time).getTime();
  return Number.isNaN(at) ? "–" : full.format(at);
};

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
