// Grows a random program step by step while its values are worked out in float64. A step that decides something (a
// comparison, floor, a maximum) is taken only where no value lies within `clearance` of the decision, or where every
// back end has the operands to the last bit, so that exact ties are compared too. Large values are squashed.
import { type Data, type DType, evaluate, NdArray, random, type Shape, type Tensor } from "@pliant/engine";
import { constant } from "../../src/tensor.js";
import { Picks } from "../picks.js";

export type Fn = (inputs: Tensor[], real: DType) => Tensor;

type Fits = (value: NdArray) => boolean;

/** A way to go on: `add` answers false where it would decide something on values too near the decision. */
export interface RandomStep {
  readonly name: string;
  add(b: Builder): boolean;
}

/** An input has a value; a step has operands, by number, and what it does with them. */
export interface Node {
  readonly name: string;
  readonly args: readonly number[];
  readonly fn?: Fn;
  /** In float64, int32 or bool; exactly representable in float32 if it is an input. */
  readonly value: NdArray;
  /** Every back end has this value to the last bit. */
  readonly exact: boolean;
}

/** Values of so many axes. */
export const ranked =
  (low: number, high = 5): Fits =>
  ({ shape }) =>
    shape.length >= low && shape.length <= high;

export const isReal = ({ dtype }: { dtype: DType }): boolean => dtype === "float32" || dtype === "float64";

/** No decision is taken on values nearer to it than this. */
export const clearance = 1e-3;
const largest = 4;
const mostElements = 160;

/** Grows a program; all its choices follow from the seeds it is given. */
export class Builder extends Picks {
  readonly nodes: Node[] = [];
  readonly operations: string[] = [];
  avoided = 0;
  tied = false;
  private readonly limit: number;
  private readonly used = new Set<number>();
  /** Values too large, or of too many elements, for more than the step that bounds them. */
  private readonly unbounded = new Set<number>();

  constructor(limit: number) {
    super();
    this.limit = limit;
  }

  get full(): boolean {
    return this.operations.length >= this.limit;
  }

  value(i: number): NdArray {
    return this.nodes[i].value;
  }

  shape(i: number): Shape {
    return this.nodes[i].value.shape;
  }

  /** True where the operands are exact or at least `clearance` away from the decision. */
  clear(args: readonly number[], distance: () => number): boolean {
    if (distance() > clearance) return true;
    const exact = args.every((i) => this.nodes[i].exact);
    if (!exact) this.avoided++;
    else if (args.some((i) => isReal(this.nodes[i].value))) this.tied = true;
    return exact;
  }

  input(value: NdArray): number {
    this.nodes.push({ name: "input", args: [], value, exact: true });
    return this.nodes.length - 1;
  }

  /** Real numbers, spread out and distinct, or multiples of 1/4 among which many are equal. */
  newReal(shape: Shape, low = -2, high = 2): number {
    const key = random.foldIn(random.key(this.pick(2 ** 32)), this.nodes.length);
    const { data } = random.uniform(key, shape, { low, high, dtype: "float64" });
    const coarse = this.chance(3);
    return this.input(
      new NdArray(
        Float64Array.from(data, (v) => (coarse ? Math.round(4 * v) / 4 : Math.fround(v))),
        shape,
      ),
    );
  }

  newWhole(shape: Shape, low: number, high: number): number {
    return this.input(random.randint(random.key(this.pick(2 ** 32)), shape, low, high));
  }

  newTruth(shape: Shape): number {
    return this.input(random.bernoulli(random.key(this.pick(2 ** 32)), shape, 0.5));
  }

  new(shape: Shape, dtype: DType): number {
    if (dtype === "int32") return this.newWhole(shape, -5, 6);
    return dtype === "bool" ? this.newTruth(shape) : this.newReal(shape);
  }

  someShape(rank = this.pick(4)): Shape {
    return Array.from({ length: rank }, () => 1 + this.pick(5));
  }

  /** One of the values that fit, the latest and those nothing has used yet more often than others. */
  existing(fits: Fits): number | undefined {
    const found = [...this.nodes.keys()].filter((i) => !this.unbounded.has(i) && fits(this.nodes[i].value));
    if (found.length === 0) return undefined;
    const fresh = found.filter((i) => !this.used.has(i));
    if (fresh.length > 0 && !this.chance(3)) return fresh[fresh.length - 1];
    return this.among(found);
  }

