// Ranges of axes that runs are kept by: a run that lies outside one of them is left out.

export interface Brush {
  readonly axis: string;
  readonly from: number;
  readonly to: number;
}

export interface Axis {
  readonly name: string;
  /** One for each run; null where it has none. */
  readonly values: readonly (number | null)[];
}

/** As it stands in the address: the axis last, as its name may have any sign. */
export const brushText = ({ axis, from, to }: Brush): string => `${from}~${to}~${axis}`;

/** Undefined where it is none. */
export function brushFrom(text: string): Brush | undefined {
  const [, low, high, axis] = /^([^~]+)~([^~]+)~(.+)$/s.exec(text) ?? [];
  const [from, to] = [Number(low), Number(high)];
  return axis !== undefined && Number.isFinite(from) && Number.isFinite(to) && from <= to
    ? { axis, from, to }
    : undefined;
}

/** A run is kept that lies within every range; one without the number lies within none. */
export function within(axes: readonly Axis[], brushes: readonly Brush[], run: number): boolean {
  return brushes.every(({ axis, from, to }) => {
    const found = axes.find(({ name }) => name === axis);
    // An axis that is not there keeps nobody out.
    if (!found) return true;
    const value = found.values[run];
    return value !== null && value >= from && value <= to;
  });
}
