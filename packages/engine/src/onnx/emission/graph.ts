// Builds an ONNX model: named values, operators on them, constants. Equal operators on equal values are made once, so
// two operations that need the same intermediate (a pooling and its gradient) share it.
import { OncePerFamily } from "../../control/family.js";
import type { DType } from "../../dtype.js";
import { EngineError } from "../../errors.js";
import { showNumbers } from "../../graph.js";
import { full, type NdArray } from "../../ndarray.js";
import type { Aval, Tensor } from "../../tensor.js";
import { type Attribute, elementTypes, encodeModel, type ModelInfo, type TensorProto } from "./proto.js";

export interface OnnxNode {
  type: string;
  domain: string;
  inputs: readonly string[];
  outputs: readonly string[];
  attributes: Readonly<Record<string, Attribute>>;
  /** Graphs that the operator runs, which may read values of this one by name. */
  graphs?: Readonly<Record<string, GraphParts>>;
}

/** A graph without what its outputs do not need. */
export interface GraphParts {
  nodes: readonly OnnxNode[];
  constants: readonly [string, TensorProto][];
  inputs: readonly Port[];
  outputs: readonly Port[];
}

export interface Port {
  name: string;
  dtype: DType | "int64" | "string";
  /** A name stands for a size that is known only at run time. */
  shape: readonly (number | string)[];
}

/** A value in the layout that suits it, or in both. */
export interface Placed {
  plain: string;
  blocked?: string;
}

export class OnnxGraph {
  readonly nodes: OnnxNode[] = [];
  readonly constants = new Map<string, TensorProto>();
  private readonly known = new Map<string, string[]>();
  private readonly names = new Map<Tensor, string>();
  private readonly readers = new Map<Tensor, (Tensor | "output")[]>();
  private readonly blockedNames = new Map<Tensor, string>();
  private readonly arrays = new Map<TensorProto["data"], number>();
  private readonly taken: Set<string>;
  private readonly prefix: string;
  private next = 0;

  /** Whether operators may run graphs of their own. */
  readonly nests: boolean = true;
  readonly families = new OncePerFamily<string>();

  /** The runtime's block of channels, where its blocked layout is to be used (see layout). */
  block?: number;

  /** Values are named by number, avoiding the names that are `taken`. */
  constructor(taken: Iterable<string> = [], prefix = "") {
    this.taken = new Set(taken);
    this.prefix = prefix;
  }

