// The xla back end: a program becomes StableHLO, which XLA compiles for the device of a PJRT plugin. Arrays stay in the
// device's memory until they are read.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type {
  Backend,
  Executable,
  LoopExecutable,
  LoopInputs,
  Precision,
  ProgramOptions,
  StepProgram,
} from "../backend.js";
import type { Data, DType, Shape } from "../dtype.js";
import { EngineError } from "../errors.js";
import type { Program } from "../graph.js";
import { NdArray, type Stored } from "../ndarray.js";
import { range } from "../shape.js";
import { toStableHlo, toStableHloLoop } from "./emit.js";
import { Kept } from "./kept.js";
import { memoryAsked } from "./memory.js";
import { onlyInProducts } from "./narrow.js";
import { hoistWithPatches } from "./patches.js";
import {
  type ClientOptions,
  createClient,
  type PjrtBuffer,
  type PjrtClient,
  type PjrtExecutable,
} from "./pjrt.js";
import { findPlugins, pluginVersion } from "./plugin.js";
import { spread } from "./spread.js";

export type { Precision } from "../backend.js";
export { PjrtError } from "./pjrt.js";
export { findPlugins, type PluginSearch, pluginVersion } from "./plugin.js";
export { toStableHlo, toStableHloLoop };

/** Which plugin, in which precision, on how many devices. */
export interface XlaOptions extends ClientOptions {
  /** A PJRT plugin; without one the CUDA plugin of an installed Python JAX is looked for. */
  plugin?: string;
  /** The precision of programs without one of their own; default: `tf32`. */
  precision?: Precision;
  /** How many devices a program runs on, each with its part of what is `shard`ed; default: one. */
  devices?: number;
}

/** The xla back end, with the client of its plugin. */
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

/** XLA through a PJRT plugin: NVIDIA GPUs by the CUDA plugin of an installed Python JAX; Python itself does not run. */
export async function xla({
  plugin,
  precision: usual = "tf32",
  devices = 1,
  ...options
}: XlaOptions = {}): Promise<XlaBackend> {
  const path = plugin ?? foundPlugin();
  const client = createClient(path, { ...options, ...memoryAsked(options) });
  if (devices > client.devices.length) {
    client.close();
    throw new EngineError(`${devices} devices were asked for; XLA sees ${client.devices.length} here.`);
  }
  /** The data of a loop that may be kept in another form. */
  const room = (client.memoryStats()?.limit ?? 2 ** 33) / 4;
  const kept = new Kept((array) => array instanceof DeviceArray);
  const garbage = new Garbage(client);
  const put = ({ data, shape, dtype }: NdArray): DeviceArray =>
    new DeviceArray(client.upload(data, shape, dtype), shape, dtype);

  const run = async (
    executable: PjrtExecutable,
    inputs: readonly Stored[],
    outputs: readonly { shape: Shape; dtype: DType }[],
    donated: (index: number) => boolean = () => false,
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
    // Buffers uploaded for this call have no other owner.
    const single = (buffer: PjrtBuffer) => buffers.indexOf(buffer) === buffers.lastIndexOf(buffer);
    const donate = range(buffers.length).filter((i) => donated(i) && single(buffers[i]));
    const results = executable.execute(buffers, { donate });
    for (const buffer of uploaded) buffer.release();
    return results.map((buffer, i) => new DeviceArray(buffer, outputs[i].shape, outputs[i].dtype));
  };

  return {
    name: "xla",
    about: {
      precision: usual,
      accelerator: client.devices[0]?.description,
      plugin: path,
      pluginVersion: pluginVersion(path),
      platform: client.platformVersion,
    },
    client,
    put,
    async compile(program: Program, { precision = usual }: ProgramOptions = {}): Promise<Executable> {
      const executable = client.compile(toStableHlo(program, precision), strict);
      return {
        run: (inputs) => run(executable, inputs, program.outputs),
        release: () => executable.release(),
      };
    },
    async compileLoop(
      program: StepProgram,
      steps: number,
      { precision = usual }: ProgramOptions = {},
    ): Promise<LoopExecutable> {
      const { before, reads, step, narrow } = split(program, room, precision);
      const executable = client.compile(toStableHloLoop(step, steps, precision, narrow.step), strict);
      const making = toStableHlo(before, precision, narrow.before);
      let make: PjrtExecutable | undefined;
      const outputs = program.outputs.map(({ shape, dtype }, i) => ({
        shape: i < program.states ? shape : [steps, ...shape],
        dtype,
      }));
      return {
        release: () => {
          executable.release();
          make?.release();
        },
        async run({ states, constants, sliced, donate = false }: LoopInputs) {
          const sources = reads.map((i) => constants[i]);
          const beforehand = () => {
            make ??= client.compile(making, strict);
            return run(make, sources, before.outputs);
          };
          const values = reads.length === 0 ? [] : await kept.of(making, sources, beforehand);
          const mine = (i: number) => i < states.length && (donate || !(states[i] instanceof DeviceArray));
          const results = await run(
            executable,
            [...states, ...constants, ...values, ...sliced],
            outputs,
            mine,
          );
          return { states: results.slice(0, program.states), records: results.slice(program.states) };
        },
      };
    },
    async close() {
      client.close();
    },
    ...(devices > 1 && spread(client, devices, usual)),
  };
}

/** A step in two parts, and which of the values between them are bfloat16, by number among its constants and results. */
function split(program: StepProgram, room: number, precision: Precision) {
  const parts = hoistWithPatches(program, room);
  const first = program.constants;
  const step = precision === "bf16" ? onlyInProducts(parts.step, first) : new Set<number>();
  return { ...parts, narrow: { step, before: new Set([...step].map((i) => i - first)) } };
}

function foundPlugin(): string {
  const { plugins, looked } = findPlugins();
  if (plugins.length > 0) return plugins[0].path;
  throw new EngineError(
    `No XLA plugin was found; install one with pip install "jax[cuda13]" or name it in PLIANT_PJRT_PLUGIN. (Searched ${looked.length} places.)`,
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
