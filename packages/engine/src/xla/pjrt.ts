/**
 * XLA through the PJRT C API: a client on one device, which takes arrays into the device's memory and
 * compiles programs written as StableHLO text.
 */
import koffi from "koffi";
import { Block, loadPlugin, PjrtError, type Plugin, Struct } from "./pjrt-api.js";
import {
  type ArraySpec,
  arraySpec,
  DeviceBuffer,
  describe,
  type Handle,
  Holdings,
  type PjrtBuffer,
} from "./pjrt-buffer.js";
import { Executable, type PjrtExecutable } from "./pjrt-executable.js";
import {
  ANSWER,
  CLIENT_CREATE,
  CLIENT_DEVICES,
  COMPILE,
  compileOptions,
  ELEMENT_TYPES,
  type ElementType,
  elementTypeOf,
  type FunctionName,
  type HostArray,
  IMMUTABLE_ONLY_DURING_CALL,
  MEMORY_STATS,
  NAMED_VALUE,
  NAMED_VALUE_KIND,
  NAMED_VALUE_WORDS,
  OUTPUT_DIMENSIONS,
  OUTPUT_TYPES,
  PROGRAM,
  SIZE,
  SUBJECT,
  UNIMPLEMENTED,
  UPLOAD,
} from "./pjrt-layout.js";
import { ShardedExecutable } from "./pjrt-sharded.js";

export { loadPlugin, PjrtError, type PjrtErrorCode } from "./pjrt-api.js";
export type { ArraySpec, PjrtBuffer } from "./pjrt-buffer.js";
export type { PjrtExecutable } from "./pjrt-executable.js";
export type { ElementType, HostArray } from "./pjrt-layout.js";
export type { ShardedExecutable } from "./pjrt-sharded.js";
export { type FoundPlugin, findPlugins, type PluginSearch } from "./plugin.js";

export interface ClientOptions {
  /** The share of the device's memory the client may take, above 0 and at most 1. XLA's default is 0.75. */
  readonly memoryFraction?: number;
  /** Whether that share is taken at once (XLA's default) or as it is needed. */
  readonly preallocate?: boolean;
  /** The numbers of the devices the client may see. XLA's default is all, and it takes memory on each. */
  readonly visibleDevices?: readonly number[];
  /** How many devices XLA makes of a CPU; default: one. */
  readonly hostDevices?: number;
}

export interface CompileOptions {
  /** XLA's debug options by name, as in XLA_FLAGS without the dashes, for this program only. */
  readonly xla?: Readonly<Record<string, string | number | boolean>>;
}

export interface PjrtClient {
  readonly platform: string;
  readonly platformVersion: string;
  readonly apiVersion: { readonly major: number; readonly minor: number };
  /** The devices that can be used. Everything happens on the first unless said otherwise. */
  readonly devices: readonly { readonly id: number; readonly description: string }[];
  /** The memory of this client on the device, counted here: the bytes of the elements of all buffers. */
  readonly live: { readonly buffers: number; readonly bytes: number; readonly executables: number };
  /** Copies the array to the device; it may be changed as soon as this returns. */
  upload(data: HostArray, shape: readonly number[], type: ElementType, device?: number): PjrtBuffer;
  compile(stablehlo: string, options?: CompileOptions): PjrtExecutable;
  /** For the first so many devices, each of which gives outputs like these. */
  compileOver(
    stablehlo: string,
    devices: number,
    outputs: readonly ArraySpec[],
    options?: CompileOptions,
  ): ShardedExecutable;
  /** What the device's allocator says; null where it keeps no account, as on a CPU. */
  memoryStats(): { bytesInUse: number; peak?: number; limit?: number } | null;
  /** Waits for reads under way, destroys executables and buffers still alive, then the client. */
  close(): void;
}

const openClients = new Set<Client>();

/**
 * Ending a process with a client alive is asking for a crash: C++ takes apart what XLA's threads still work
 * on. So clients are closed when their thread exits. A worker thread that is terminated has no say in that:
 * have it close its client and end by itself instead.
 */
function closeAtExit(): void {
  if (!process.listeners("exit").includes(closeAll)) process.on("exit", closeAll);
}

function closeAll(): void {
  for (const client of openClients) client.close();
}

/** Starts XLA on the device of the plugin at the path. */
export function createClient(path: string, options: ClientOptions = {}): PjrtClient {
  const plugin = loadPlugin(path);
  const { values, count } = namedValues(options);
  const args = new Struct().point(CLIENT_CREATE.options, values).set(CLIENT_CREATE.optionCount, count);
  plugin.call("Client_Create", args, "client", `starting on a device with the plugin ${path}`);
  const pointer = args.pointer(CLIENT_CREATE.client);
  try {
    const client = new Client(plugin, pointer);
    closeAtExit();
    openClients.add(client);
    return client;
  } catch (reason) {
    plugin.attempt("Client_Destroy", new Struct().set(SUBJECT, pointer));
    throw reason;
  }
}

