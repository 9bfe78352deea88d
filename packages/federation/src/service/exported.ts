// The model of a federation as ONNX, from the folder of its coordinator or of a site. Each feature is an input of its own name, as the sites' tables
// have it, or an image one input with its pixels from 0 to 255 as PNG has them; outputs are `probabilities` [batch, K], `class` int32 [batch], the place of the likeliest, and `label`, its name.
import { join } from "node:path";
import { InputError } from "@pliant/core";
import { concat, exportOnnx, reference, type Tensor } from "@pliant/engine";
import type { Params, Traced } from "@pliant/learn";
import { decodePlain, readIfThere } from "../ports/index.js";
import { checkSpec, networkOptions, scaleOf } from "../spec/spec.js";

/** An ONNX file, and what goes in and comes out of it. */
export interface ExportedModel {
  readonly bytes: Uint8Array;
  readonly described: {
    readonly inputs: readonly { readonly name: string; readonly type: string }[];
    readonly outputs: readonly string[];
    readonly classes: readonly string[];
  };
}

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
  const { features, classes, images } = spec.data;
  const pixels = images && [images.height, images.width, images.channels];
  const { model } = networkOptions(spec, reference());
  const free = (name: string): string => (features.includes(name) ? free(`${name}_`) : name);
  const [probabilities, place, label] = ["probabilities", "class", "label"].map(free);
  const described = {
    inputs: pixels
      ? [{ name: "image", type: `float32 [batch, ${pixels.join(", ")}], 0 to 255` }]
      : features.map((name) => ({ name, type: "float64 [batch]" })),
    outputs: [probabilities, place, label],
    classes,
  };
  const bytes = exportOnnx(
    (given: Record<string, Tensor>, params: Traced<Params>) => {
      const columns = () =>
        features.map((name) => {
          const [centre, spread] = scaleOf(spec, name);
          return given[name].sub(centre).div(spread).cast("float32").expandDims(1);
        });
      const x = pixels
        ? given.image.div(255).reshape([given.image.shape[0], features.length])
        : concat(columns(), 1);
      const logits = model.apply(params, x);
      return { [probabilities]: logits.softmax(), [place]: logits.argmax() };
    },
    {
      inputs: pixels
        ? { image: { shape: ["batch", ...pixels] } }
        : Object.fromEntries(features.map((name) => [name, { shape: ["batch"], dtype: "float64" as const }])),
      parameters: decodePlain<Params>(found.toString()),
      texts: { [label]: { of: place, texts: classes } },
      name: spec.name,
      description: JSON.stringify(described),
    },
  );
  return { bytes, described };
}