  fresh(): string {
    const name = `${this.prefix}v${this.next++}`;
    return this.taken.has(name) ? this.fresh() : name;
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

  /** Remembers who reads each tensor, so that an operation is merged into its reader only where it has no other. */
  rememberReaders(order: readonly Tensor[], outputs: readonly Tensor[]): void {
    const read = (x: Tensor, reader: Tensor | "output"): void => {
      const list = this.readers.get(x);
      if (list) list.push(reader);
      else this.readers.set(x, [reader]);
    };
    for (const node of order) for (const x of node.inputs) read(x, node);
    for (const x of outputs) read(x, "output");
  }

  hasOneReader(tensor: Tensor): boolean {
    return this.readers.get(tensor)?.length === 1;
  }

  isReadOnlyBy(tensor: Tensor, test: (reader: Tensor) => boolean): boolean {
    return this.readers.get(tensor)?.every((reader) => reader !== "output" && test(reader)) ?? false;
  }

  /** Remembers the blocked form of a tensor. */
  bindBlocked(tensor: Tensor, name: string): void {
    this.blockedNames.set(tensor, name);
  }

  blockedNameOf(tensor: Tensor): string | undefined {
    return this.blockedNames.get(tensor);
  }

  /** An operator with one result. A name with dots is that of another domain than ONNX's own. */
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
      outputs = [];
      const dot = type.lastIndexOf(".");
      const domain = type.slice(0, Math.max(dot, 0));
      this.nodes.push({ type: type.slice(dot + 1), domain, inputs, outputs, attributes });
      this.known.set(key, outputs);
    }
    // Asked for again with more results, it gives more.
    while (outputs.length < results) outputs.push(this.fresh());
    return outputs;
  }

  /** An empty graph for an operator of this one to run. */
  inner(): OnnxGraph {
    const graph = new OnnxGraph(this.taken, `${this.fresh()}_`);
    graph.block = this.block;
    return graph;
  }

  /** An operator that runs graphs of its own. */
  nest(
    type: string,
    inputs: readonly string[],
    results: number,
    attributes: Record<string, Attribute>,
    graphs: Record<string, GraphParts>,
  ): readonly string[] {
    const outputs = Array.from({ length: results }, () => this.fresh());
    this.nodes.push({ type, domain: "", inputs, outputs, attributes, graphs });
    return outputs;
  }

  /** An initialiser, made once for equal short contents and for one long array used twice. */
  initializer(constant: TensorProto): string {
    const { dims, type, data } = constant;
    const key = `constant ${type} [${dims}] ${data.length <= 16 ? showNumbers(data) : this.arrayNumber(data)}`;
    const made = this.known.get(key);
    if (made) return made[0];
    const name = this.fresh();
    this.constants.set(name, constant);
    this.known.set(key, [name]);
    return name;
  }

  private arrayNumber(data: TensorProto["data"]): string {
    if (!this.arrays.has(data)) this.arrays.set(data, this.arrays.size);
    return `#${this.arrays.get(data)}`;
  }

  constant({ data, shape, dtype }: NdArray): string {
    return this.initializer({ dims: shape, type: elementTypes[dtype], data });
  }

  /** An initialiser of its own name, shared with nothing: a parameter. */
  parameter(name: string, { data, shape, dtype }: NdArray): void {
    this.taken.add(name);
    this.constants.set(name, { dims: shape, type: elementTypes[dtype], data });
  }

  scalar(value: number, dtype: DType): string {
    return this.constant(full([], value, dtype));
  }

  /** A list of int64, as shapes and axes are given to operators. */
  ints(values: readonly number[]): string {
    const data = BigInt64Array.from(values, (v) => BigInt(v));
    return this.initializer({ dims: [values.length], type: elementTypes.int64, data });
  }

  cast(value: string, dtype: DType): string {
    return this.op("Cast", [value], { to: elementTypes[dtype] });
  }

  clampIndex(index: string, size: number): string {
    return this.op("Clip", [index, this.scalar(0, "int32"), this.scalar(size - 1, "int32")]);
  }

  /** The operators with the results under their outputs' names: renamed, or copied where they have a name already. */
  private withOutputs(outputs: readonly { name: string; from: string }[]): OnnxNode[] {
    const made = new Set(this.nodes.flatMap((node) => node.outputs));
    const names = new Map<string, string>();
    const copies: OnnxNode[] = [];
    for (const { name, from } of outputs) {
      if (made.has(from) && !names.has(from)) names.set(from, name);
      else copies.push({ type: "Identity", domain: "", inputs: [from], outputs: [name], attributes: {} });
    }
    return renamed([...this.nodes, ...copies], names);
  }

  /** The graph with these outputs, without what they do not need. */
  finished(inputs: readonly Port[], outputs: readonly (Port & { from: string })[]): GraphParts {
    const nodes = this.withOutputs(outputs);
    const needed = new Set(outputs.map(({ name }) => name));
    const live: OnnxNode[] = [];
    for (const node of nodes.reverse()) {
      const last = node.outputs.findLastIndex((o) => needed.has(o));
      if (last < 0) continue;
      // A result asked for is computed, so trailing ones nobody reads (a pooling's positions) are left out.
      live.push(node.graphs ? node : { ...node, outputs: node.outputs.slice(0, last + 1) });
      for (const i of readBy(node)) needed.add(i);
    }
    const constants = [...this.constants].filter(([name]) => needed.has(name));
    return { nodes: live.reverse(), constants, inputs, outputs };
  }

  /** The finished model. */
  encode(
    inputs: readonly Port[],
    outputs: readonly (Port & { from: string })[],
    info: ModelInfo = {},
  ): Uint8Array {
    return encodeModel({ ...this.finished(inputs, outputs), info });
  }
}

/** The values that an operator reads, also in its subgraphs. */
const readBy = ({ inputs, graphs = {} }: OnnxNode): string[] => [
  ...inputs,
  ...Object.values(graphs).flatMap(({ nodes }) => nodes.flatMap(readBy)),
];

const renamed = (nodes: readonly OnnxNode[], names: ReadonlyMap<string, string>): OnnxNode[] => {
  const rename = (list: readonly string[]) => list.map((name) => names.get(name) ?? name);
  return nodes.map(({ inputs, outputs, graphs, ...node }) => ({
    ...node,
    inputs: rename(inputs),
    outputs: rename(outputs),
    ...(graphs && {
      graphs: Object.fromEntries(
        Object.entries(graphs).map(([name, parts]) => [
          name,
          { ...parts, nodes: renamed(parts.nodes, names) },
        ]),
      ),
    }),
  }));
};

export const port = (name: string, { shape, dtype }: Aval): Port => ({ name, shape, dtype });
