// One way to use an operation, and the operands it is tried on: special numbers in every place and, where a shape has an
// axis of size 0, none at all.
import type { DType, NdArray, Shape, Tensor } from "@pliant/engine";
import { ordinary, pairs, special, sweep } from "./values.js";

export const floats: readonly DType[] = ["float32", "float64"];
export const numbers: readonly DType[] = [...floats, "int32"];
export const everything: readonly DType[] = [...numbers, "bool"];

type Fn = (xs: Tensor[]) => Tensor;

export interface Details {
  readonly detail?: string;
  /** dtypes of operands that do not follow the first. */
  readonly as?: readonly (DType | undefined)[];
}

export interface Use extends Details {
  readonly name: string;
  readonly dtypes: readonly DType[];
  /** What the operands' shapes may be: "2,3 3,4 | 0,3 3,4" are two choices of two operands; "-" has no axis. */
  readonly shapes: string;
  readonly fn: Fn;
}

export const use = (
  name: string,
  dtypes: readonly DType[],
  shapes: string,
  fn: Fn,
  details: Details = {},
): Use => ({
  name,
  dtypes,
  shapes,
  fn,
  ...details,
});

/** In place of shapes: every pair of special numbers; numbers of every size. */
export const everyPair = "every pair";
export const everySize = "every size";

export interface Edge {
  readonly operation: string;
  readonly title: string;
  readonly inputs: readonly NdArray[];
  readonly fn: Fn;
}

const shapeOf = (text: string): Shape => (text === "-" ? [] : text.split(",").map(Number));

/** Special numbers in all operands, then in one of them at a time, so that they meet ordinary ones. */
function operands({ as }: Use, shapes: readonly Shape[], dtype: DType): NdArray[][] {
  const make = (which?: number): NdArray[] =>
    shapes.map((shape, i) =>
      which === undefined || which === i
        ? special(shape, as?.[i] ?? dtype, { from: 5 * i, apart: i === 0 ? 1 : 3 })
        : ordinary(shape, as?.[i] ?? dtype),
    );
  if (shapes.length === 1 || shapes.flat().includes(0)) return [make()];
  return [make(), ...shapes.map((_, i) => make(i))];
}

export function edgesOf(of: Use, dtype: DType): Edge[] {
  const { name, detail = "", shapes, fn, dtypes } = of;
  if (!dtypes.includes(dtype)) return [];
  const edge = (text: string, inputs: readonly NdArray[]): Edge => ({
    operation: name,
    title: `${dtype} ${name} ${detail} ${text}`,
    inputs,
    fn,
  });
  if (shapes === everyPair) return [edge(everyPair, pairs(dtype))];
  if (shapes === everySize) return [edge(everySize, [sweep(dtype)])];
  return shapes.split("|").flatMap((choice) => {
    const texts = choice.trim().split(" ");
    return operands(of, texts.map(shapeOf), dtype).map((inputs, k) =>
      edge(`[${texts.join("] [")}]${k > 0 ? ` special in ${k}` : ""}`, inputs),
    );
  });
}
