// Builds an ONNX model: named values, operators on them, constants. Equal operators on equal values are made once, so
// two operations that need the same intermediate (a pooling and its gradient) share it.
import type { DType } from "../dtype.js";
import { EngineError } from "../errors.js";
import { NdArray } from "../ndarray.js";
import type { Aval, Tensor } from "../tensor.js";
import { type Attribute, elementTypes, encodeModel, type TensorProto } from "./proto.js";

export interface OnnxNode {
  type: string;
  domain: string;
  inputs: readonly string[];
  outputs: readonly string[];
  attributes: Readonly<Record<string, Attribute>>;
}

export interface Port {
  name: string;
  dtype: DType;
  /** A name stands for a size that is known only at run time. */
  shape: readonly (number | string)[];
}

export class OnnxGraph {
  readonly nodes: OnnxNode[] = [];
  readonly constants = new Map<string, TensorProto>();
  private readonly known = new Map<string, readonly string[]>();
  private readonly names = new Map<Tensor, string>();
  private next = 0;

  private fresh(): string {
    return `v${this.next++}`;
  }

  /** Remembers which value a tensor of the program became. */
  bind(tensor: Tensor, name: string): void {
    this.names.set(tensor, name);
  }

  nameOf(tensor: Tensor): string {
    const name = this.names.get(tensor);
    if (name === undefined) throw new EngineError(`onnx: ${tensor.op.name} is used before it is made`);
    return name;
  }

  /** An operator with one result. */
  op(type: string, inputs: readonly string[], attributes: Record<string, Attribute> = {}): string {
    return this.ops(type, inputs, 1, attributes)[0];
  }

  /** An operator with several results. */
  ops(
    type: string,
    inputs: readonly string[],
    results: number,
    attributes: Record<string, Attribute> = {},
  ): readonly string[] {
    const key = JSON.stringify([type, inputs, attributes]);
    let outputs = this.known.get(key);
    if (!outputs) {
      outputs = Array.from({ length: results }, () => this.fresh());
      this.nodes.push({ type, domain: "", inputs, outputs, attributes });
      this.known.set(key, outputs);
    }
    return outputs;
  }

  private addConstant(constant: TensorProto): string {
    const { dims, type, data } = constant;
    const key = `constant ${type} [${dims}] ${data.length <= 16 ? data.join() : this.next}`;
    const made = this.known.get(key);
    if (made) return made[0];
    const name = this.fresh();
    this.constants.set(name, constant);
    this.known.set(key, [name]);
    return name;
  }

  constant({ data, shape, dtype }: NdArray): string {
    return this.addConstant({ dims: shape, type: elementTypes[dtype], data });
  }

  scalar(value: number, dtype: DType): string {
    const array = { float32: Float32Array, float64: Float64Array, int32: Int32Array, bool: Uint8Array }[
      dtype
    ];
    return this.constant(new NdArray(array.of(value), [], dtype));
  }

  /** A list of int64, as shapes and axes are given to operators. */
  ints(values: readonly number[]): string {
    const data = BigInt64Array.from(values, (v) => BigInt(v));
    return this.addConstant({ dims: [values.length], type: elementTypes.int64, data });
  }

  cast(value: string, dtype: DType): string {
    return this.op("Cast", [value], { to: elementTypes[dtype] });
  }

  clampIndex(index: string, size: number): string {
    return this.op("Clip", [index, this.scalar(0, "int32"), this.scalar(size - 1, "int32")]);
  }

  /** The finished model, without what the outputs do not need. */
  encode(inputs: readonly Port[], outputs: readonly (Port & { from: string })[]): Uint8Array {
    const nodes = [...this.nodes];
    for (const { name, from } of outputs) {
      nodes.push({ type: "Identity", domain: "", inputs: [from], outputs: [name], attributes: {} });
    }
    const needed = new Set(outputs.map(({ name }) => name));
    const live: OnnxNode[] = [];
    for (const node of nodes.reverse()) {
      if (!node.outputs.some((o) => needed.has(o))) continue;
      live.push(node);
      for (const i of node.inputs) needed.add(i);
    }
    const constants = [...this.constants].filter(([name]) => needed.has(name));
    return encodeModel({ nodes: live.reverse(), constants, inputs, outputs });
  }
}

export const port = (name: string, { shape, dtype }: Aval): Port => ({ name, shape, dtype });
