// A tensor is a node of a traced graph: an operation applied to other tensors. It has a shape and a dtype but no
// contents; contents exist once a graph is compiled and run. Tensors are immutable and nobody owns them.
import type { Mixed, RowStride, Rows } from "./batch.js";
import type { Narrowed } from "./control/family.js";
import type { Data, DType, Shape } from "./dtype.js";
import { EngineError, kindOf, ShapeError } from "./errors.js";
import { full, NdArray } from "./ndarray.js";
import type { OnnxGraph, Placed } from "./onnx/emission/graph.js";
import { sizeOf } from "./shape.js";
import type { Stack } from "./stacked.js";
import type { HloFunction, HloValue } from "./xla/hlo.js";

/** What is known of a value while tracing. */
export interface Aval {
  readonly shape: Shape;
  readonly dtype: DType;
}

/** The gradient of each input, from the gradient of the output; undefined where none flows. */
export type GradientRule = (g: Tensor, node: Tensor) => readonly (Tensor | undefined)[];

/** Computes into `out`, overwriting all of it. */
export type Kernel = (out: Data, ...inputs: Data[]) => void;

/**
 * One operation, whole: its shape rule, its gradient rule and how each back end does it.
 * A back end for which an operation has no emission of its own runs its `expand`: the same thing in simpler operations.
 */
export interface Op<Attrs extends object = object> {
  readonly name: string;
  infer(inputs: readonly Tensor[], attrs: Attrs): Aval;
  /** Absent where the derivative is zero or meaningless everywhere (comparisons, argmax, floor). */
  gradient?: GradientRule;
  /** For an operation with several results (control/family.ts): the same, from the gradients of the results that have one. */
  gradientOfAll?(
    gradients: ReadonlyMap<number, Tensor>,
    node: Tensor<Attrs>,
  ): readonly (Tensor | undefined)[];
  /** For an operation with several results: the operation reduced to those that are used. */
  narrow?(node: Tensor<Attrs>, wanted: readonly number[]): Narrowed<object>;
  expand?(inputs: readonly Tensor[], attrs: Attrs): Tensor;
  /** Prepares the computation once (index tables, sizes) and returns a function that is called at every run. */
  reference?(node: Tensor<Attrs>): Kernel;
  /** A simpler tensor of exactly the same values, NaN and the sign of zero included; see simplify.ts. */
  simplify?(node: Tensor<Attrs>): Tensor | undefined;
  /** A tensor whose sum over these axes is that of the node's. */
  sumOver?(node: Tensor<Attrs>, axes: readonly number[]): Tensor | undefined;
  /** The result if an operand has no elements but the result has: an empty sum, x with nothing added. */
  empty?(inputs: readonly Tensor[], node: Tensor<Attrs>): Tensor;
  /** Where the rows of a batch are in its result; without a rule, they are where they were if it is `elementwise`, else mixed. */
  batch?(node: Tensor<Attrs>, rows: Rows): RowStride | Mixed;
  /** The attributes with which it gives a result of this shape, that of another number of rows; default: its own. */
  resized?(node: Tensor<Attrs>, shape: Shape): Attrs | undefined;
  /** The attributes that do to each entry of a stack [n, …] what this node does to its only operand; see vmap.ts. */
  stacked?(node: Tensor<Attrs>, n: number): Attrs;
  /** What does the same to stacks of operands; see vmap.ts. */
  vmap?(node: Tensor<Attrs>, operands: readonly Tensor[], stack: Stack): Tensor;
  /** Acts on each element by itself, in whatever order they lie. */
  readonly elementwise?: boolean;
  /** Its operands broadcast against each other. */
  readonly broadcasts?: boolean;
  /** Its result is its operand, repeated along axes. */
  readonly repeats?: boolean;
  /** Its result is its operand's elements, each once, in another order or under another shape. */
  readonly rearranges?: boolean;
  /** An activation that never falls, so that it may as well be applied to a maximum. */
  rises?(attrs: Attrs): boolean;
  /** ONNX Runtime has no double-precision kernel for this one. */
  readonly onnxFloat32Only?: boolean;
  /** On a processor that has both, ONNX Runtime is faster than XLA at this one. */
  readonly suitsOnnx?: boolean;
  /** Holds programs of its own, as ONNX operators do that a model with dynamic axes cannot have. */
  readonly nests?: boolean;
  onnx?(graph: OnnxGraph, inputs: readonly string[], node: Tensor<Attrs>): string;
  /** Its emission on images whose channels lie in blocks, where that is possible and worth it; see onnx/layout. */
  onnxBlocked?(graph: OnnxGraph, node: Tensor<Attrs>): Placed | undefined;
  xla?(hlo: HloFunction, inputs: readonly HloValue[], node: Tensor<Attrs>): HloValue;
  /** The effect of precision bf16: `compute` in bfloat16, or `follow` the operands. Everything else stays float32. */
  readonly bf16?: "compute" | "follow";
}

