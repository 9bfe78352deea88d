/**
 * The PJRT C API as a library to call: loading the plugin, the memory its argument structs live in, its
 * functions, and the errors they return as sentences. No other file knows about pointers to memory of ours.
 */
import { existsSync, realpathSync, statSync } from "node:fs";
import koffi from "koffi";
import { EngineError } from "../errors.js";
import {
  ANSWER,
  API_VERSION,
  ERROR_MESSAGE,
  FUNCTIONS,
  type FunctionName,
  OLDEST_API,
  RESOURCE_EXHAUSTED,
  SIZE,
  STRUCT_BYTES,
  SUBJECT,
} from "./pjrt-layout.js";

/** The kind of a PjrtError. */
export type PjrtErrorCode =
  | "plugin-not-found"
  | "plugin-invalid"
  | "api-version"
  | "client"
  | "compile"
  | "execute"
  | "transfer"
  | "out-of-memory"
  | "released"
  | "argument";

/**
 * One sentence in `message`; where XLA said something, its whole text in `detail` and its status code in
 * `status`.
 */
export class PjrtError extends EngineError {
  override readonly name = "PjrtError";
  constructor(
    readonly code: PjrtErrorCode,
    message: string,
    readonly detail?: string,
    readonly status?: number,
  ) {
    super(message);
  }
}

/**
 * A zero-filled block of words that native code may read and write. The memory of an ArrayBuffer does not
 * move, and the block holds on to whatever its pointers lead to, so a block that is alive is safe to pass.
 */
export class Block {
  readonly words: BigUint64Array;
  readonly address: bigint;
  private readonly targets: unknown[] = [];

  constructor(wordCount: number) {
    this.words = new BigUint64Array(wordCount);
    this.address = addressOf(this.words);
  }

  set(word: number, value: bigint | number): this {
    this.words[word] = BigInt(value);
    return this;
  }

  /** Stores the address of the target's first byte. An empty target has none: the pointer is then null. */
  point(word: number, target: Block | ArrayBufferView): this {
    this.targets[word] = target;
    return this.set(word, target instanceof Block ? target.address : addressOf(target));
  }

  pointer(word: number): bigint {
    return this.words[word];
  }

  /** A 64-bit integer. Sizes and counts stay far below 2^53. */
  number(word: number): number {
    return Number(BigInt.asIntN(64, this.words[word]));
  }

  int(word: number): number {
    return Number(BigInt.asIntN(32, this.words[word]));
  }

  flag(word: number): boolean {
    return (this.words[word] & 0xffn) !== 0n;
  }

  /** The text whose address is in the word, and its length in the next. */
  text(word: number): string {
    const length = this.number(word + 1);
    return length === 0 ? "" : koffi.decode.string(this.words[word], length);
  }
}

/** The argument struct of a call: it begins with its own size. */
export class Struct extends Block {
  constructor() {
    super(STRUCT_BYTES / 8);
    this.words[SIZE] = BigInt(STRUCT_BYTES);
  }
}

/**
 * Taking `buffer` first matters: V8 keeps very small arrays in its movable heap until someone asks for it.
 */
function addressOf(view: ArrayBufferView): bigint {
  const start = koffi.address(view.buffer);
  return start === 0n ? 0n : start + BigInt(view.byteOffset);
}

type NativeFunction = ((args: bigint) => bigint | null) & {
  async(args: bigint, done: (failure: Error | null, result: bigint | null) => void): void;
};

/** A loaded plugin: its functions, which take the address of a struct and return an error or null. */
export class Plugin {
  /** Structs of calls in progress: nothing else need refer to them once their address is taken. */
  private readonly inUse = new Set<Struct>();

  constructor(
    readonly path: string,
    readonly apiVersion: { readonly major: number; readonly minor: number },
    readonly functions: Readonly<Record<FunctionName, NativeFunction>>,
  ) {}

  /** Calls a function; the result is null, or the address of an error for `failure` or `take`. */
  attempt(name: FunctionName, args: Struct): bigint | null {
    this.inUse.add(args);
    try {
      return this.functions[name](args.address);
    } finally {
      this.inUse.delete(args);
    }
  }

  /** Calls a function and throws what it returns; `doing` completes "XLA failed while …". */
  call(name: FunctionName, args: Struct, code: PjrtErrorCode, doing: string): Struct {
    const error = this.attempt(name, args);
    if (error !== null) throw this.failure(error, code, doing);
    return args;
  }

  /**
   * The same on a thread of the pool, for a call that waits. The arguments stay untouched until it is over.
   */
  callAsync(name: FunctionName, args: Struct): Promise<bigint | null> {
    return new Promise((resolve, reject) => {
      this.inUse.add(args);
      this.functions[name].async(args.address, (failure, error) => {
        this.inUse.delete(args);
        if (failure) reject(failure);
        else resolve(error);
      });
    });
  }

  /** Makes a PjrtError of an error the plugin returned, and frees the original. */
  failure(error: bigint, code: PjrtErrorCode, doing: string): PjrtError {
    const { detail, status } = this.take(error);
    const kind = status === RESOURCE_EXHAUSTED && code !== "client" ? "out-of-memory" : code;
    const happened = kind === "out-of-memory" ? "The device ran out of memory" : "XLA failed";
    const remedy = REMEDIES[kind] ?? "";
    return new PjrtError(kind, `${happened} while ${doing}: ${brief(detail)}${remedy}.`, detail, status);
  }

