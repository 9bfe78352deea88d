// The environment of a run, recorded in its run.json.
import type { About, Backend } from "@pliant/engine";
import type { Device } from "@pliant/engine/device";
import { machine, runtime } from "@pliant/platform";
import { version } from "../version.js";

/** The environment of a run: device, precision, versions, machine and start time. */
export interface Circumstances {
  /** The name that reopens the same device; `auto` may choose another one later. */
  readonly device: Device;
  readonly precision: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: {
    readonly platform: string;
    readonly arch: string;
    readonly cores: number;
    readonly processor: string;
    /** The accelerator, with its plugin and platform. */
    readonly accelerator?: string;
    readonly plugin?: string;
    readonly driver?: string;
  };
  readonly started: string;
}

/** The record in run.json for a run that starts now on this back end. */
export function circumstances({ name, about = plain }: Pick<Backend, "name" | "about">): Circumstances {
  const { precision, accelerator, plugin, pluginVersion, platform } = about;
  return {
    device: openedBy[name] ?? "reference",
    precision,
    versions: {
      pliant: version,
      ...runtime(),
      ...(pluginVersion !== undefined && { plugin: pluginVersion }),
    },
    machine: {
      ...machine(),
      ...(accelerator !== undefined && { accelerator }),
      ...(plugin !== undefined && { plugin }),
      ...(platform !== undefined && { driver: platform }),
    },
    started: new Date().toISOString(),
  };
}

/** Only `auto` combines two back ends. */
const openedBy: Readonly<Record<string, Device>> = {
  onnx: "cpu",
  xla: "cuda",
  "onnx and xla": "auto",
  "onnx and reference": "auto",
};

const plain: About = { precision: "float32" };
