// What a run was made with, for the reader of its run.json.
import { availableParallelism } from "node:os";
import type { Backend } from "@pliant/engine";
import type { Device } from "@pliant/engine/device";
import { version } from "../version.js";

export interface Circumstances {
  /** By the name that opens it again, where `auto` may be another one by then. */
  readonly device: Device;
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: { readonly platform: string; readonly arch: string; readonly cores: number };
  readonly started: string;
}

export const circumstances = ({ name }: Pick<Backend, "name">): Circumstances => ({
  device: name === "onnx" ? "cpu" : name === "xla" ? "cuda" : "reference",
  versions: { pliant: version, node: process.version },
  machine: { platform: process.platform, arch: process.arch, cores: availableParallelism() },
  started: new Date().toISOString(),
});
