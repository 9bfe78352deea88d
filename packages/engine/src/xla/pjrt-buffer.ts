/**
 * Buffers on the device, and the account of everything a client holds there. A native object is destroyed
 * once: by release, by the garbage collector when its wrapper is dropped, or when the client closes.
 */
import { PjrtError, type Plugin, Struct } from "./pjrt-api.js";
import {
  ANSWER,
  DOWNLOAD,
  ELEMENT_TYPES,
  type ElementType,
  type HostArray,
  LAYOUT,
  LAYOUT_TILED_BYTES,
  SUBJECT,
} from "./pjrt-layout.js";

export interface ArraySpec {
  readonly shape: readonly number[];
  readonly type: ElementType;
  readonly byteLength: number;
}

export interface PjrtBuffer extends ArraySpec {
  readonly released: boolean;
  /** The elements in row-major order. A failure of the program that computes the buffer shows here. */
  read(): Promise<HostArray>;
  /** The same, blocking the thread. */
  readSync(): HostArray;
  release(): void;
}

export function arraySpec(shape: readonly number[], type: ElementType): ArraySpec {
  const elements = shape.reduce((product, size) => product * size, 1);
  return { shape: [...shape], type, byteLength: elements * ELEMENT_TYPES[type].array.BYTES_PER_ELEMENT };
}

/** An array in words, for example "float32[2,3] (24 bytes)". */
export function describe({ shape, type, byteLength }: ArraySpec): string {
  return `${type}[${shape.join(",")}] (${byteLength.toLocaleString("en")} bytes)`;
}

type Destroyer = "Buffer_Destroy" | "LoadedExecutable_Destroy";

/** A native object and the duty to destroy it. */
export class Handle {
  constructor(
    readonly holdings: Holdings,
    readonly destroyer: Destroyer,
    /** Zero once destroyed. */
    public pointer: bigint,
    readonly byteLength: number,
  ) {}

  destroy(): void {
    this.holdings.destroy(this);
  }
}

/**
 * Wrappers dropped without release. Closing a client empties its handles, so none is destroyed after that.
 */
const dropped = new FinalizationRegistry<Handle>((handle) => handle.destroy());

/** Elements on their way from the device: the memory they go to, and the event that says they arrived. */
interface Transfer {
  readonly spec: ArraySpec;
  readonly host: ArrayBuffer;
  readonly event: bigint;
  /** A thread of the pool waits for the event, which must not be destroyed under it. */
  awaited: boolean;
  outcome?: PjrtError | "arrived";
}

/** Everything a client holds on its device. */
export class Holdings {
  private readonly handles = {
    Buffer_Destroy: new Set<Handle>(),
    LoadedExecutable_Destroy: new Set<Handle>(),
  };
  private readonly destruction = new Struct();
  private readonly transfers = new Set<Transfer>();
  private lastRead: Promise<unknown> = Promise.resolve();
  private bytes = 0;
  private closed = false;

  constructor(readonly plugin: Plugin) {}

  get live() {
    const { Buffer_Destroy: buffers, LoadedExecutable_Destroy: executables } = this.handles;
    return { buffers: buffers.size, bytes: this.bytes, executables: executables.size };
  }

  assertOpen(): void {
    if (this.closed) throw new PjrtError("released", "This XLA client is closed: create another one.");
  }

  hold(destroyer: Destroyer, pointer: bigint, byteLength: number): Handle {
    const handle = new Handle(this, destroyer, pointer, byteLength);
    this.handles[destroyer].add(handle);
    this.bytes += byteLength;
    return handle;
  }

  /** Has the handle destroyed when the wrapper is garbage. */
  watch(wrapper: object, handle: Handle): void {
    dropped.register(wrapper, handle, handle);
  }

  destroy(handle: Handle): void {
    if (handle.pointer === 0n) return;
    this.destruction.words[SUBJECT] = handle.pointer;
    handle.pointer = 0n;
    this.handles[handle.destroyer].delete(handle);
    this.bytes -= handle.byteLength;
    dropped.unregister(handle);
    // Nobody can act on a failure to destroy, so it is only freed.
    const error = this.plugin.functions[handle.destroyer](this.destruction.address);
    if (error !== null) this.plugin.take(error);
  }

