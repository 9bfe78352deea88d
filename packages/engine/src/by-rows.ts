// Evaluates a function of many rows in parts. Intermediate values exist for one part at a time; the gradient computes each part again.
import { firstMixed, type RowStride } from "./batch.js";
import { scan } from "./control/index.js";
import { EngineError } from "./errors.js";
import { showAval } from "./graph.js";
import { concat } from "./ops/movement.js";
import { sizeOf } from "./shape.js";
import { lift, type Operand, type Tensor } from "./tensor.js";
import { leaves, mapTree, type Replace } from "./tree.js";

/**
 * fn(data), at most so many rows at a time. Rows lie along the first axis of the longest arrays of the data; shorter arrays are passed
 * whole. The output for a row must not depend on other rows.
 */
export function byRows<D, R>(fn: (data: D) => R, data: D, rows: number): Replace<R, Tensor> {
  if (!(Number.isInteger(rows) && rows > 0))
    throw new EngineError(`byRows: at a time a whole number of rows from 1, got ${rows}.`);
  const all = leaves(data).map(({ leaf }) => lift(leaf as Operand));
  const count = Math.max(0, ...all.map(({ shape }) => shape[0] ?? 0));
  if (count <= rows) return fn(mapTree(data, (x: Operand) => lift(x)) as D) as Replace<R, Tensor>;
  const sliced = all.filter(({ shape }) => shape[0] === count);
  /** fn, of the data with these rows in place of all. */
  const of = (part: readonly Tensor[]): R => {
    let next = 0;
    const made = fn(
      mapTree(data, (x: Operand) => {
        const whole = lift(x);
        return whole.shape[0] === count ? part[next++] : whole;
      }) as D,
    );
    checkRows(part, made);
    return made;
  };
  const steps = Math.floor(count / rows);
  const { record } = scan(
    (state: Record<string, never>, part: Tensor[]) => ({ state, record: of(part) }),
    {},
    sliced.map((x) => x.slice([[0, steps * rows]]).reshape([steps, rows, ...x.shape.slice(1)])),
  );
  const done = mapTree(record, (x: Tensor) => x.reshape([steps * rows, ...x.shape.slice(2)]));
  if (steps * rows === count) return done as Replace<R, Tensor>;
  const rest = of(sliced.map((x) => x.slice([[steps * rows, count]])));
  const last = leaves(rest).map(({ leaf }) => leaf as Tensor);
  let next = 0;
  return mapTree(done, (x: Tensor) => concat([x, last[next++]])) as Replace<R, Tensor>;
}

/** Refuses what is not a row for each row, or depends on others. */
function checkRows(part: readonly Tensor[], made: unknown): void {
  const count = part[0].shape[0];
  const results = leaves(made).map(({ leaf, path }) => ({ path, tensor: leaf as Tensor }));
  for (const { path, tensor } of results)
    if (tensor.shape[0] !== count)
      throw new EngineError(
        `byRows: of ${count} rows the function must make as many, and its result${path} is ${showAval(tensor)}.`,
      );
  const strides = new Map<Tensor, RowStride>(part.map((x) => [x, sizeOf(x.shape.slice(1))]));
  const mixed = firstMixed(
    results.map(({ tensor }) => tensor),
    strides,
    count,
  );
  if (mixed)
    throw new EngineError(
      `byRows: what the function says of a row depends on the others: ${mixed.node.op.name} works across the rows of ${showAval(mixed.found.operand)}.`,
    );
  const moved = results.find(({ tensor }) => {
    const stride = strides.get(tensor);
    return stride !== undefined && stride !== sizeOf(tensor.shape.slice(1));
  });
  if (moved)
    throw new EngineError(`byRows: the rows of its result${moved.path} are not along the first axis.`);
}
