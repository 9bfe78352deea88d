// Random choices, all from one seed, and the operands a random program takes: a value made before, or a new input.
import type { DType, NdArray, Shape, Tensor } from "@pliant/engine";
import { input } from "../../src/tensor.js";
import { filled, specials } from "../edges/values.js";
import { Picks } from "../picks.js";

export type Fits = (x: Tensor) => boolean;

/** A way to call an operation, on operands that it draws. */
export type Call = (d: Draw) => Tensor;

/** Tensors of so many axes. */
export const ranked =
  (low: number, high = 5): Fits =>
  (x) =>
    x.rank >= low && x.rank <= high;

export class Draw extends Picks {
  /** The inputs asked for so far. */
  readonly inputs: Tensor[] = [];
  readonly pool: Tensor[] = [];
  real: DType;
  protected readonly given?: readonly Tensor[];

  /** Given inputs are handed out in the order in which new ones were made with the same seed. */
  constructor(seed: number, given?: readonly Tensor[]) {
    super(seed);
    this.given = given;
    this.real = this.chance(3) ? "float64" : "float32";
  }

  /** One size in nine is 0. */
  shape(rank = this.pick(4)): Shape {
    return Array.from({ length: rank }, () => (this.chance(9) ? 0 : 1 + this.pick(5)));
  }

  fresh(shape: Shape, dtype: DType): Tensor {
    const made = this.given?.[this.inputs.length] ?? input(`x${this.inputs.length}`, { shape, dtype });
    this.inputs.push(made);
    this.pool.push(made);
    return made;
  }

  /** A value that fits, more often a late one, or a new input. */
  find(dtype: DType, fits: Fits = () => true, shape?: Shape): Tensor {
    const found = this.pool.filter((x) => x.dtype === dtype && fits(x));
    // Drawn whether or not it is needed, so that the same seed gives the same choices.
    const [late, any] = [this.chance(2), this.pick(1024)];
    if (found.length > 0 && !this.chance(4))
      return late ? found[found.length - 1] : found[any % found.length];
    return this.fresh(shape ?? this.shape(), dtype);
  }

  float(fits?: Fits, shape?: Shape): Tensor {
    return this.find(this.real, fits, shape);
  }

  /** A number: mostly a float. */
  number(fits?: Fits, shape?: Shape): Tensor {
    return this.find(this.chance(4) ? "int32" : this.real, fits, shape);
  }

  any(fits?: Fits, shape?: Shape): Tensor {
    return this.chance(6) ? this.find("bool", fits, shape) : this.number(fits, shape);
  }

  /** A value that broadcasts against one of this shape. */
  partner({ shape, dtype }: Tensor): Tensor {
    const cut = shape.slice(this.pick(shape.length + 1)).map((d) => (this.chance(4) ? 1 : d));
    const same = (x: Tensor) => x.shape.join() === shape.join();
    return this.chance(3) ? this.find(dtype, same, shape) : this.fresh(cut, dtype);
  }

  axis(x: Tensor): number {
    return this.pick(x.rank);
  }

  axes(x: Tensor): number[] {
    return x.shape.map((_, a) => a).filter(() => this.chance(2));
  }

  /** Contents of an input: a third of them special. */
  contents({ shape, dtype }: Tensor): NdArray {
    const all = specials(dtype);
    return filled(shape, dtype, () => {
      if (this.chance(3)) return this.among(all);
      if (dtype === "bool") return this.pick(2);
      return dtype === "int32" ? this.pick(11) - 3 : (this.pick(4001) - 2000) / 500;
    });
  }
}
