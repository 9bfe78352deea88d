// How far values are from where an operation decides otherwise: from a threshold, from each other, from second place.
import { evaluate, type NdArray, type PoolOptions, type Tensor } from "@pliant/engine";
import { constant } from "../../src/tensor.js";

const least = (values: Iterable<number>): number => {
  let m = Infinity;
  for (const v of values) m = Math.min(m, v);
  return m;
};

export const fromZero = ({ data }: NdArray): number => least([...data].map(Math.abs));

/** From the nearest whole number, of the values or of something made of them. */
export function fromIntegers(x: NdArray, of: (x: Tensor) => Tensor = (t) => t): number {
  const { data } = evaluate(of(constant(x))) as NdArray;
  return least([...data].map((v) => Math.abs(v - Math.round(v))));
}

/** From the other operand's values, where the two broadcast. */
export const apart = (a: NdArray, b: NdArray): number =>
  fromZero(evaluate(constant(a).sub(constant(b))) as NdArray);

/** By how much the first exceeds the second, the least over all groups. */
const leads = (groups: Iterable<readonly number[]>): number => {
  let m = Infinity;
  for (const group of groups) {
    const [first, second = -Infinity] = [...group].sort((x, y) => y - x);
    m = Math.min(m, first - second);
  }
  return m;
};

/** By how much the extreme along some axes exceeds, or lies below, the next. */
export function lead(x: NdArray, axes: readonly number[], of: "max" | "min"): number {
  const rank = x.shape.length;
  const reduced = axes.map((a) => (a + rank) % rank);
  const kept = x.shape.map((_, a) => a).filter((a) => !reduced.includes(a));
  const n = reduced.reduce((m, a) => m * x.shape[a], 1);
  const signed = of === "max" ? constant(x) : constant(x).neg();
  const { data } = evaluate(signed.transpose([...kept, ...reduced])) as NdArray;
  const rows = Array.from({ length: data.length / n }, (_, r) => [...data.subarray(r * n, (r + 1) * n)]);
  return leads(rows);
}

/** How far the nearest two along an axis are apart. */
export function spread(x: NdArray, axis: number): number {
  const last = constant(x).transpose([
    ...x.shape.map((_, a) => a).filter((a) => a !== (axis + x.shape.length) % x.shape.length),
    (axis + x.shape.length) % x.shape.length,
  ]);
  const n = last.shape[last.rank - 1];
  const { data } = evaluate(last) as NdArray;
  const rows = Array.from({ length: data.length / n }, (_, r) =>
    [...data.subarray(r * n, (r + 1) * n)].sort((a, b) => a - b),
  );
  return least(rows.flatMap((row) => row.slice(1).map((v, i) => v - row[i])));
}

/** By how much the largest value of each pooling window exceeds the next. */
export function windowLead({ data, shape }: NdArray, { window, stride, padding = 0 }: PoolOptions): number {
  const pair = (v: number | readonly [number, number]) => (typeof v === "number" ? [v, v] : v);
  const [[kh, kw], [sh, sw], [ph, pw]] = [pair(window), pair(stride ?? window), pair(padding)];
  const [h, w] = shape.slice(-2);
  const groups: number[][] = [];
  for (let plane = 0; plane < data.length; plane += h * w) {
    for (let top = -ph; top + kh <= h + ph; top += sh) {
      for (let left = -pw; left + kw <= w + pw; left += sw) {
        const group: number[] = [];
        for (let i = Math.max(top, 0); i < Math.min(top + kh, h); i++) {
          for (let j = Math.max(left, 0); j < Math.min(left + kw, w); j++)
            group.push(data[plane + i * w + j]);
        }
        groups.push(group);
      }
    }
  }
  return leads(groups);
}
