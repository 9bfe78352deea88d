// Walking and printing graphs.
import type { Data } from "./dtype.js";
import type { Aval, Tensor } from "./tensor.js";
import { inputOp, isConstant } from "./tensor.js";

/** A traced function: its inputs and outputs. */
export interface Program {
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
}

/** Every tensor the outputs need, each after its inputs. Iterative, since a long chain would overflow the stack. */
export function topological(outputs: readonly Tensor[]): Tensor[] {
  const order: Tensor[] = [];
  const seen = new Set<Tensor>();
  const stack: { node: Tensor; next: number }[] = [];
  for (const output of outputs) {
    if (seen.has(output)) continue;
    seen.add(output);
    stack.push({ node: output, next: 0 });
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      if (top.next === top.node.inputs.length) {
        order.push(top.node);
        stack.pop();
        continue;
      }
      const child = top.node.inputs[top.next++];
      if (!seen.has(child)) {
        seen.add(child);
        stack.push({ node: child, next: 0 });
      }
    }
  }
  return order;
}

export const showAval = ({ shape, dtype }: Aval): string => `${dtype}[${shape.join(",")}]`;

/** Attributes as text that is equal exactly when the attributes are. */
export function attrsKey(attrs: object): string {
  const values = Object.values(attrs);
  if (values.length === 0) return "{}";
  // JSON writes −0 as 0 and the infinities and NaN as null.
  const plain = (v: number): boolean => Number.isFinite(v) && !Object.is(v, -0);
  // A replacer takes most of the time.
  const isPlain = (v: unknown): boolean => (typeof v === "number" ? plain(v) : typeof v !== "object");
  if (values.every((v) => isPlain(v) || (Array.isArray(v) && v.every(isPlain)))) return JSON.stringify(attrs);
  return JSON.stringify(attrs, (_, v) =>
    typeof v !== "number" || plain(v) ? v : { number: showNumbers([v])[0] },
  );
}

let ops = 0;
const numbers = new WeakMap<object, number>();

/** A number for each operation: two of one name are not the same. */
export function opNumber(op: object): number {
  const known = numbers.get(op) ?? ops++;
  numbers.set(op, known);
  return known;
}

/** Text that is equal exactly when two programs compute the same in the same way. */
export const programKey = (program: Program): string =>
  `${[...new Set(topological(program.outputs).map(({ op }) => opNumber(op)))]}\n${print(program)}`;

/**
 * A program as text, one operation a line, numbered in order of evaluation:
 * `%3: float32[50,10] = matmul(%1, %2)`. Equal programs print equally.
 */
export function print({ inputs, outputs }: Program): string {
  const names = new Map<Tensor, string>();
  const lines: string[] = [];
  for (const [i, node] of inputs.entries()) {
    names.set(node, `%${i}`);
    lines.push(`%${i}: ${showAval(node)} = input`);
  }
  for (const node of topological(outputs)) {
    if (names.has(node)) continue;
    const name = `%${names.size}`;
    names.set(node, name);
    const args = node.inputs.map((i) => names.get(i));
    lines.push(`${name}: ${showAval(node)} = ${node.op.name}(${args.join(", ")})${showAttrs(node)}`);
  }
  lines.push(`return ${outputs.map((o) => names.get(o)).join(", ")}`);
  return lines.join("\n");
}

function showAttrs(node: Tensor): string {
  if ((node.op as object) === inputOp) return " unbound";
  if (isConstant(node)) {
    const { data } = node.attrs.value;
    const numbers = (part: Data) => showNumbers(part).join(", ");
    return data.length <= 8
      ? ` [${numbers(data)}]`
      : ` [${numbers(data.subarray(0, 6))}, …] #${digest(data)}`;
  }
  const text = attrsKey(node.attrs);
  return text === "{}" ? "" : ` ${text}`;
}

/** Numbers as texts that are equal exactly when the numbers are: 0 and −0, which differ as divisors, are not. */
export const showNumbers = (data: ArrayLike<number | bigint>): string[] =>
  Array.from(data, (v) => (Object.is(v, -0) ? "-0" : String(v)));

/** FNV-1a over the bytes: tells long constants apart in print. */
function digest(data: ArrayBufferView): string {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  let hash = 0x811c9dc5;
  let other = 0x9e3779b9;
  for (const byte of bytes) {
    hash = Math.imul(hash ^ byte, 0x01000193);
    other = Math.imul(other + byte, 0x85ebca6b) ^ (other >>> 13);
  }
  return ((hash >>> 0).toString(16) + (other >>> 0).toString(16)).padStart(16, "0");
}
