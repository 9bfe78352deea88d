// pliant export: writes the model of a run or a federation as ONNX, with the preprocessing inside.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "@pliant/core";
import { type Described, describeModel, onnxModel, trainedModel, writeWhole } from "@pliant/train";
import { readArgs } from "../arguments.js";
import { shared } from "../options.js";
import { writeAnswer } from "../streams.js";

export async function exportCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "export RUN FILE.onnx",
    about:
      "Writes a run's model, or that of a federation from its coordinator's folder, as ONNX with the preprocessing inside.\nFILE.json describes its inputs and classes. Use - to write the ONNX file to standard output.",
    options: { json: shared.json },
  });
  if (positionals.length !== 2)
    throw new InputError("name a run folder and a file to write: pliant export RUN model.onnx.");
  const [folder, file] = positionals;
  if (file !== "-" && !file.endsWith(".onnx")) throw new InputError(`${file} should end in .onnx.`);
  const { bytes, described } = (await federated(folder)) ?? ofRun(folder);
  writeAnswer(file, bytes);
  if (file === "-") return;
  const beside = file.replace(/\.onnx$/, ".json");
  writeWhole(beside, `${JSON.stringify(described, null, 2)}\n`);
  if (values.json) {
    console.log(JSON.stringify({ file, described: beside, ...described }, null, 2));
    return;
  }
  const byType = new Map<string, string[]>();
  for (const { name, type } of described.inputs) byType.set(type, [...(byType.get(type) ?? []), name]);
  console.log(`Wrote the model to ${file} and its inputs, categories and classes to ${beside}.`);
  for (const [type, names] of byType) console.log(`Inputs of type ${type}: ${names.join(", ")}.`);
}

function ofRun(folder: string): { bytes: Uint8Array; described: Described } {
  const trained = trainedModel(folder);
  return { bytes: onnxModel(trained), described: describeModel(trained) };
}

/** Loaded only for the folder of a coordinator or a site. */
async function federated(folder: string) {
  if (!existsSync(join(folder, "federation.json"))) return undefined;
  return (await import("@pliant/federation")).exportedModel(folder);
}
