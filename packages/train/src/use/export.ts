// A run's model as ONNX with the preprocessing inside, so that raw rows go in.
//
// Each column is an input of its own name and shape [batch]: numbers as float64, NaN where missing; categories as the texts they
// are, of which those that are missing or were not in training are none of the known. Images are one input `image` [batch, C, H, W]
// of float32 pixels from 0 to 255. Outputs are `probabilities` [batch, K], `class` int32 [batch], the place of the class that is decided
// on, `label` [batch], its name, and of two classes `score` [batch], the log odds of the positive one; of a number, `prediction`
// [batch] in its own units. Where thresholds are by group, the column of the groups is an input too.
import { InputError } from "@pliant/core";
import type { ColumnEncoding, Encoding, Notation } from "@pliant/data";
import { array, concat, constant, type ExportInput, exportOnnx, type Tensor, where } from "@pliant/engine";
import type { Params, Traced } from "@pliant/learn";
import type { Target } from "../data/examples.js";
import { apart } from "../data/groups.js";
import { type Decision, isPair, probabilityAt, signOf } from "../problem/decision.js";
import type { Trained } from "../run/trained.js";

/** The inputs and outputs of an exported model, as model.json lists them. */
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
  /** For two classes: the probability of the positive one from which on it is given; none where thresholds are by group. */
  readonly threshold?: number;
}

/** What callers need: the inputs, the categories and the classes. Also in the model's description. */
export function describeModel({ asked: { data }, decision }: Trained): Described {
  const { encoding, target, shape } = data;
  const groups = groupInputs(encoding, decision);
  return {
    inputs: encoding
      ? [
          ...encoding.columns.map((column) =>
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
          ),
          ...Object.entries(groups).map(([name, categories]) => ({
            name,
            type: "string [batch], the group whose threshold counts",
            categories,
          })),
        ]
      : [{ name: "image", type: `float32 [batch, ${shape.join(", ")}], 0 to 255` }],
    outputs: outputNames(encoding, target),
    ...(target.kind === "class" && { classes: target.classes }),
    ...(isPair(target) && !decision.by && { threshold: probabilityAt(decision.threshold ?? 0, target) }),
  };
}

/** The columns that thresholds go by and the model does not see, with the groups that have one. */
function groupInputs(encoding: Encoding | undefined, { by }: Decision): Record<string, readonly string[]> {
  if (!by || !encoding) return {};
  const names = apart(by.column);
  if (names.length > 1)
    throw new InputError(
      `thresholds by several columns together (${by.column}) cannot be exported; join them in one column.`,
    );
  if (encoding.columns.some(({ name }) => name === by.column))
    throw new InputError(
      `thresholds by "${by.column}", which the model sees too, cannot be exported; make it a group with data.columns.`,
    );
  return { [by.column]: Object.keys(by.thresholds) };
}

/** Names that no column has. */
function outputNames(encoding: Encoding | undefined, target: Target): string[] {
  const taken = new Set(encoding?.columns.map(({ name }) => name));
  const free = (name: string): string => (taken.has(name) ? free(`${name}_`) : name);
  const names =
    target.kind === "number"
      ? ["prediction"]
      : ["probabilities", "class", ...(isPair(target) ? ["score"] : []), "label"];
  return names.map(free);
}

/** A trained model as an ONNX file with its preprocessing inside: raw rows go in. */
export function onnxModel(trained: Trained): Uint8Array {
  const { asked, params, answer, predictor, decision } = trained;
  const { encoding, target, shape } = asked.data;
  const groups = groupInputs(encoding, decision);
  const inputs: Record<string, ExportInput> = encoding
    ? Object.fromEntries([
        ...encoding.columns.map((column): [string, ExportInput] => [
          column.name,
          column.kind === "number"
            ? { shape: ["batch"], dtype: "float64" }
            : { shape: ["batch"], texts: column.categories },
        ]),
        ...Object.entries(groups).map(([name, texts]): [string, ExportInput] => [
          name,
          { shape: ["batch"], texts },
        ]),
      ])
    : { image: { shape: ["batch", ...shape] } };
  const [first, place, ...rest] = outputNames(encoding, target);
  // Texts come last.
  const [label, scored] = rest.reverse();
  return exportOnnx(
    (given: Record<string, Tensor>, weights: Traced<Params>) => {
      const x = encoding
        ? concat(
            encoding.columns.flatMap((column) => featuresOf(column, given[column.name])),
            1,
          )
        : given.image.div(255);
      const found = answer(weights, x);
      if (target.kind === "number") return { [first]: found };
      if (!predictor.score)
        return { [first]: found, [place]: offset(predictor.logits(weights, x), decision).argmax() };
      const score = predictor.score(weights, x);
      const cut = thresholds(decision, given);
      return {
        [first]: found,
        [place]: score.gt(cut).cast("int32"),
        [scored]: isPair(target) && signOf(target) < 0 ? score.neg() : score.add(0),
      };
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

/** The logits with what is added to each class. */
const offset = (logits: Tensor, { offsets }: Decision): Tensor =>
  offsets ? logits.add(constant(array([...offsets])).expandDims(0)) : logits;

/** One threshold, or that of each row's group: the place of its text among those known, −1 for none. */
function thresholds({ threshold = 0, by }: Decision, given: Record<string, Tensor>): Tensor | number {
  if (!by) return threshold;
  const own = Object.values(by.thresholds);
  const place = given[by.column];
  return where(place.ge(0), constant(array(own)).gather(place.maximum(0)), threshold);
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
