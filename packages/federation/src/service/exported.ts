// The model of a federation as ONNX, from the folder of its coordinator or of a site. Each column is an input of its own name, as the
// sites' tables have it: numbers as float64, NaN where missing; categories as texts. An image is one input with its pixels from 0
// to 255. Outputs are `probabilities` [batch, K], `class` int32 [batch], the place of the likeliest, and `label`, its name; of a
// number, `prediction` [batch] in its own unit.
import { join } from "node:path";
import { InputError } from "@pliant/core";
import type { Encoding } from "@pliant/data/table";
import { concat, type ExportInput, exportOnnx, reference, type Tensor, where } from "@pliant/engine";
import type { Params, Traced } from "@pliant/learn";
import { decodePlain, readIfThere } from "../ports/index.js";
import { isRegression } from "../spec/data-spec.js";
import { checkSpec, networkOptions } from "../spec/spec.js";
import type { Agreed } from "../spec/stages.js";
import { encodingOf } from "../tables/index.js";

/** An ONNX file, and what goes in and comes out of it. */
export interface ExportedModel {
  readonly bytes: Uint8Array;
  readonly described: {
    readonly inputs: readonly {
      readonly name: string;
      readonly type: string;
      readonly categories?: readonly string[];
    }[];
    readonly outputs: readonly string[];
    readonly classes?: readonly string[];
  };
}

type Column = Encoding["columns"][number];

/** Undefined where the folder is of no federation. */
export function exportedModel(path: string): ExportedModel | undefined {
  const run = readIfThere(join(path, "run.json"));
  const command = run && (JSON.parse(run.toString()) as { command?: string }).command;
  const file = { federate: "run.json", "federate join": "joined.json" }[command ?? ""];
  if (file === undefined) return undefined;
  const found = readIfThere(join(path, "model.json"));
  if (!found) throw new InputError(`${path} has no model yet: its last round is not done.`);
  const { spec: asked } = JSON.parse(readIfThere(join(path, file))!.toString()) as { spec?: unknown };
  const spec = checkSpec(asked, join(path, file));
  const agreed = readIfThere(join(path, "agreed.json"));
  const scale = agreed && (JSON.parse(agreed.toString()) as Agreed).scale;
  const { data } = spec;
  const { features, classes, images } = data;
  const { columns } = encodingOf(data, scale);
  const pixels = images && [images.height, images.width, images.channels];
  const { model } = networkOptions(spec, reference());
  const free = (name: string): string => (features.includes(name) ? free(`${name}_`) : name);
  const [probabilities, place, label, prediction] = ["probabilities", "class", "label", "prediction"].map(
    free,
  );
  const [centre, spread] = (scale ?? (data.scale === "agreed" ? {} : (data.scale ?? {})))[data.label] ?? [
    0, 1,
  ];
  const described: ExportedModel["described"] = {
    inputs: pixels
      ? [{ name: "image", type: `float32 [batch, ${pixels.join(", ")}], 0 to 255` }]
      : columns.map(describe),
    outputs: isRegression(data) ? [prediction] : [probabilities, place, label],
    ...(classes.length > 0 && { classes }),
  };
  const bytes = exportOnnx(
    (given: Record<string, Tensor>, params: Traced<Params>) => {
      const x = pixels
        ? given.image.div(255).reshape([given.image.shape[0], features.length])
        : concat(
            columns.flatMap((column) => featuresOf(column, given[column.name])),
            1,
          );
      const outputs = model.apply(params, x);
      if (isRegression(data))
        return { [prediction]: outputs.reshape([outputs.shape[0]]).cast("float64").mul(spread).add(centre) };
      return { [probabilities]: outputs.softmax(), [place]: outputs.argmax() };
    },
    {
      inputs: pixels
        ? { image: { shape: ["batch", ...pixels] } }
        : Object.fromEntries(columns.map((column): [string, ExportInput] => [column.name, inputOf(column)])),
      parameters: decodePlain<Params>(found.toString()),
      ...(classes.length > 0 && { texts: { [label]: { of: place, texts: classes } } }),
      name: spec.name,
      description: JSON.stringify(described),
    },
  );
  return { bytes, described };
}

const describe = (column: Column) =>
  column.kind === "category"
    ? { name: column.name, type: "string [batch], empty where missing", categories: column.categories }
    : { name: column.name, type: `float64 [batch]${column.indicator ? ", NaN where missing" : ""}` };

const inputOf = (column: Column): ExportInput =>
  column.kind === "category"
    ? { shape: ["batch"], texts: column.categories }
    : { shape: ["batch"], dtype: "float64" };

/** The inputs of the model that a column gives: [batch, 1] each, or [batch, categories]. */
function featuresOf(column: Column, x: Tensor): Tensor[] {
  if (column.kind === "category") return [x.oneHot(column.categories.length)];
  const scaled = x.sub(column.mean).div(column.std);
  if (!column.indicator) return [scaled.cast("float32").expandDims(1)];
  const absent = x.ne(x);
  return [where(absent, 0, scaled).cast("float32"), absent.cast("float32")].map((one) => one.expandDims(1));
}
