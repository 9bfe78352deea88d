// The model of a federation as ONNX, from the folder of its coordinator or of a site. Each column is an input of its own name, as the
// sites' tables have it: numbers as float64, NaN where missing; categories as texts. An image is one input with its pixels from 0
// to 255. Outputs are `probabilities` [batch, K], `class` int32 [batch], the place of the likeliest, and `label`, its name; of a
// number, `prediction` [batch] in its own unit. With thresholds by group, `class` goes by the threshold of the row's group, or by
// one half if its group is unknown; the column of the groups is an input too.
import { join } from "node:path";
import { InputError } from "@pliant/core";
import type { Encoding } from "@pliant/data/table";
import {
  array,
  concat,
  constant,
  type ExportInput,
  exportOnnx,
  reference,
  type Tensor,
  where,
} from "@pliant/engine";
import type { Params, Traced } from "@pliant/learn";
import { decodePlain, readIfThere, unsealed } from "../ports/index.js";
import { isRegression } from "../spec/data-spec.js";
import { checkSpec, networkOptions } from "../spec/spec.js";
import type { Agreed } from "../spec/stages.js";
import { scoreBins } from "../tables/evaluation.js";
import { encodingOf, type Thresholds } from "../tables/index.js";

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
    /** By group: the probability of the second class from which on `class` is 1. */
    readonly thresholds?: Readonly<Record<string, number>>;
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
  const { spec: asked } = JSON.parse(unsealed(readIfThere(join(path, file))!, join(path, file))) as {
    spec?: unknown;
  };
  const spec = checkSpec(asked, join(path, file));
  const agreed = readIfThere(join(path, "agreed.json"));
  const scale = agreed && (JSON.parse(agreed.toString()) as Agreed).scale;
  const { data } = spec;
  if (file === "joined.json" && data.groups?.rate)
    throw new InputError(
      `The thresholds by ${data.groups.column} are with the coordinator alone, and without them this model decides otherwise: ask the operator for the file that pliant export writes there.`,
    );
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
  const thresholds = thresholdsIn(path);
  const by = data.groups?.column ?? "";
  const groupColumn = thresholds && columns.find(({ name }) => name === by);
  const added = thresholds && !groupColumn ? { [by]: Object.keys(thresholds) } : {};
  const described: ExportedModel["described"] = {
    inputs: pixels
      ? [{ name: "image", type: `float32 [batch, ${pixels.join(", ")}], 0 to 255` }]
      : [
          ...columns.map(describe),
          ...Object.entries(added).map(([name, categories]) => ({
            ...{ name, type: "string [batch], empty where missing", categories },
          })),
        ],
    ...(thresholds && { thresholds }),
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
      const likely = outputs.softmax();
      if (!thresholds) return { [probabilities]: likely, [place]: outputs.argmax() };
      const second = likely
        .mul(constant(array([0, 1])))
        .sum(1)
        .cast("float64")
        .mul(scoreBins);
      const bins = binsOf(thresholds, groupColumn, given[by]);
      return { [probabilities]: likely, [place]: second.ge(bins).cast("int32") };
    },
    {
      inputs: pixels
        ? { image: { shape: ["batch", ...pixels] } }
        : {
            ...Object.fromEntries(
              columns.map((column): [string, ExportInput] => [column.name, inputOf(column)]),
            ),
            ...Object.fromEntries(
              Object.entries(added).map(([name, texts]): [string, ExportInput] => [
                name,
                { shape: ["batch"], texts },
              ]),
            ),
          },
      parameters: decodePlain<Params>(found.toString()),
      ...(classes.length > 0 && { texts: { [label]: { of: place, texts: classes } } }),
      name: spec.name,
      description: JSON.stringify(described),
    },
  );
  return { bytes, described };
}

/** Those that the sums of a coordinator's run have found; a site has no counts but its own. */
function thresholdsIn(path: string): Readonly<Record<string, number>> | undefined {
  const report = readIfThere(join(path, "report.json"));
  if (!report) return undefined;
  return (JSON.parse(report.toString()) as { thresholds?: Thresholds }).thresholds?.thresholds;
}

/** From which bin of the probability on each row is of the second class; rates were counted by these bins. */
function binsOf(thresholds: Readonly<Record<string, number>>, column: Column | undefined, x: Tensor): Tensor {
  const names = Object.keys(thresholds);
  const bin = (name: string) => {
    const from = Math.round((thresholds[name] ?? 0.5) * scoreBins);
    // A probability of 1 is in the last bin.
    return from === scoreBins ? Number.POSITIVE_INFINITY : from;
  };
  if (column && column.kind !== "category")
    return names.reduce<Tensor>(
      (other, name) => where(x.eq(Number(name)), bin(name), other),
      x.mul(0).add(scoreBins / 2),
    );
  const own = (column ? column.categories : names).map(bin);
  return where(x.ge(0), constant(array(own)).cast("float64").gather(x.maximum(0)), scoreBins / 2);
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
