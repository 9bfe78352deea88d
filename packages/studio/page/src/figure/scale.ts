// From numbers to places on a figure, and the round numbers to mark on an axis.

export interface Scale {
  (x: number): number;
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
}

/** Round steps: 1, 2 or 5 times a power of ten. */
export function ticksOf([low, high]: readonly [number, number], count = 5): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999) as number;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Marks of what is counted: half a client is none. */
export const wholeTicks = (domain: readonly [number, number]): number[] =>
  ticksOf(domain).filter(Number.isInteger);

export function linearScale(
  domain: readonly [number, number],
  [start, end]: readonly [number, number],
  count?: number,
): Scale {
  const span = domain[1] - domain[0] || 1;
  const scale = (x: number) => start + ((x - domain[0]) / span) * (end - start);
  return Object.assign(scale, { domain, ticks: ticksOf(domain, count) });
}

/** Powers of ten, with 2 and 5 between where there are few. */
export function logScale(domain: readonly [number, number], [start, end]: readonly [number, number]): Scale {
  const [low, high] = domain.map(Math.log10);
  const span = high - low || 1;
  const scale = (x: number) => start + ((Math.log10(x) - low) / span) * (end - start);
  const marks = span > 2.5 ? [1] : [1, 2, 5];
  const powers = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, i) => Math.floor(low) + i);
  const ticks = powers
    .flatMap((p) => marks.map((m) => Number((m * 10 ** p).toPrecision(6))))
    .filter((x) => x >= domain[0] * 0.999 && x <= domain[1] * 1.001);
  return Object.assign(scale, { domain, ticks });
}

/** The least and the greatest of some numbers, those that are none left out. */
export function extent(...lists: readonly ArrayLike<number | null>[]): [number, number] | undefined {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists)
    for (let i = 0; i < list.length; i++) {
      const x = list[i];
      if (x === null || !Number.isFinite(x)) continue;
      if (x < low) low = x;
      if (x > high) high = x;
    }
  return low <= high ? [low, high] : undefined;
}

/** A domain with some air around it, wide enough to be drawn. */
export function roomy([low, high]: readonly [number, number], air = 0.06): [number, number] {
  const span = high - low || Math.abs(high) * 0.2 || 1;
  return [low - air * span, high + air * span];
}

/** "M1 2L3 4": a line through points. */
export const pathThrough = (points: readonly (readonly [number, number])[]): string =>
  points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(2)} ${y.toFixed(2)}`).join("");
