// Operations made of others on numbers where they are smooth: cases for finite differences, jvp and vmap, drawn by the same calls
// that the fuzzer makes. The first of some ranges in which all is finite is taken.
import {
  type DType,
  evaluate,
  grad,
  type NdArray,
  type Shape,
  ShapeError,
  type Tensor,
} from "@pliant/engine";
import { constant } from "../../src/tensor.js";
import { type Case, real, whole } from "../operations.js";
import { Draw, type Fits } from "./draw.js";
import { calls, isPrimitive } from "./index.js";

/** Draws new inputs only, mostly real ones and none of them empty. */
class SmoothDraw extends Draw {
  override real: DType = "float64";

  override shape(rank = this.pick(3)): Shape {
    return Array.from({ length: rank }, () => 2 + this.pick(2));
  }

  override find(dtype: DType, fits: Fits = () => true, shape: Shape = this.shape()): Tensor {
    const made = this.fresh(shape, dtype);
    if (!fits(made)) throw new ShapeError("draw", "does not fit");
    return made;
  }

  override number(fits?: Fits, shape?: Shape): Tensor {
    return this.float(fits, shape);
  }

  override any(fits?: Fits, shape?: Shape): Tensor {
    return this.float(fits, shape);
  }
}

const ranges = [
  [-2, 2],
  [-0.9, 0.9],
  [0.1, 2],
  [1.1, 3],
] as const;

const allFinite = ({ data }: NdArray): boolean => data.every((v: number) => Number.isFinite(v));
const isReal = ({ dtype }: { dtype: DType }): boolean => dtype.startsWith("float");

/** A case in which the value and its gradient are finite; undefined where the draw does not fit. */
function caseOf(name: string, seed: number): Case | undefined {
  const draw = new SmoothDraw(seed);
  try {
    calls[name](draw);
  } catch (reason) {
    if (reason instanceof ShapeError) return undefined;
    throw reason;
  }
  const fn = (...inputs: Tensor[]): Tensor => calls[name](new SmoothDraw(seed, inputs));
  for (const [low, high] of ranges) {
    const inputs = draw.inputs.map(({ shape, dtype }) => {
      if (isReal({ dtype })) return real(shape, low, high);
      return dtype === "int32" ? whole(shape, 0, 3) : truth(shape);
    });
    const value = evaluate(fn(...inputs.map(constant))) as NdArray;
    if (value.size === 0) return undefined;
    if (!isReal(value)) return { name: `${name}, draw ${seed}`, inputs, fn };
    const slopes = grad((xs: Tensor[]) => {
      let next = 0;
      return fn(...inputs.map((x) => (isReal(x) ? xs[next++] : constant(x)))).sum();
    })(inputs.filter(isReal) as never);
    const finite = (slopes as unknown as Tensor[]).every((g) => allFinite(evaluate(g) as NdArray));
    if (finite && allFinite(value)) return { name: `${name}, draw ${seed}`, inputs, fn };
  }
  return undefined;
}

const truth = (shape: Shape): NdArray => evaluate(constant(whole(shape, 0, 2)).cast("bool")) as NdArray;

/** Two for each operation. */
export const derivedCases: readonly Case[] = Object.keys(calls)
  .filter((name) => !isPrimitive(name))
  .flatMap((name) => {
    const found: Case[] = [];
    for (let seed = 1; seed < 40 && found.length < 2; seed++) {
      const one = caseOf(name, seed);
      if (one) found.push(one);
    }
    return found;
  });