  /**
   * Starts copying a buffer to the host. The host's layout is given, row-major, because the default is the
   * layout the buffer has on the device, which is the compiler's choice.
   */
  startRead(pointer: bigint, spec: ArraySpec): Transfer {
    const rank = spec.shape.length;
    const order = BigInt64Array.from(spec.shape, (_, index) => BigInt(rank - 1 - index));
    const layout = new Struct()
      .set(LAYOUT.tiledSize, LAYOUT_TILED_BYTES)
      .point(LAYOUT.order, order)
      .set(LAYOUT.orderLength, rank)
      .set(LAYOUT.kind, 0);
    // A null address would ask for the size instead, and an empty array has no other.
    const host = new ArrayBuffer(Math.max(spec.byteLength, 1));
    const args = new Struct()
      .set(DOWNLOAD.buffer, pointer)
      .point(DOWNLOAD.hostLayout, layout)
      .point(DOWNLOAD.data, new Uint8Array(host))
      .set(DOWNLOAD.length, host.byteLength);
    this.plugin.call("Buffer_ToHostBuffer", args, "transfer", `reading ${describe(spec)}`);
    const transfer = { spec, host, event: args.pointer(DOWNLOAD.event), awaited: false };
    this.transfers.add(transfer);
    return transfer;
  }

  /** Waits for the elements, blocking. */
  finishRead(transfer: Transfer): HostArray {
    if (!transfer.outcome) {
      this.settle(transfer, this.plugin.attempt("Event_Await", eventArgs(transfer.event)));
    }
    return arrived(transfer);
  }

  /**
   * Waits for the elements on a thread of the pool, of which there are few: reads are waited for one after
   * another, which costs nothing because the device copies in order too.
   */
  finishReadLater(transfer: Transfer): Promise<HostArray> {
    const read = this.lastRead.then(async () => {
      if (!transfer.outcome && !this.isReady(transfer.event)) {
        transfer.awaited = true;
        const error = await this.plugin.callAsync("Event_Await", eventArgs(transfer.event));
        transfer.awaited = false;
        this.settle(transfer, error);
      }
      return this.finishRead(transfer);
    });
    this.lastRead = read.catch(() => undefined);
    return read;
  }

  private isReady(event: bigint): boolean {
    return this.plugin
      .call("Event_IsReady", eventArgs(event), "transfer", "waiting for the device")
      .flag(ANSWER);
  }

  private settle(transfer: Transfer, error: bigint | null): void {
    const doing = `computing or reading ${describe(transfer.spec)}`;
    transfer.outcome = error === null ? "arrived" : this.plugin.failure(error, "execute", doing);
    this.transfers.delete(transfer);
    this.destroyEvent(transfer.event);
  }

  destroyEvent(event: bigint): void {
    const error = this.plugin.attempt("Event_Destroy", eventArgs(event));
    if (error !== null) this.plugin.take(error);
  }

  /** Waits for reads under way, then destroys executables and buffers. */
  close(): void {
    this.closed = true;
    for (const transfer of this.transfers) {
      const error = this.plugin.attempt("Event_Await", eventArgs(transfer.event));
      if (!transfer.awaited) this.settle(transfer, error);
      else if (error !== null) this.plugin.take(error);
    }
    for (const handles of [this.handles.LoadedExecutable_Destroy, this.handles.Buffer_Destroy]) {
      for (const handle of handles) handle.destroy();
    }
  }
}

function eventArgs(event: bigint): Struct {
  return new Struct().set(SUBJECT, event);
}

function arrived({ outcome, host, spec }: Transfer): HostArray {
  if (outcome !== "arrived") throw outcome;
  const { array } = ELEMENT_TYPES[spec.type];
  return new array(host, 0, spec.byteLength / array.BYTES_PER_ELEMENT);
}

export class DeviceBuffer implements PjrtBuffer {
  readonly shape: readonly number[];
  readonly type: ElementType;
  readonly byteLength: number;
  readonly handle: Handle;

  constructor(holdings: Holdings, pointer: bigint, spec: ArraySpec) {
    this.shape = spec.shape;
    this.type = spec.type;
    this.byteLength = spec.byteLength;
    this.handle = holdings.hold("Buffer_Destroy", pointer, spec.byteLength);
    holdings.watch(this, this.handle);
  }

  get released(): boolean {
    return this.handle.pointer === 0n;
  }

  async read(): Promise<HostArray> {
    return this.handle.holdings.finishReadLater(this.startRead());
  }

  readSync(): HostArray {
    return this.handle.holdings.finishRead(this.startRead());
  }

  release(): void {
    this.handle.destroy();
  }

  private startRead(): Transfer {
    this.handle.holdings.assertOpen();
    if (this.released)
      throw new PjrtError("released", `A buffer of ${describe(this)} was read after its release.`);
    return this.handle.holdings.startRead(this.handle.pointer, this);
  }
}
