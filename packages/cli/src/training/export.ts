// pliant export: a run's model as ONNX with the preprocessing inside, so that raw rows go in; or the model of a federation.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "@pliant/core";
import { type Described, describeModel, onnxModel, trainedModel, writeWhole } from "@pliant/train";
import { readArgs } from "../arguments.js";

export async function exportCommand(args: string[]): Promise<void> {
  const { positionals } = readArgs(args, {
    usage: "export RUN FILE.onnx",
    about:
      "A run's model as ONNX with its preprocessing inside, or that of a federation from its coordinator's folder; FILE.json tells its inputs and classes.",
    options: {},
  });
  if (positionals.length !== 2)
    throw new InputError("name a run folder and a file to write: pliant export RUN model.onnx.");
  const [folder, file] = positionals;
  if (!file.endsWith(".onnx")) throw new InputError(`${file} should end in .onnx.`);
  const { bytes, described } = (await federated(folder)) ?? ofRun(folder);
  writeWhole(file, bytes);
  const beside = file.replace(/\.onnx$/, ".json");
  writeWhole(beside, `${JSON.stringify(described, null, 2)}\n`);
  const inputs = described.inputs.map(({ name, type }) => `${name} (${type})`).join(", ");
  console.log(
    `Wrote the model to ${file} and its inputs, categories and classes to ${beside}.\nInputs: ${inputs}.`,
  );
}

function ofRun(folder: string): { bytes: Uint8Array; described: Described } {
  const trained = trainedModel(folder);
  return { bytes: onnxModel(trained), described: describeModel(trained) };
}

/** Loaded where a coordinator or a site was at work. */
async function federated(folder: string) {
  if (!existsSync(join(folder, "federation.json"))) return undefined;
  return (await import("@pliant/federation")).exportedModel(folder);
}
