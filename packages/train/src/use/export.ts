// A run's model as ONNX with the preprocessing inside, so that raw rows go in.
//
// Each column is an input of its own name and shape [batch]: numbers as float64, NaN where missing; categories as the texts they
// are, of which those that are missing or were not in training are none of the known. Images are one input `image` [batch, C, H, W]
// of float32 pixels from 0 to 255. Outputs are `probabilities` [batch, K], `class` int32 [batch], the place of the likeliest, and
// `label` [batch], its name; of a number, `prediction` [batch] in its own units.
import type { ColumnEncoding, Encoding, Notation } from "@pliant/data";
import { concat, type ExportInput, exportOnnx, type Tensor, where } from "@pliant/engine";
import type { Params, Traced } from "@pliant/learn";
import type { Trained } from "../run/trained.js";

/** What an exported model takes and gives, as model.json says it. */
export interface Described {
  readonly inputs: readonly {
    readonly name: string;
    readonly type: string;
    readonly categories?: readonly string[];
    /** How numbers were written in the training rows, where not plainly; dates go in as days since 1970. */
    readonly written?: Notation;
  }[];
  readonly outputs: readonly string[];
  readonly classes?: readonly string[];
}

/** What a caller must know: the inputs, the categories behind their numbers, the classes. Also in the model's description. */
export function describeModel({ asked: { data } }: Trained): Described {
  const { encoding, target, shape } = data;
  return {
    inputs: encoding
      ? encoding.columns.map((column) =>
          column.kind === "number"
            ? {
                name: column.name,
                type: "float64 [batch], NaN where missing",
                ...(column.written && { written: column.written }),
              }
            : {
                name: column.name,
                type: "string [batch], empty where missing",
                categories: column.categories,
              },
        )
      : [{ name: "image", type: `float32 [batch, ${shape.join(", ")}], 0 to 255` }],
    outputs: outputNames(encoding, target.kind),
    ...(target.kind === "class" && { classes: target.classes }),
  };
}

/** Names that no column has. */
function outputNames(encoding: Encoding | undefined, kind: "class" | "number"): string[] {
  const taken = new Set(encoding?.columns.map(({ name }) => name));
  const free = (name: string): string => (taken.has(name) ? free(`${name}_`) : name);
  return (kind === "class" ? ["probabilities", "class", "label"] : ["prediction"]).map(free);
}

/** A trained model as an ONNX file with its preprocessing inside: raw rows go in. */
export function onnxModel(trained: Trained): Uint8Array {
  const { asked, params, answer } = trained;
  const { encoding, target, shape } = asked.data;
  const inputs: Record<string, ExportInput> = encoding
    ? Object.fromEntries(
        encoding.columns.map((column): [string, ExportInput] => [
          column.name,
          column.kind === "number"
            ? { shape: ["batch"], dtype: "float64" }
            : { shape: ["batch"], texts: column.categories },
        ]),
      )
    : { image: { shape: ["batch", ...shape] } };
  const [first, place, label] = outputNames(encoding, target.kind);
  return exportOnnx(
    (given: Record<string, Tensor>, weights: Traced<Params>) => {
      const x = encoding
        ? concat(
            encoding.columns.flatMap((column) => featuresOf(column, given[column.name])),
            1,
          )
        : given.image.div(255);
      const found = answer(weights, x);
      return { [first]: found, ...(target.kind === "class" && { [place]: found.argmax() }) };
    },
    {
      inputs,
      parameters: params,
      ...(target.kind === "class" && { texts: { [label]: { of: place, texts: target.classes } } }),
      name: asked.name,
      description: JSON.stringify(describeModel(trained)),
    },
  );
}

/** The features of a column, as the encoding of training has them: [batch, 1] each, or [batch, categories]. */
function featuresOf(column: ColumnEncoding, x: Tensor): Tensor[] {
  if (column.kind === "category")
    return [
      column.embedded === undefined ? x.oneHot(column.categories.length) : x.cast("float32").expandDims(1),
    ];
  const absent = x.ne(x);
  // In float64: the days of 20240131 are lost in float32.
  const known = where(absent, 0, x.sub(column.mean).div(column.std)).cast("float32");
  return [known, ...(column.indicator ? [absent.cast("float32")] : [])].map((f) => f.expandDims(1));
}
