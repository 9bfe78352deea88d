// Writes ONNX models in the protobuf wire format: just the messages and fields a model needs, by their numbers in
// onnx.proto. Operator set 18 and the file format that came with it are the oldest that have all we emit, so that other
// and older runtimes read our models too.
import type { DType } from "../../dtype.js";
import type { GraphParts, OnnxNode, Port } from "./graph.js";

const irVersion = 8;
const operatorSet = 18;

/** For domains other than ONNX's own, the oldest sets that have the operators we emit: text encoders came with version 2. */
const otherSets: Readonly<Record<string, number>> = { "ai.onnx.ml": 2 };

/** Whole numbers are integers and lists of them integer lists; a float must be marked as one, and a list of texts too. */
export type Attribute =
  | number
  | readonly number[]
  | string
  | { readonly float: number }
  | { readonly texts: readonly string[] };

export interface TensorProto {
  dims: readonly number[];
  type: number;
  data: Float32Array | Float64Array | Int32Array | Uint8Array | BigInt64Array;
}

/** The description of a model. */
export interface ModelInfo {
  name?: string;
  description?: string;
}

export const elementTypes: Record<DType | "int64" | "uint32" | "string", number> = {
  float32: 1,
  float64: 11,
  int32: 6,
  int64: 7,
  uint32: 12,
  bool: 9,
  string: 8,
};

const text = new TextEncoder();

/** A protobuf message under construction: fields are appended in the order they are written. */
class Message {
  private readonly parts: Uint8Array[] = [];
  length = 0;

  private push(bytes: Uint8Array): void {
    this.parts.push(bytes);
    this.length += bytes.length;
  }

  private varint(value: number): void {
    const bytes: number[] = [];
    let rest = value;
    // Negative numbers are written as 64 bits: ten digits of 7 bits.
    if (value < 0) {
      let long = BigInt.asUintN(64, BigInt(value));
      for (; long > 127n; long >>= 7n) bytes.push(Number(long & 127n) | 128);
      rest = Number(long);
    }
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
    bytes.push(rest);
    this.push(Uint8Array.from(bytes));
  }

  int(field: number, value: number): this {
    this.varint(field << 3);
    this.varint(value);
    return this;
  }

  ints(field: number, values: readonly number[]): this {
    for (const value of values) this.int(field, value);
    return this;
  }

  float(field: number, value: number): this {
    this.varint((field << 3) | 5);
    this.push(new Uint8Array(Float32Array.of(value).buffer));
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.varint((field << 3) | 2);
    this.varint(value.length);
    this.push(value);
    return this;
  }

  string(field: number, value: string): this {
    return this.bytes(field, text.encode(value));
  }

  strings(field: number, values: readonly string[]): this {
    for (const value of values) this.string(field, value);
    return this;
  }

  message(field: number, value: Message): this {
    return this.bytes(field, value.encode());
  }

  messages<T>(field: number, values: Iterable<T>, write: (value: T) => Message): this {
    for (const value of values) this.message(field, write(value));
    return this;
  }

  encode(): Uint8Array {
    const all = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}

const attribute = ([name, value]: [string, Attribute]): Message => {
  const m = new Message().string(1, name);
  if (typeof value === "number") return m.int(3, value).int(20, 2);
  if (typeof value === "string") return m.string(4, value).int(20, 3);
  if ("float" in value) return m.float(2, value.float).int(20, 1);
  if ("texts" in value) return m.strings(9, value.texts).int(20, 8);
  return m.ints(8, value).int(20, 7);
};

const nested = ([name, parts]: [string, GraphParts]): Message =>
  new Message().string(1, name).message(6, graphMessage(parts, name)).int(20, 5);

const node = ({ type, domain, inputs, outputs, attributes, graphs = {} }: OnnxNode): Message =>
  new Message()
    .strings(1, inputs)
    .strings(2, outputs)
    .string(4, type)
    .messages(5, Object.entries(attributes), attribute)
    .messages(5, Object.entries(graphs), nested)
    .string(7, domain);

const tensor = ([name, { dims, type, data }]: [string, TensorProto]): Message =>
  new Message()
    .ints(1, dims)
    .int(2, type)
    .string(8, name)
    .bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));

const dimension = (d: number | string): Message =>
  typeof d === "number" ? new Message().int(1, d) : new Message().string(2, d);

const valueInfo = ({ name, dtype, shape }: Port): Message => {
  const type = new Message()
    .int(1, elementTypes[dtype])
    .message(2, new Message().messages(1, shape, dimension));
  return new Message().string(1, name).message(2, new Message().message(1, type));
};

const graphMessage = ({ nodes, constants, inputs, outputs }: GraphParts, name: string): Message =>
  new Message()
    .messages(1, nodes, node)
    .string(2, name)
    .messages(5, constants, tensor)
    .messages(11, inputs, valueInfo)
    .messages(12, outputs, valueInfo);

/** The domains of operators, in nested graphs too. */
const domainsOf = (nodes: readonly OnnxNode[]): string[] =>
  nodes.flatMap(({ domain, graphs = {} }) => [
    domain,
    ...Object.values(graphs).flatMap((parts) => domainsOf(parts.nodes)),
  ]);

export function encodeModel(model: GraphParts & { info: ModelInfo }): Uint8Array {
  const { name = "pliant", description } = model.info;
  const graph = graphMessage(model, name);
  const file = new Message().int(1, irVersion).string(2, "pliant");
  if (description !== undefined) file.string(6, description);
  const others = new Set(domainsOf(model.nodes).filter((domain) => domain !== ""));
  const operators = [
    { domain: "", version: operatorSet },
    ...[...others].map((domain) => ({ domain, version: otherSets[domain] ?? 1 })),
  ];
  const imported = ({ domain, version }: (typeof operators)[0]) =>
    new Message().string(1, domain).int(2, version);
  return file.message(7, graph).messages(8, operators, imported).encode();
}
