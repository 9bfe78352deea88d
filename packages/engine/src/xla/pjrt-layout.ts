/**
 * Where the PJRT C API keeps things, as data: the function table, the argument structs, the codes of element
 * types and options, and the bytes of the compile options. See pjrt_c_api.h and compile_options.proto of
 * openxla/xla.
 *
 * Every field used here is eight bytes wide or padded to eight, so a place is written as a word number (byte
 * offset / 8). The numbers were compared with every header from API 0.57 to 0.114: none of them moved.
 */

/**
 * 0.57 is the last version that rearranged the function table; since then functions are only added at its
 * end.
 */
export const OLDEST_API = { major: 0, minor: 57 } as const;

/** In the struct that GetPjrtApi returns: two 32-bit numbers in one word, major first. */
export const API_VERSION = 4;

/** The function pointers of the API struct. */
export const FUNCTIONS = {
  Error_Destroy: 5,
  Error_Message: 6,
  Error_GetCode: 7,
  Plugin_Initialize: 8,
  Event_Destroy: 10,
  Event_IsReady: 11,
  Event_Await: 13,
  Client_Create: 15,
  Client_Destroy: 16,
  Client_PlatformName: 17,
  Client_PlatformVersion: 19,
  Client_AddressableDevices: 21,
  Client_Compile: 25,
  Client_BufferFromHostBuffer: 27,
  DeviceDescription_Id: 28,
  DeviceDescription_Kind: 31,
  Device_GetDescription: 34,
  Device_MemoryStats: 39,
  Executable_Destroy: 45,
  LoadedExecutable_Destroy: 55,
  LoadedExecutable_GetExecutable: 56,
  LoadedExecutable_Execute: 60,
  Buffer_Destroy: 63,
  Buffer_ToHostBuffer: 75,
  Executable_OutputElementTypes: 95,
  Executable_OutputDimensions: 96,
  Executable_GetCompiledMemoryStats: 101,
} as const;

export type FunctionName = keyof typeof FUNCTIONS;

/**
 * The size of every argument struct we pass, zero-filled and larger than any that the header knows (208
 * bytes). A plugin refuses a struct smaller than the one it was built with, accepts a larger one, and takes
 * zero in a field as "not given". So a generous size serves older plugins, which look only at the
 * beginning, as well as newer ones, which find zeros in the fields added since and room for what they write
 * back.
 */
export const STRUCT_BYTES = 512;

/** The first two words of every struct: its size, and a list of extensions that we never use. */
export const SIZE = 0;

/** Most structs name the object they are about in the third word, and answer from the fourth on. */
export const SUBJECT = 2;
export const ANSWER = 3;

export const ERROR_MESSAGE = { text: 3, length: 4 } as const;
export const CLIENT_CREATE = { options: 2, optionCount: 3, client: 8 } as const;
export const CLIENT_DEVICES = { list: 3, count: 4 } as const;
export const COMPILE = { client: 2, program: 3, options: 4, optionsLength: 5, executable: 6 } as const;
export const PROGRAM = { code: 2, codeLength: 3, format: 4, formatLength: 5 } as const;
export const OUTPUT_TYPES = { list: 3, count: 4 } as const;
export const OUTPUT_DIMENSIONS = { count: 3, dimensions: 4, ranks: 5 } as const;
export const COMPILED_MEMORY = { temporary: 7 } as const;
export const MEMORY_STATS = { inUse: 3, peak: 4, peakIsSet: 5, limit: 10, limitIsSet: 11 } as const;

export const UPLOAD = {
  client: 2,
  data: 3,
  type: 4,
  dimensions: 5,
  rank: 6,
  semantics: 9,
  device: 10,
  doneWithHostData: 13,
  buffer: 14,
} as const;

/** Semantics of an upload: the plugin is finished with the host's memory when the call returns. */
export const IMMUTABLE_ONLY_DURING_CALL = 0n;

export const DOWNLOAD = { buffer: 2, hostLayout: 3, data: 4, length: 5, event: 6 } as const;

/**
 * A memory layout of the tiled kind (0): the order of the dimensions, fastest varying first, and no tiles.
 */
