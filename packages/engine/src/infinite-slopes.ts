// Which operations have no finite derivative where they stand: a square root at 0, a logarithm at 0, a power below 1 at 0.
import { evaluate } from "./compile.js";
import { isFloat } from "./dtype.js";
import { topological } from "./graph.js";
import type { NdArray } from "./ndarray.js";
import { broadcastTo } from "./ops/movement.js";
import { lift, scalar, type Tensor } from "./tensor.js";
import { mapTree, type Replace } from "./tree.js";

/**
 * For each tensor that a function makes of these arrays, the elementwise operations behind it whose operands are finite
 * and whose derivative is not.
 */
export function infiniteSlopes<R>(
  fn: (...args: never[]) => R,
  args: readonly unknown[],
): Replace<R, string[]> {
  const symbols = args.map((arg) => mapTree(arg, (leaf: NdArray) => lift(leaf)));
  return mapTree((fn as (...args: unknown[]) => R)(...symbols), (of: Tensor) => slopesOf(of)) as Replace<
    R,
    string[]
  >;
}

function slopesOf(of: Tensor): string[] {
  const nodes = topological([of]).filter(
    ({ op, dtype }) => op.elementwise && op.gradient !== undefined && isFloat(dtype),
  );
  const known = nodes.map((node) => ({
    operands: [...node.inputs],
    slopes: node.op.gradient!(broadcastTo(scalar(1, node.dtype), node.shape), node).filter(
      (slope) => slope !== undefined,
    ),
  }));
  const allFinite = (arrays: readonly { data: ArrayLike<number | bigint> }[]): boolean =>
    arrays.every(({ data }) => Array.prototype.every.call(data, (x) => Number.isFinite(Number(x))));
  const names = evaluate(known).flatMap(({ operands, slopes }, i) =>
    allFinite(operands as never) && !allFinite(slopes as never) ? [nodes[i].op.name] : [],
  );
  return [...new Set(names)];
}
