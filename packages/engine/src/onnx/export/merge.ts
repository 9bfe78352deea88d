// One ONNX graph from several of the same function, each traced with other sizes of its dynamic axes. The graphs are
// walked together from their outputs. They must have the same operators; only constants that follow from the sizes may differ. A value
// that is one in one graph and two in another (small constants are shared) is no difference.
import { EngineError } from "../../errors.js";
import type { Tensor } from "../../tensor.js";
import { OnnxGraph, type OnnxNode } from "../emission/graph.js";
import { elementTypes, type TensorProto } from "../emission/proto.js";
import { emitConstant, emitSizes, readConstant } from "./dynamic.js";
import { mixes, rowsAxis } from "./rows.js";
import type { DynamicAxis, Sizes } from "./sizes.js";

interface Made {
  readonly node: OnnxNode;
  /** Which of the operator's results. */
  readonly result: number;
  /** The tensor whose emission made it. */
  readonly by: Tensor;
}

/** A graph that remembers how each of its values is made. */
export class TracedGraph extends OnnxGraph {
  /** Graphs are compared operator by operator. */
  override readonly nests = false;
  readonly made = new Map<string, Made>();
  private seen = 0;

  override bind(tensor: Tensor, name: string): void {
    super.bind(tensor, name);
    for (; this.seen < this.nodes.length; this.seen++) {
      const node = this.nodes[this.seen];
      for (const [result, output] of node.outputs.entries())
        this.made.set(output, { node, result, by: tensor });
    }
  }
}

/** One value, by its name in each graph. */
type Value = readonly string[];

const keyOf = (value: Value): string => value.join();

const equal = (a: TensorProto, b: TensorProto): boolean =>
  a.type === b.type &&
  a.dims.join() === b.dims.join() &&
  (a.data === b.data || (a.data as Float32Array).every((v, i) => Object.is(v, b.data[i])));

export class Merger {
  private readonly graphs: readonly TracedGraph[];
  private readonly sizes: Sizes;
  private readonly target: OnnxGraph;
  private readonly known = new Map<string, string>();

  constructor(graphs: readonly TracedGraph[], sizes: Sizes, target: OnnxGraph) {
    this.graphs = graphs;
    this.sizes = sizes;
    this.target = target;
  }

  /** Says what an input of all graphs is called in the merged one. */
  bind(input: string, name: string): void {
    this.known.set(keyOf(this.graphs.map(() => input)), name);
  }

  /** The merged graph's name for a value, with all it is made of. Iterative, as long chains would overflow the stack. */
  value(wanted: Value): string {
    if (this.isConstant(wanted)) return this.constant(wanted, "an output");
    const stack = [wanted];
    while (stack.length > 0) {
      const value = stack[stack.length - 1];
      if (this.known.has(keyOf(value))) {
        stack.pop();
        continue;
      }
      const made = this.madeBy(value);
      const operands = made[0].node.inputs.map((_, i) => made.map(({ node }) => node.inputs[i]));
      const missing = operands.filter((o) => !this.isConstant(o) && !this.known.has(keyOf(o)));
      if (missing.length > 0) stack.push(...missing);
      else this.add(made, operands);
    }
    return this.known.get(keyOf(wanted))!;
  }

  private add(made: readonly Made[], operands: readonly Value[]): void {
    const [{ node, by }] = made;
    const inputs = operands.map((operand, i) => {
      if (!this.isConstant(operand)) return this.known.get(keyOf(operand))!;
      return this.constant(operand, by.op.name, node.type === "Reshape" && i === 1);
    });
    const results = this.target.ops(node.type, inputs, node.outputs.length, node.attributes);
    for (const [i, name] of results.entries()) {
      this.known.set(keyOf(made.map((m) => m.node.outputs[i])), name);
    }
  }

  private isConstant(value: Value): boolean {
    return value.every((name, k) => this.graphs[k].constants.has(name));
  }

  /** How each graph makes the value; the operators must be the same but for their operands. */
  private madeBy(value: Value): Made[] {
    const made = value.map((name, k) => this.graphs[k].made.get(name));
    const form = (m: Made | undefined): string =>
      m ? JSON.stringify([m.node.type, m.node.inputs.length, m.node.attributes, m.result]) : "";
    const odd = made.findIndex((m) => form(m) !== form(made[0]));
    // Equal, yet not made: an input in one place and another one, or a constant, in the other.
    const other = odd < 0 && !made[0] ? value.findIndex((name) => name !== value[0]) : odd;
    if (other < 0) return made as Made[];
    const [here, there] = [made[0], made[other]].map((m) => m?.by.op.name ?? "an input or a constant");
    const [now, before] = [other, 0].map((run) => this.sizes.describe(run));
    const change = here === there ? `${here} with other settings` : `${there} where it was ${here}`;
    throw new EngineError(
      `exportOnnx: with ${now} the function computes something else than with ${before} (${change}); a model is one graph for all sizes.`,
    );
  }

  private constant(value: Value, reader: string, isShape = false): string {
    const found = value.map((name, k) => this.graphs[k].constants.get(name)!);
    const [first] = found;
    if (found.every((c) => equal(c, first))) return this.target.initializer(first);
    if (first.type === elementTypes.int64) return this.list(found, reader, isShape);
    const read = readConstant(found, this.sizes);
    const axes = this.sizes.axes.filter((_, i) => !equal(found[1 + i], first));
    // Whole numbers are positions, which may count rows (`pick`); a real number that does weighs them together.
    const weighs = [read?.start, read?.step].some((s) => s?.factors.some(({ name }) => name === rowsAxis));
    if (!read || (weighs && first.type !== elementTypes.int32)) throw this.unfit(reader, axes);
    return emitConstant(this.target, read, first);
  }

  /** A shape or another list of whole numbers. In a shape the one entry that varies is left for the runtime to fill. */
  private list(found: readonly TensorProto[], reader: string, isShape: boolean): string {
    const lists = found.map(({ data }) => Array.from(data as BigInt64Array, Number));
    const entries = lists[0].map((_, i) => lists.map((list) => list[i]));
    const varying = entries.filter((entry) => entry.some((v) => v !== entry[0]));
    const alike = lists.every(({ length }) => length === lists[0].length);
    if (alike && isShape && varying.length === 1 && !entries.some((entry) => entry[0] === 0)) {
      return this.target.ints(entries.map((entry) => (entry === varying[0] ? -1 : entry[0])));
    }
    const sizes = entries.map((entry) => this.sizes.read(entry));
    if (!alike || !sizes.every((s) => s !== undefined)) {
      throw this.unfit(
        reader,
        this.sizes.axes.filter((axis) => varying.some((entry) => this.sizes.depends(entry, axis))),
      );
    }
    return emitSizes(this.target, sizes);
  }

  private unfit(reader: string, axes: readonly DynamicAxis[]): EngineError {
    if (axes.some(({ name }) => name === rowsAxis)) {
      return mixes(`${reader} has an operand that depends on how many rows there are`);
    }
    const names = (axes.length > 0 ? axes : this.sizes.axes).map(({ name }) => name).join(" and ");
    return new EngineError(
      `exportOnnx: ${reader} has a constant operand that changes with the size of ${names} in a way a model cannot work out; make it an input.`,
    );
  }
}
