// Operations with several results. A node has one, so each result is a node of its own, on the same operands and with the same
// attributes but for `result`, its number. Such nodes are a family: gradients go back through them at once, and a back end
// computes at once those that are wanted.
import type { Data } from "../dtype.js";
import { attrsKey, opNumber, type Program, topological } from "../graph.js";
import { type Kernel, Tensor } from "../tensor.js";

/** The common part of the nodes of a family, once it is known which of them a program has. */
export interface Family {
  readonly wanted: readonly number[];
}

export interface OfFamily {
  readonly result: number;
  /** Absent until a program is lowered for a back end. */
  readonly family?: Family;
}

const isMember = (node: Tensor): node is Tensor<OfFamily> & Tensor => node.op.gradientOfAll !== undefined;

/** Families among nodes in order of evaluation, each in that order too. */
export function familiesOf(order: readonly Tensor[]): Map<Tensor, readonly Tensor<OfFamily>[]> {
  const found = new Map<string, Tensor<OfFamily>[]>();
  const of = new Map<Tensor, Tensor<OfFamily>[]>();
  for (const node of order) {
    if (!isMember(node)) continue;
    const { result: _, family: __, ...attrs } = node.attrs;
    const key = `${opNumber(node.op)}(${node.inputs.map((i) => i.id)})${attrsKey(attrs)}`;
    const members = found.get(key) ?? [];
    members.push(node);
    found.set(key, members);
    of.set(node, members);
  }
  return of;
}

/** An operation reduced to the results that are used. */
export interface Narrowed<Attrs> {
  /** Which of its operands. */
  readonly operands: readonly number[];
  readonly attrs: Attrs;
  /** The new number of a result. */
  renumber(result: number): number;
}

/**
 * A program whose families know which of their results are wanted, and compute no more. A value that one no longer reads need not be
 * computed by another, so this repeats until nothing changes.
 */
export function withFamilies(program: Program): Program {
  let current = program;
  for (;;) {
    const order = topological(current.outputs);
    const families = familiesOf(order);
    if (families.size === 0) return current;
    let changed = false;
    const narrowed = new Map<readonly Tensor<OfFamily>[], Narrowed<object> & { family: Family }>();
    const renewed = new Map<Tensor, Tensor>(current.inputs.map((x) => [x, x]));
    for (const node of order) {
      if (renewed.has(node)) continue;
      const args = node.inputs.map((x) => renewed.get(x)!);
      const members = families.get(node);
      if (!members) {
        const same = args.every((a, i) => a === node.inputs[i]);
        renewed.set(node, same ? node : new Tensor(node.op, args, node.attrs, node));
        continue;
      }
      const least = narrowed.get(members) ?? leastOf(members);
      narrowed.set(members, least);
      if (least.operands.length < args.length) changed = true;
      const result = least.renumber((node.attrs as OfFamily).result);
      const kept = least.operands.map((i) => args[i]);
      renewed.set(node, new Tensor(node.op, kept, { ...least.attrs, result, family: least.family }, node));
    }
    current = { inputs: current.inputs, outputs: current.outputs.map((o) => renewed.get(o)!) };
    if (!changed) return current;
  }
}

function leastOf(members: readonly Tensor<OfFamily>[]): Narrowed<object> & { family: Family } {
  const wanted = [...new Set(members.map(({ attrs }) => attrs.result))];
  const [{ op }] = members;
  const least = op.narrow!(members[0], wanted);
  return { ...least, family: { wanted: wanted.map(least.renumber).sort((a, b) => a - b) } };
}

/** What was made for a family, once. */
export class OncePerFamily<T> {
  private readonly made = new WeakMap<Family, readonly T[]>();

  /** The result of this node, of all that are made at once: in the order of the wanted ones. */
  of({ attrs: { result, family } }: Tensor<OfFamily>, make: (wanted: readonly number[]) => readonly T[]): T {
    if (!family) return make([result])[0];
    const all = this.made.get(family) ?? make(family.wanted);
    this.made.set(family, all);
    return all[family.wanted.indexOf(result)];
  }
}

/** A kernel that computes all results of a family when the first is asked for, and hands the others out. */
export function familyKernel(
  node: Tensor<OfFamily>,
  make: (wanted: readonly number[]) => (inputs: readonly Data[]) => readonly Data[],
): Kernel {
  const { result, family = { wanted: [result] } } = node.attrs;
  const shared = kernels.get(family) ?? {
    compute: make(family.wanted),
    results: [],
    ready: new Set<number>(),
  };
  kernels.set(family, shared);
  return (out, ...inputs) => {
    if (!shared.ready.delete(result)) {
      shared.results = shared.compute(inputs);
      shared.ready = new Set(family.wanted.filter((r) => r !== result));
    }
    out.set(shared.results[family.wanted.indexOf(result)]);
  };
}

interface Shared {
  readonly compute: (inputs: readonly Data[]) => readonly Data[];
  results: readonly Data[];
  /** Those computed in this run that are still to be handed out. */
  ready: Set<number>;
}
const kernels = new WeakMap<Family, Shared>();