export const LAYOUT = { tiledSize: 2, order: 4, orderLength: 5, kind: 9 } as const;
/** The tiled part lies inside the layout struct, so its size is the header's and cannot be made generous. */
export const LAYOUT_TILED_BYTES = 56n;

export const EXECUTE = {
  executable: 2,
  options: 3,
  inputLists: 4,
  deviceCount: 5,
  inputCount: 6,
  outputLists: 7,
} as const;
export const EXECUTE_OPTIONS = { notDonated: 7, notDonatedCount: 8 } as const;

/** Client options form an array, so each must have exactly this size. */
export const NAMED_VALUE_WORDS = 7;
export const NAMED_VALUE = { name: 2, nameLength: 3, kind: 4, value: 5, valueCount: 6 } as const;
export const NAMED_VALUE_KIND = { int64: 1n, int64List: 2n, float: 3n, bool: 4n } as const;

/** Status codes that call for words of our own; all are those of Abseil. */
export const RESOURCE_EXHAUSTED = 8;
export const UNIMPLEMENTED = 12;

/** Element types: PJRT's code, and the typed array that holds such elements on the host. */
export const ELEMENT_TYPES = {
  bool: { code: 1, array: Uint8Array },
  int32: { code: 4, array: Int32Array },
  int64: { code: 5, array: BigInt64Array },
  uint8: { code: 6, array: Uint8Array },
  uint32: { code: 8, array: Uint32Array },
  float32: { code: 11, array: Float32Array },
  float64: { code: 12, array: Float64Array },
  /** The upper half of a float32's bits. */
  bfloat16: { code: 13, array: Uint16Array },
} as const;

export type ElementType = keyof typeof ELEMENT_TYPES;

export type HostArray =
  | Float32Array
  | Float64Array
  | Int32Array
  | Uint32Array
  | Uint16Array
  | Uint8Array
  | BigInt64Array;

const typeNames = new Map(Object.entries(ELEMENT_TYPES).map(([name, { code }]) => [code as number, name]));

export function elementTypeOf(code: number): ElementType | undefined {
  return typeNames.get(code) as ElementType | undefined;
}

/**
 * CompileOptionsProto in protobuf's wire format. Field 3 holds the build options: device ordinal (1) -1 for
 * "any", one replica (4), partitions (5), and where there are several that XLA makes them (6) and where they run (9). Field 7 is a map from the names of XLA's debug options, those
 * of XLA_FLAGS without the dashes, to a value that is a string (1), bool (2), int64 (3) or double (4).
 */
export function compileOptions(
  overrides: Readonly<Record<string, string | number | boolean>> = {},
  devices: readonly number[] = [],
): Uint8Array {
  const partitions = Math.max(devices.length, 1);
  const build = [...field(1, varint(-1n)), ...field(4, varint(1n)), ...field(5, varint(BigInt(partitions)))];
  if (devices.length > 0) build.push(...field(6, varint(1n)), ...message(9, assignment(devices)));
  const bytes = [...message(3, build)];
  for (const [name, value] of Object.entries(overrides)) {
    bytes.push(...message(7, [...message(1, utf8(name)), ...message(2, overrideValue(value))]));
  }
  return Uint8Array.from(bytes);
}

/** One replica (1), and of each partition (2) the device (3) it runs on, by its id. */
function assignment(devices: readonly number[]): number[] {
  const places = devices.map((id) => message(3, field(1, varint(BigInt(id)))));
  return [...field(1, varint(1n)), ...field(2, varint(BigInt(devices.length))), ...places.flat()];
}

function overrideValue(value: string | number | boolean): number[] {
  if (typeof value === "string") return message(1, utf8(value));
  if (typeof value === "boolean") return field(2, varint(value ? 1n : 0n));
  if (Number.isSafeInteger(value)) return field(3, varint(BigInt(value)));
  return [...varint(BigInt((4 << 3) | 1)), ...new Uint8Array(Float64Array.of(value).buffer)];
}

function field(number: number, value: number[]): number[] {
  return [...varint(BigInt(number << 3)), ...value];
}

function message(number: number, content: number[]): number[] {
  return [...varint(BigInt((number << 3) | 2)), ...varint(BigInt(content.length)), ...content];
}

function varint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return bytes;
}

function utf8(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}