  /** Frees an error and returns its text and status code. */
  take(error: bigint): { detail: string; status: number } {
    const asked = new Struct().set(SUBJECT, error);
    this.attempt("Error_Message", asked);
    const detail = asked.text(ERROR_MESSAGE.text);
    const code = new Struct().set(SUBJECT, error);
    const failed = this.attempt("Error_GetCode", code);
    if (failed !== null) this.attempt("Error_Destroy", new Struct().set(SUBJECT, failed));
    this.attempt("Error_Destroy", new Struct().set(SUBJECT, error));
    return { detail, status: failed === null ? code.int(ANSWER) : 0 };
  }
}

const REMEDIES: { readonly [code in PjrtErrorCode]?: string } = {
  client: "; see that a device it supports and the device's driver are there and free, or run on the CPU",
  "out-of-memory":
    "; release buffers that are no longer needed, use smaller batches, or give this process a larger share of the memory (PLIANT_GPU_MEMORY) where several use the device",
};

/** XLA's text as the inside of a sentence: one line, no full stop, and not a page of it. */
function brief(detail: string): string {
  const line = detail.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  return line.length > 600 ? `${line.slice(0, 600)}…` : line || "it gave no reason";
}

const loaded = new Map<string, Plugin>();

/** Loads the plugin at the path, once. It stays loaded for the life of the process. */
export function loadPlugin(path: string): Plugin {
  if (!existsSync(path)) {
    throw new PjrtError(
      "plugin-not-found",
      `There is no XLA plugin at ${path}: install one with pip install "jax[cuda13]", or name its file in ` +
        "PLIANT_PJRT_PLUGIN.",
    );
  }
  const file = realpathSync(path);
  const known = loaded.get(file);
  if (known) return known;
  if (!statSync(file).isFile()) {
    throw new PjrtError("plugin-invalid", `${path} is not a file: name the plugin's shared library itself.`);
  }
  const api = openApi(file);
  const major = koffi.decode(api, API_VERSION * 8, "int32") as number;
  const minor = koffi.decode(api, API_VERSION * 8 + 4, "int32") as number;
  if (major !== OLDEST_API.major || minor < OLDEST_API.minor) {
    const remedy =
      major > OLDEST_API.major ? "update Pliant or take an older plugin" : "update the plugin (JAX)";
    throw new PjrtError(
      "api-version",
      `The XLA plugin ${path} speaks version ${major}.${minor} of the PJRT API, but ` +
        `${OLDEST_API.major}.${OLDEST_API.minor} or a later ${OLDEST_API.major}.x is needed: ${remedy}.`,
    );
  }
  // Two of the functions return nothing, Error_Destroy and Error_Message; their return value is ignored.
  const prototype = koffi.proto("void *", ["void *"]);
  const entries = Object.entries(FUNCTIONS).map(([name, word]) => {
    const pointer = koffi.decode(api, word * 8, "void *") as bigint | null;
    if (pointer === null) {
      throw new PjrtError(
        "plugin-invalid",
        `The XLA plugin ${path} does not implement PJRT_${name}, which Pliant needs.`,
      );
    }
    return [name, koffi.decode(pointer, prototype) as NativeFunction];
  });
  const plugin = new Plugin(path, { major, minor }, Object.fromEntries(entries));
  plugin.call("Plugin_Initialize", new Struct(), "plugin-invalid", `initialising the plugin ${path}`);
  loaded.set(file, plugin);
  return plugin;
}

/** The address of the library's API struct. */
function openApi(file: string): bigint {
  enlargeStack();
  quieten();
  let library: ReturnType<typeof koffi.load>;
  try {
    library = koffi.load(file);
  } catch (reason) {
    const said = (reason as Error).message.replace("Failed to load shared library: ", "");
    throw new PjrtError(
      "plugin-invalid",
      `${file} cannot be loaded as a shared library: ${brief(said)}; name a plugin such as xla_cuda_plugin.so.`,
    );
  }
  keepLoaded(file);
  let getApi: () => bigint | null;
  try {
    getApi = library.func("GetPjrtApi", "void *", []);
  } catch {
    throw new PjrtError(
      "plugin-invalid",
      `${file} is a shared library but not an XLA plugin: it does not export GetPjrtApi; name a plugin such as xla_cuda_plugin.so.`,
    );
  }
  const api = getApi();
  if (api === null) throw new PjrtError("plugin-invalid", `The XLA plugin ${file} returned no API.`);
  return api;
}

/**
 * koffi runs native code on a stack of its own, of 2 MiB by default; XLA's compiler expects the 8
 * MiB of a main thread. The size is fixed by the first library any user of koffi loads, hence the try.
 */
function enlargeStack(): void {
  try {
    koffi.config({ sync_stack_size: 16 * 2 ** 20, async_stack_size: 2 ** 20 });
  } catch {
    // Another user of koffi came first; its size has to do.
  }
}

/** XLA logs what it finds on the machine. Unless the user chose otherwise, warnings and errors are enough. */
function quieten(): void {
  if (process.platform === "win32") return;
  // Not through process.env, which in a worker thread is a copy that native code does not see.
  koffi.load(null).func("setenv", "int", ["str", "str", "int"])("TF_CPP_MIN_LOG_LEVEL", "1", 0);
}

/**
 * koffi closes its libraries when Node shuts down. XLA's threads and exit handlers would then run code that
 * is no longer there, and the process would end in a segmentation fault. One more reference, never given
 * back, prevents it.
 */
function keepLoaded(file: string): void {
  if (process.platform === "win32") return;
  const RTLD_NOW = 2;
  koffi.load(null).func("dlopen", "void *", ["str", "int"])(file, RTLD_NOW);
}
