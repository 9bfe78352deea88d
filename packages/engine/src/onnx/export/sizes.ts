// Sizes known only when a model runs. Shapes are static while tracing, so a function with dynamic axes is traced several
// times with different sizes, and a number that came out differently is read back as scale · (product of axes) + offset.

export interface DynamicAxis {
  readonly name: string;
  /** Where a running model reads its size: an axis of one of its inputs. */
  readonly input: string;
  readonly position: number;
}

/** scale · Π factors + offset */
export interface Size {
  readonly factors: readonly DynamicAxis[];
  readonly scale: number;
  readonly offset: number;
}

/** Sizes differ from each other in every run, and no product of two is a third. */
function primes(from: number, count: number): number[] {
  const list: number[] = [];
  for (let n = from; list.length < count; n++) {
    let d = 2;
    while (d * d <= n && n % d !== 0) d++;
    if (d * d > n) list.push(n);
  }
  return list;
}

export class Sizes {
  readonly axes: readonly DynamicAxis[];
  /**
   * The size of each axis in each run: small ones, then each axis in turn with another size, which shows what depends
   * on it, then large ones, which show what happens only beyond some size (`x.slice([[0, 100]])`), the last of them
   * even, which shows what is rounded (every second row).
   */
  readonly runs: readonly (readonly number[])[];

  constructor(axes: readonly DynamicAxis[]) {
    this.axes = axes;
    const n = axes.length;
    const small = primes(3, 2 * n);
    const first = small.slice(0, n);
    const other = (k: number) => first.map((size, i) => (i === k ? small[n + k] : size));
    this.runs =
      n === 0
        ? [[]]
        : [first, ...axes.map((_, k) => other(k)), primes(257, n), primes(131, n).map((p) => 2 * p)];
  }

  sizeIn(run: number, name: string): number {
    return this.runs[run][this.axes.findIndex((axis) => axis.name === name)];
  }

  /** Whether a number found in each run depends on an axis. */
  depends(values: readonly number[], axis: DynamicAxis): boolean {
    return values[0] !== values[1 + this.axes.indexOf(axis)];
  }

  /** How a number found in each run follows from the axes, if it does in this way. */
  read(values: readonly number[]): Size | undefined {
    const factors = this.axes.filter((axis) => this.depends(values, axis));
    if (factors.length === 0) {
      return values.every((v) => Object.is(v, values[0]))
        ? { factors, scale: 0, offset: values[0] }
        : undefined;
    }
    const products = this.runs.map((sizes) =>
      factors.reduce((n, axis) => n * sizes[this.axes.indexOf(axis)], 1),
    );
    const moved = 1 + this.axes.indexOf(factors[0]);
    const scale = (values[moved] - values[0]) / (products[moved] - products[0]);
    const offset = values[0] - scale * products[0];
    const whole = Number.isInteger(scale) && Number.isInteger(offset);
    const holds = whole && values.every((v, k) => v === scale * products[k] + offset);
    return holds ? { factors, scale, offset } : undefined;
  }

  /** The sizes of a run, as in "batch = 3". */
  describe(run: number): string {
    return this.axes.map(({ name }, i) => `${name} = ${this.runs[run][i]}`).join(", ");
  }
}

/** A size as text: `batch`, `2*batch`, `batch*tokens+1`. */
export function showSize({ factors, scale, offset }: Size): string {
  if (factors.length === 0) return String(offset);
  const product = factors.map(({ name }) => name).join("*");
  const scaled = scale === 1 ? product : `${scale}*${product}`;
  return offset === 0 ? scaled : `${scaled}${offset > 0 ? "+" : ""}${offset}`;
}