let created = 0;

/**
 * A traced value: an immutable node of a graph, whose methods are the operations. Shapes are checked as it is made; numbers
 * exist when a compiled function runs.
 */
export class Tensor<Attrs extends object = object> implements Aval {
  readonly id = created++;
  readonly op: Op<Attrs>;
  readonly inputs: readonly Tensor[];
  readonly attrs: Attrs;
  readonly shape: Shape;
  readonly dtype: DType;
  readonly size: number;

  constructor(op: Op<Attrs>, inputs: readonly Tensor[], attrs: Attrs, { shape, dtype }: Aval) {
    this.op = op;
    this.inputs = inputs;
    this.attrs = attrs;
    this.shape = shape;
    this.dtype = dtype;
    this.size = sizeOf(shape);
  }

  get rank(): number {
    return this.shape.length;
  }
}

/** Whether a node is of this operation, and then with its attributes' type. */
export const is = <Attrs extends object>(node: Tensor, op: Op<Attrs>): node is Tensor<Attrs> & Tensor =>
  (node.op as object) === op;

/** What an operation accepts: a tensor, a concrete array, or a number that takes the dtype of its partner. */
export type Operand = Tensor | NdArray | number | boolean;

export function apply<Attrs extends object>(op: Op<Attrs>, inputs: readonly Tensor[], attrs: Attrs): Tensor {
  return new Tensor(op, inputs, attrs, op.infer(inputs, attrs)) as unknown as Tensor;
}

/** A tensor from an operand; numbers become `dtype`. */
export function lift(operand: Operand, dtype: DType = "float32"): Tensor {
  if (operand instanceof Tensor) return operand;
  if (operand instanceof NdArray) return constant(operand);
  if (typeof operand === "boolean") return scalar(operand ? 1 : 0, "bool");
  if (typeof operand === "number") return scalar(numberFor(dtype, operand), dtype);
  throw new EngineError(`An operation takes tensors, arrays and numbers, not ${kindOf(operand)}.`);
}

/** The number, where the dtype holds it: an int32 that meets 2.5 or Infinity would be compared with something else. */
export function numberFor(dtype: DType, value: number): number {
  if (dtype === "int32" && (value | 0) !== value) {
    throw new ShapeError(
      String(value),
      "is no int32, which the tensor it meets holds; cast that to float32 first",
    );
  }
  return value;
}

/** Several operands together: numbers take the dtype of the first tensor or array among them. */
export function liftAll(...operands: Operand[]): Tensor[] {
  const leader = operands.find((o) => o instanceof Tensor || o instanceof NdArray) as Aval | undefined;
  return operands.map((o) =>
    lift(o, leader === undefined || leader.dtype === "bool" ? "float32" : leader.dtype),
  );
}

export interface ConstantAttrs {
  readonly value: NdArray;
}

export const constantOp: Op<ConstantAttrs> = {
  name: "constant",
  infer: (_, { value }) => value,
  reference: (node) => (out) => out.set(node.attrs.value.data),
  onnx: (graph, _, node) => graph.constant(node.attrs.value),
  xla: (hlo, _, node) => hlo.constant(node.attrs.value),
};

/** An array as a traced value, which programs hold inside them. */
export const constant = (value: NdArray): Tensor => apply(constantOp, [], { value });

export const isConstant = (node: Tensor): node is Tensor<ConstantAttrs> => (node.op as object) === constantOp;

/** The number a constant holds in every element, if it is one. */
export function splatOf(node: Tensor): number | undefined {
  if (!isConstant(node)) return undefined;
  const { data } = node.attrs.value;
  if (data.length === 0 || (data.length > 1 && !data.every((v) => Object.is(v, data[0])))) return undefined;
  return data[0];
}

export const scalar = (value: number, dtype: DType = "float32"): Tensor => constant(full([], value, dtype));

export interface InputAttrs {
  readonly name: string;
  readonly aval: Aval;
}

/** A graph's argument. Back ends bind it; it has no emission. */
export const inputOp: Op<InputAttrs> = { name: "input", infer: (_, { aval }) => aval };

export const input = (name: string, { shape, dtype }: Aval): Tensor =>
  apply(inputOp, [], { name, aval: { shape, dtype } });
