/**
 * Compiled programs and the hot path: one execution writes the addresses of its inputs into memory prepared
 * beforehand, makes one call, and wraps the addresses that come back.
 */
import { Block, PjrtError, Struct } from "./pjrt-api.js";
import { type ArraySpec, DeviceBuffer, type Handle, type Holdings, type PjrtBuffer } from "./pjrt-buffer.js";
import {
  ANSWER,
  COMPILED_MEMORY,
  EXECUTE,
  EXECUTE_OPTIONS,
  type FunctionName,
  SUBJECT,
} from "./pjrt-layout.js";

export interface PjrtExecutable {
  readonly outputs: readonly ArraySpec[];
  readonly released: boolean;
  /**
   * Starts the program and returns its outputs, which may still be in the making. Inputs whose positions
   * are in `donate` are given away: they are released, and XLA may write outputs over them where the
   * program allows it (the argument attributes `tf.aliasing_output` and `jax.buffer_donor`). All others
   * stay as they are.
   */
  execute(inputs: readonly PjrtBuffer[], options?: { readonly donate?: readonly number[] }): PjrtBuffer[];
  /** The memory a run takes besides its inputs and outputs, as the compiler planned it. */
  temporaryBytes(): number;
  release(): void;
}

/** The memory of one call with a certain number of inputs. */
class Call {
  readonly args = new Struct();
  readonly options = new Struct();
  readonly inputs: Block;
  readonly outputs: Block;
  readonly notDonated: Block;

  constructor(executable: bigint, inputCount: number, outputCount: number) {
    this.inputs = new Block(inputCount);
    this.outputs = new Block(outputCount);
    this.notDonated = new Block(inputCount);
    this.options.point(EXECUTE_OPTIONS.notDonated, this.notDonated);
    this.args
      .set(EXECUTE.executable, executable)
      .point(EXECUTE.options, this.options)
      .point(EXECUTE.inputLists, new Block(1).point(0, this.inputs))
      .set(EXECUTE.deviceCount, 1)
      .set(EXECUTE.inputCount, inputCount)
      .point(EXECUTE.outputLists, new Block(1).point(0, this.outputs));
  }

  /** XLA receives the list of inputs that it must not overwrite, so donated ones are left out. */
  keepAllBut(donated: readonly number[]): void {
    let count = 0;
    for (let input = 0; input < this.inputs.words.length; input++) {
      if (!donated.includes(input)) this.notDonated.words[count++] = BigInt(input);
    }
    this.options.words[EXECUTE_OPTIONS.notDonatedCount] = BigInt(count);
  }
}

const NONE: readonly number[] = [];

export class Executable implements PjrtExecutable {
  private call: Call | null = null;
  private readonly holdings: Holdings;

  constructor(
    private readonly handle: Handle,
    readonly outputs: readonly ArraySpec[],
  ) {
    this.holdings = handle.holdings;
    this.holdings.watch(this, handle);
  }

  get released(): boolean {
    return this.handle.pointer === 0n;
  }

  /**
   * No completion event is requested, because it would have to be awaited and destroyed each time. A program that fails after its start
   * leaves the failure in its outputs, where reading finds
   * it. XLA itself holds the caller back when too many executions are under way.
   */
  execute(
    inputs: readonly PjrtBuffer[],
    { donate = NONE }: { readonly donate?: readonly number[] } = {},
  ): PjrtBuffer[] {
    this.holdings.assertOpen();
    if (this.released) throw new PjrtError("released", "A program was run after its release.");
    if (this.call?.inputs.words.length !== inputs.length) {
      this.call = new Call(this.handle.pointer, inputs.length, this.outputs.length);
    }
    const call = this.call!;
    for (let index = 0; index < inputs.length; index++) {
      call.inputs.words[index] = this.addressOf(inputs[index], index);
    }
    if (donate.length > 0) checkDonation(inputs, donate);
    call.keepAllBut(donate);
    const { plugin } = this.holdings;
    const error = plugin.functions.LoadedExecutable_Execute(call.args.address);
    if (error !== null) throw plugin.failure(error, "execute", this.describeRun(inputs));
    const outputs = new Array<PjrtBuffer>(this.outputs.length);
    for (let index = 0; index < outputs.length; index++) {
      outputs[index] = new DeviceBuffer(this.holdings, call.outputs.words[index], this.outputs[index]);
    }
    for (const index of donate) inputs[index].release();
    return outputs;
  }

  temporaryBytes(): number {
    const { plugin } = this.holdings;
    const ask = (name: FunctionName, subject: bigint): Struct =>
      plugin.call(name, new Struct().set(SUBJECT, subject), "compile", `answering PJRT_${name}`);
    const executable = ask("LoadedExecutable_GetExecutable", this.handle.pointer).pointer(ANSWER);
    try {
      return ask("Executable_GetCompiledMemoryStats", executable).number(COMPILED_MEMORY.temporary);
    } finally {
      ask("Executable_Destroy", executable);
    }
  }

  release(): void {
    this.handle.destroy();
    this.call = null;
  }

  private addressOf(input: PjrtBuffer, index: number): bigint {
    if (!(input instanceof DeviceBuffer) || input.handle.holdings !== this.holdings) {
      throw new PjrtError(
        "argument",
        `Input ${index} of a program is not a buffer of the client that compiled it.`,
      );
    }
    if (input.released)
      throw new PjrtError("released", `Input ${index} of a program was released before the run.`);
    return input.handle.pointer;
  }

  private describeRun(inputs: readonly PjrtBuffer[]): string {
    const size = (arrays: readonly ArraySpec[]) =>
      arrays.reduce((sum, { byteLength }) => sum + byteLength, 0).toLocaleString("en");
    return (
      `running a program with ${inputs.length} inputs (${size(inputs)} bytes) and ` +
      `${this.outputs.length} outputs (${size(this.outputs)} bytes)`
    );
  }
}

/** A buffer that is given away must not be an input twice, or the program would read what it overwrites. */
function checkDonation(inputs: readonly PjrtBuffer[], donate: readonly number[]): void {
  for (const index of donate) {
    const input = inputs[index];
    if (!input)
      throw new PjrtError("argument", `Input ${index} cannot be donated: there are ${inputs.length} inputs.`);
    const other = inputs.findIndex((candidate, position) => candidate === input && position !== index);
    if (other >= 0) {
      throw new PjrtError(
        "argument",
        `Input ${index} cannot be donated: the same buffer is also input ${other}.`,
      );
    }
  }
}
