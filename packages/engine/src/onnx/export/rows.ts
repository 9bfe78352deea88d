// The output for one row of a batch must not depend on the other rows: functions that mix rows are refused.
import { firstMixed, type Mixed, type RowStride } from "../../batch.js";
import { EngineError } from "../../errors.js";
import type { Program } from "../../graph.js";
import { sizeOf } from "../../shape.js";
import type { Tensor } from "../../tensor.js";

/** The axis whose entries are independent rows: it alone must not be mixed. */
export const rowsAxis = "batch";

export const mixes = (how: string): EngineError =>
  new EngineError(
    `exportOnnx: the function mixes the rows of its batch: ${how}; if that is meant, give the axis another name than "${rowsAxis}".`,
  );

/** Refuses a program, traced with so many rows, in which an operation brings them together. `axes` are its inputs'. */
export function refuseMixedRows(
  { inputs, outputs }: Program,
  axes: readonly (readonly (number | string)[])[],
  count: number,
): void {
  const strides = new Map<Tensor, RowStride>();
  for (const [i, input] of inputs.entries()) {
    const axis = axes[i]?.indexOf(rowsAxis) ?? -1;
    strides.set(input, axis < 0 ? undefined : sizeOf(input.shape.slice(axis + 1)));
  }
  const mixed = firstMixed(outputs, strides, count);
  if (mixed) throw mixes(sentence(mixed.node, mixed.found, count));
}

function sentence({ op }: Tensor, { operand, axis }: Mixed, count: number): string {
  const size = (d: number): string => {
    if (d % count !== 0) return String(d);
    return d === count ? rowsAxis : `${d / count}*${rowsAxis}`;
  };
  const where = axis === undefined ? "across the rows" : `over axis ${axis}`;
  return `${op.name} works ${where} of ${operand.dtype}[${operand.shape.map(size).join(", ")}]`;
}
