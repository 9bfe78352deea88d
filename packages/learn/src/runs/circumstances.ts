// What a run was made with, for the reader of its run.json.
import type { About, Backend } from "@pliant/engine";
import type { Device } from "@pliant/engine/device";
import { machine, runtime } from "@pliant/platform";
import { version } from "../version.js";

/** What a run was made with: device, precision, versions, machine and when it began. */
export interface Circumstances {
  /** By the name that opens it again, where `auto` may be another one by then. */
  readonly device: Device;
  readonly precision: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: {
    readonly platform: string;
    readonly arch: string;
    readonly cores: number;
    readonly processor: string;
    /** By its own name, with the plugin and platform that drive it. */
    readonly accelerator?: string;
    readonly plugin?: string;
    readonly driver?: string;
  };
  readonly started: string;
}

/** What run.json says of a run on this back end, begun now. */
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

/** Only `auto` opens two back ends that work together. */
const openedBy: Readonly<Record<string, Device>> = { onnx: "cpu", xla: "cuda", "onnx and xla": "auto" };

const plain: About = { precision: "float32" };
