// The xla back end: a program becomes StableHLO, which XLA compiles for the device of a PJRT plugin. Arrays stay in the
// device's memory until they are read.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Backend, Executable, LoopExecutable, LoopInputs, StepProgram } from "../backend.js";
import type { Data, DType, Shape } from "../dtype.js";
import { EngineError } from "../errors.js";
import type { Program } from "../graph.js";
import { NdArray, type Stored } from "../ndarray.js";
import { toStableHlo, toStableHloLoop } from "./emit.js";
import type { Precision } from "./hlo.js";
import {
  type ClientOptions,
  createClient,
  type PjrtBuffer,
  type PjrtClient,
  type PjrtExecutable,
} from "./pjrt.js";
import { findPlugins, pluginVersion } from "./plugin.js";

export type { Precision } from "./hlo.js";
export { PjrtError } from "./pjrt.js";
export { findPlugins, type PluginSearch, pluginVersion } from "./plugin.js";
export { toStableHlo, toStableHloLoop };

export interface XlaOptions extends ClientOptions {
  /** A PJRT plugin; without one the CUDA plugin of an installed Python JAX is looked for. */
  plugin?: string;
  /**
   * How float32 products are computed: `float32` exactly, `tf32` (the default) on tensor cores with 10 bits of mantissa,
   * `bf16` with bfloat16 operands and activations. Parameters, sums and results are float32 in all three.
   */
  precision?: Precision;
}

export interface XlaBackend extends Backend {
  readonly client: PjrtClient;
}

class DeviceArray implements Stored {
  constructor(
    readonly buffer: PjrtBuffer,
    readonly shape: Shape,
    readonly dtype: DType,
  ) {}

  async read(): Promise<NdArray> {
    return new NdArray((await this.buffer.read()) as Data, this.shape, this.dtype);
  }
}

/** XLA's CPU would else drop NaN in maxima and minima. */
const strict = { xla: { xla_cpu_enable_fast_min_max: false } };

export async function xla({ plugin, precision = "tf32", ...options }: XlaOptions = {}): Promise<XlaBackend> {
  const path = plugin ?? foundPlugin();
  const client = createClient(path, options);
  const garbage = new Garbage(client);
  const put = ({ data, shape, dtype }: NdArray): DeviceArray =>
    new DeviceArray(client.upload(data, shape, dtype), shape, dtype);

  const run = async (
    executable: PjrtExecutable,
    inputs: readonly Stored[],
    outputs: readonly { shape: Shape; dtype: DType }[],
  ) => {
    await garbage.collect();
    const uploaded: PjrtBuffer[] = [];
    const buffers: PjrtBuffer[] = [];
    for (const value of inputs) {
      const held = value instanceof DeviceArray && !value.buffer.released ? value : undefined;
      const buffer = held?.buffer ?? put(await value.read()).buffer;
      if (!held) uploaded.push(buffer);
      buffers.push(buffer);
    }
    const results = executable.execute(buffers);
    for (const buffer of uploaded) buffer.release();
    return results.map((buffer, i) => new DeviceArray(buffer, outputs[i].shape, outputs[i].dtype));
  };

  return {
    name: "xla",
    about: {
      precision,
      accelerator: client.devices[0]?.description,
      plugin: path,
      pluginVersion: pluginVersion(path),
      platform: `${client.platform} ${client.platformVersion}`,
    },
    client,
    put,
    async compile(program: Program): Promise<Executable> {
      const executable = client.compile(toStableHlo(program, precision), strict);
      return {
        run: (inputs) => run(executable, inputs, program.outputs),
        release: () => executable.release(),
      };
    },
    async compileLoop(program: StepProgram, steps: number): Promise<LoopExecutable> {
      const executable = client.compile(toStableHloLoop(program, steps, precision), strict);
      const outputs = program.outputs.map(({ shape, dtype }, i) => ({
        shape: i < program.states ? shape : [steps, ...shape],
        dtype,
      }));
      return {
        release: () => executable.release(),
        async run({ states, constants, sliced }: LoopInputs) {
          const results = await run(executable, [...states, ...constants, ...sliced], outputs);
          return { states: results.slice(0, program.states), records: results.slice(program.states) };
        },
      };
    },
    async close() {
      client.close();
    },
  };
}

function foundPlugin(): string {
  const { plugins, looked } = findPlugins();
  if (plugins.length > 0) return plugins[0].path;
  throw new EngineError(
    `No XLA plugin was found; install one with pip install "jax[cuda13]" or name it in PLIANT_PJRT_PLUGIN. (${looked.length} places were looked at.)`,
  );
}

/**
 * A dropped device array is a few bytes to JavaScript's collector, which is in no hurry, and perhaps a gigabyte to the
 * device. So the collector is called when much has been allocated since it last ran.
 */
class Garbage {
  private floor = 0;
  private readonly allowance: number;
  private readonly gc: () => void;

  constructor(private readonly client: PjrtClient) {
    this.allowance = Math.min(2 ** 30, (client.memoryStats()?.limit ?? 2 ** 33) / 16);
    setFlagsFromString("--expose-gc");
    this.gc = runInNewContext("gc") as () => void;
  }

  async collect(): Promise<void> {
    if (this.client.live.bytes - this.floor < this.allowance) return;
    this.gc();
    // Finalisers run in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    this.floor = this.client.live.bytes;
  }
}