function namedValues({ memoryFraction, preallocate, visibleDevices, hostDevices }: ClientOptions) {
  if (memoryFraction !== undefined && !(memoryFraction > 0 && memoryFraction <= 1)) {
    throw new PjrtError(
      "argument",
      `memoryFraction is ${memoryFraction}, but must be above 0 and at most 1.`,
    );
  }
  const given: [name: string, kind: bigint, value: bigint | BigInt64Array][] = [];
  if (memoryFraction !== undefined) {
    const [bits] = new Uint32Array(Float32Array.of(memoryFraction).buffer);
    given.push(["memory_fraction", NAMED_VALUE_KIND.float, BigInt(bits)]);
  }
  if (preallocate !== undefined) {
    given.push(["preallocate", NAMED_VALUE_KIND.bool, preallocate ? 1n : 0n]);
  }
  if (visibleDevices !== undefined) {
    given.push(["visible_devices", NAMED_VALUE_KIND.int64List, BigInt64Array.from(visibleDevices, BigInt)]);
  }
  if (hostDevices !== undefined) {
    given.push(["cpu_device_count", NAMED_VALUE_KIND.int64, BigInt(hostDevices)]);
  }
  const values = new Block(given.length * NAMED_VALUE_WORDS);
  given.forEach(([name, kind, value], index) => {
    const start = index * NAMED_VALUE_WORDS;
    const text = new TextEncoder().encode(name);
    values.set(start + SIZE, NAMED_VALUE_WORDS * 8).set(start + NAMED_VALUE.kind, kind);
    values.point(start + NAMED_VALUE.name, text).set(start + NAMED_VALUE.nameLength, text.length);
    const isList = typeof value !== "bigint";
    if (isList) values.point(start + NAMED_VALUE.value, value);
    else values.set(start + NAMED_VALUE.value, value);
    values.set(start + NAMED_VALUE.valueCount, isList ? value.length : 1);
  });
  return { values, count: given.length };
}

class Client implements PjrtClient {
  readonly platform: string;
  readonly platformVersion: string;
  readonly apiVersion: { readonly major: number; readonly minor: number };
  readonly devices: readonly { readonly id: number; readonly description: string }[];
  private readonly pointers: readonly bigint[];
  private readonly holdings: Holdings;

  constructor(
    private readonly plugin: Plugin,
    private readonly pointer: bigint,
  ) {
    this.holdings = new Holdings(plugin);
    this.apiVersion = plugin.apiVersion;
    this.platform = this.ask("Client_PlatformName", pointer).text(ANSWER);
    this.platformVersion = this.ask("Client_PlatformVersion", pointer).text(ANSWER);
    const list = this.ask("Client_AddressableDevices", pointer);
    const devices = pointers(list.pointer(CLIENT_DEVICES.list), list.number(CLIENT_DEVICES.count));
    if (devices.length === 0)
      throw new PjrtError("client", `The XLA plugin ${plugin.path} offers no device.`);
    this.pointers = devices;
    this.devices = devices.map((device) => {
      const description = this.ask("Device_GetDescription", device).pointer(ANSWER);
      return {
        id: this.ask("DeviceDescription_Id", description).int(ANSWER),
        description: this.ask("DeviceDescription_Kind", description).text(ANSWER),
      };
    });
  }

  get live() {
    return this.holdings.live;
  }

  upload(data: HostArray, shape: readonly number[], type: ElementType, device = 0): PjrtBuffer {
    this.holdings.assertOpen();
    const spec = arraySpec(shape, type);
    const { code, array } = ELEMENT_TYPES[type];
    if (!(data instanceof array) || data.byteLength !== spec.byteLength) {
      throw new PjrtError(
        "argument",
        `An upload of ${describe(spec)} needs as many bytes in a ${array.name}, but got ` +
          `${data.byteLength.toLocaleString("en")} in a ${data.constructor.name}.`,
      );
    }
    const args = new Struct()
      .set(UPLOAD.client, this.pointer)
      .point(UPLOAD.data, uploadable(data))
      .set(UPLOAD.type, code)
      .point(UPLOAD.dimensions, BigInt64Array.from(shape, BigInt))
      .set(UPLOAD.rank, shape.length)
      .set(UPLOAD.semantics, IMMUTABLE_ONLY_DURING_CALL)
      .set(UPLOAD.device, this.pointers[device]);
    this.plugin.call("Client_BufferFromHostBuffer", args, "transfer", `uploading ${describe(spec)}`);
    // The plugin is done with the host's memory already, so the event that would say so is not waited for.
    this.holdings.destroyEvent(args.pointer(UPLOAD.doneWithHostData));
    return new DeviceBuffer(this.holdings, args.pointer(UPLOAD.buffer), spec);
  }