  private found(dtype: DType, fits: Fits = () => true, shape = this.someShape()): number {
    return this.existing((v) => v.dtype === dtype && fits(v)) ?? this.new(shape, dtype);
  }

  /** A real value that fits, or a new input of the given shape. */
  real(fits?: Fits, shape?: Shape): number {
    return this.found("float64", fits, shape);
  }

  whole(fits?: Fits, shape?: Shape): number {
    return this.found("int32", fits, shape);
  }

  truth(fits?: Fits, shape?: Shape): number {
    return this.found("bool", fits, shape);
  }

  /** A real value, sometimes a whole one. */
  number(fits?: Fits, shape?: Shape): number {
    return this.chance(5) ? this.whole(fits, shape) : this.real(fits, shape);
  }

  /** Anything, mostly real. */
  any(fits?: Fits, shape?: Shape): number {
    return this.chance(6) ? this.truth(fits, shape) : this.number(fits, shape);
  }

  /** One axis of a value, counted from the front or from the back. */
  axis(i: number): number {
    const rank = this.shape(i).length;
    return this.pick(rank) - (this.chance(3) ? rank : 0);
  }

  /** Some axes of a value, at least one. */
  axes(i: number): number[] {
    const all = this.shape(i).map((_, a) => a);
    const some = all.filter(() => this.chance(2));
    return some.length > 0 ? some : all;
  }

  /** A value of exactly this shape: one there is, or a new input. */
  like(shape: Shape, dtype: DType): number {
    const same = (v: NdArray) => v.dtype === dtype && v.shape.join() === shape.join();
    return (this.chance(2) ? this.existing(same) : undefined) ?? this.new(shape, dtype);
  }

  /** A value that broadcasts against one of this shape. */
  partner(shape: Shape, dtype: DType): number {
    const fits = (v: NdArray) => v.dtype === dtype && broadcasts(v.shape, shape);
    const found = this.chance(2) ? this.existing(fits) : undefined;
    if (found !== undefined) return found;
    const cut = shape.slice(this.pick(shape.length + 1));
    return this.new(
      cut.map((d) => (this.chance(3) ? 1 : d)),
      dtype,
    );
  }

  /** Adds a step, and what keeps its values small. Answers with the number of the value it made. */
  step(name: string, args: readonly number[], fn: Fn, { exact = false }: { exact?: boolean } = {}): number {
    const operands = args.map((i) => constant(this.nodes[i].value));
    const value = evaluate(fn(operands, "float64")) as NdArray;
    if (!value.data.every(Number.isFinite)) throw new Error(`${name} is not finite here`);
    for (const i of args) this.used.add(i);
    const all = args.every((i) => this.nodes[i].exact);
    this.nodes.push({ name, args, fn, value, exact: (exact && all) || !isReal(value) });
    this.operations.push(name);
    return this.bounded(this.nodes.length - 1);
  }

  /** The value, or it made smaller: fewer elements, smaller numbers. */
  private bounded(i: number): number {
    const { data, shape, dtype } = this.nodes[i].value;
    const top = largestOf(data);
    const within = top <= (dtype === "int32" ? 50 : largest);
    if (within && data.length <= mostElements) return i;
    this.unbounded.add(i);
    if (data.length > mostElements) {
      const axis = shape.indexOf(Math.max(...shape));
      const half = shape.map((d, k) => (k === axis ? [0, Math.ceil(d / 2)] : []));
      return this.step("slice", [i], ([x]) => x.slice(half), { exact: true });
    }
    if (dtype === "int32") return this.step("clip", [i], ([x]) => x.clip(-9, 9));
    if (top > 8 * largest) {
      const scale = 2 ** -Math.ceil(Math.log2(top / largest));
      return this.step("mul", [i], ([x]) => x.mul(scale), { exact: true });
    }
    const squash = this.among(["tanh", "sin", "sigmoid"] as const);
    return this.step(squash, [i], ([x]) => x[squash]());
  }
}

export function largestOf(data: Data): number {
  let top = 0;
  for (const v of data) top = Math.max(top, Math.abs(v));
  return top;
}

/** Whether two shapes broadcast, to a result that is not too large. */
const broadcasts = (a: Shape, b: Shape): boolean => {
  const rank = Math.max(a.length, b.length);
  let size = 1;
  for (let i = 1; i <= rank; i++) {
    const [da, db] = [a[a.length - i] ?? 1, b[b.length - i] ?? 1];
    if (da !== db && da !== 1 && db !== 1) return false;
    size *= Math.max(da, db);
  }
  return size <= mostElements;
};
