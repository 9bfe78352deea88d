// From values to places on the page, and the round numbers to mark there.

export interface Axis {
  readonly label?: string;
  readonly scale?: "linear" | "log";
  /** First and last value; a value that is left out comes from the data, widened to round numbers. */
  readonly domain?: readonly [number | undefined, number | undefined];
  readonly ticks?: readonly number[];
  readonly format?: (value: number) => string;
  /** Names instead of numbers: value i is the middle of name i. */
  readonly categories?: readonly string[];
}

export interface Scale {
  (value: number): number;
  readonly ticks: readonly { at: number; text: string }[];
}

/** A scale that takes the values of an axis to the pixels from `start` to `end`. */
export function scaleOf(axis: Axis, values: readonly number[], start: number, end: number): Scale {
  if (axis.categories) {
    const { categories } = axis;
    const place = (value: number) => start + ((value + 0.5) / categories.length) * (end - start);
    return Object.assign(place, { ticks: categories.map((text, at) => ({ at, text })) });
  }
  const log = axis.scale === "log";
  const usable = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
  const [low, high] = domain(axis, usable, log);
  const along = log ? Math.log : (value: number) => value;
  const place = (value: number) =>
    start + ((along(value) - along(low)) / (along(high) - along(low))) * (end - start);
  const marks = axis.ticks ?? (log ? logTicks(low, high) : linearTicks(low, high));
  const format = axis.format ?? ((value) => shortest(value));
  const within = marks.filter((at) => at >= low - 1e-9 * (high - low) && at <= high + 1e-9 * (high - low));
  return Object.assign(place, { ticks: within.map((at) => ({ at, text: format(at) })) });
}

function domain(axis: Axis, values: readonly number[], log: boolean): [number, number] {
  const data: [number, number] =
    values.length > 0 ? [Math.min(...values), Math.max(...values)] : log ? [1, 10] : [0, 1];
  let [low, high] = [axis.domain?.[0] ?? data[0], axis.domain?.[1] ?? data[1]];
  if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
  const fixed = [axis.domain?.[0] !== undefined, axis.domain?.[1] !== undefined];
  if (log) return [fixed[0] ? low : low / 1.15, fixed[1] ? high : high * 1.15];
  const step = roundStep(high - low);
  return [
    fixed[0] ? low : Math.floor(low / step + 1e-9) * step,
    fixed[1] ? high : Math.ceil(high / step - 1e-9) * step,
  ];
}

/** The step of 1, 2 or 5 times a power of ten that divides a span into about five. */
function roundStep(span: number): number {
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((multiple) => multiple * power >= rough * 0.99) ?? 10);
}

function linearTicks(low: number, high: number): number[] {
  const step = roundStep(high - low);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

function logTicks(low: number, high: number): number[] {
  const decades = Math.log10(high / low);
  const multiples = decades > 3 ? [1] : decades > 1.5 ? [1, 3] : [1, 2, 5];
  const first = Math.floor(Math.log10(low));
  const count = Math.ceil(Math.log10(high)) - first + 1;
  return Array.from({ length: count }, (_, i) => multiples.map((m) => m * 10 ** (first + i))).flat();
}

const shortest = (value: number): string =>
  value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-4)
    ? value.toExponential(0)
    : String(Number(value.toPrecision(6)));