  compile(stablehlo: string, { xla }: CompileOptions = {}): PjrtExecutable {
    const handle = this.loaded(stablehlo, compileOptions(xla));
    try {
      return new Executable(handle, this.outputsOf(handle.pointer));
    } catch (reason) {
      handle.destroy();
      throw reason;
    }
  }

  compileOver(
    stablehlo: string,
    devices: number,
    outputs: readonly ArraySpec[],
    { xla }: CompileOptions = {},
  ): ShardedExecutable {
    const ids = this.devices.slice(0, devices).map(({ id }) => id);
    return new ShardedExecutable(this.loaded(stablehlo, compileOptions(xla, ids)), devices, outputs);
  }

  private loaded(stablehlo: string, options: Uint8Array): Handle {
    this.holdings.assertOpen();
    const code = new TextEncoder().encode(stablehlo);
    const format = new TextEncoder().encode("mlir");
    const program = new Struct()
      .point(PROGRAM.code, code)
      .set(PROGRAM.codeLength, code.length)
      .point(PROGRAM.format, format)
      .set(PROGRAM.formatLength, format.length);
    const args = new Struct()
      .set(COMPILE.client, this.pointer)
      .point(COMPILE.program, program)
      .point(COMPILE.options, options)
      .set(COMPILE.optionsLength, options.length);
    this.plugin.call("Client_Compile", args, "compile", "compiling the program");
    return this.holdings.hold("LoadedExecutable_Destroy", args.pointer(COMPILE.executable), 0);
  }

  /**
   * The types and shapes of the outputs, from the metadata of the program; they live as long as the program.
   */
  private outputsOf(loaded: bigint): ArraySpec[] {
    const executable = this.ask("LoadedExecutable_GetExecutable", loaded).pointer(ANSWER);
    try {
      const types = this.ask("Executable_OutputElementTypes", executable);
      const codes = integers(types.pointer(OUTPUT_TYPES.list), types.number(OUTPUT_TYPES.count), "int32");
      const list = this.ask("Executable_OutputDimensions", executable);
      const ranks = integers(
        list.pointer(OUTPUT_DIMENSIONS.ranks),
        list.number(OUTPUT_DIMENSIONS.count),
        "int64",
      );
      const total = ranks.reduce((sum, rank) => sum + rank, 0);
      const dimensions = integers(list.pointer(OUTPUT_DIMENSIONS.dimensions), total, "int64");
      return codes.map((code, index) => {
        const type = elementTypeOf(code);
        if (!type) {
          throw new PjrtError(
            "compile",
            `Output ${index} of the program has an element type (PJRT's ${code}) Pliant cannot read.`,
          );
        }
        return arraySpec(dimensions.splice(0, ranks[index]), type);
      });
    } finally {
      this.ask("Executable_Destroy", executable);
    }
  }

  memoryStats(): { bytesInUse: number; peak?: number; limit?: number } | null {
    this.holdings.assertOpen();
    const args = new Struct().set(SUBJECT, this.pointers[0]);
    const error = this.plugin.attempt("Device_MemoryStats", args);
    if (error !== null) {
      const failure = this.plugin.failure(error, "client", "asking for the device's memory");
      if (failure.status === UNIMPLEMENTED) return null;
      throw failure;
    }
    return {
      bytesInUse: args.number(MEMORY_STATS.inUse),
      peak: args.flag(MEMORY_STATS.peakIsSet) ? args.number(MEMORY_STATS.peak) : undefined,
      limit: args.flag(MEMORY_STATS.limitIsSet) ? args.number(MEMORY_STATS.limit) : undefined,
    };
  }

  close(): void {
    if (!openClients.delete(this)) return;
    this.holdings.close();
    this.ask("Client_Destroy", this.pointer);
  }

  private ask(name: FunctionName, subject: bigint): Struct {
    return this.plugin.call(name, new Struct().set(SUBJECT, subject), "client", `answering PJRT_${name}`);
  }
}

/** Only memory that is not shared and not empty has an address. */
function uploadable(data: HostArray): ArrayBufferView {
  if (data.length === 0) return new Uint8Array(1);
  return data.buffer instanceof SharedArrayBuffer ? data.slice() : data;
}

function pointers(list: bigint, count: number): bigint[] {
  return count === 0 ? [] : (koffi.decode(list, "void *", count) as bigint[]);
}

function integers(list: bigint, count: number, type: "int32" | "int64"): number[] {
  return count === 0 ? [] : Array.from(koffi.decode(list, type, count) as ArrayLike<number | bigint>, Number);
}
