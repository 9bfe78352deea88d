/**
 * A program that runs on several devices at once: each has its own inputs and outputs, parts or copies of arrays, and they
 * exchange what the compiler found they must.
 */
import { Block, PjrtError, Struct } from "./pjrt-api.js";
import { type ArraySpec, DeviceBuffer, type Handle, type PjrtBuffer } from "./pjrt-buffer.js";
import { EXECUTE } from "./pjrt-layout.js";

export class ShardedExecutable {
  constructor(
    private readonly handle: Handle,
    readonly devices: number,
    /** The results of each device. */
    readonly outputs: readonly ArraySpec[],
  ) {
    handle.holdings.watch(this, handle);
  }

  /** Inputs and outputs: for each device, a list. */
  execute(inputs: readonly (readonly PjrtBuffer[])[]): PjrtBuffer[][] {
    const { holdings, pointer } = this.handle;
    holdings.assertOpen();
    if (pointer === 0n) throw new PjrtError("released", "A program was run after its release.");
    const given = inputs.map((list) => {
      const block = new Block(list.length);
      for (const [i, buffer] of list.entries()) block.words[i] = (buffer as DeviceBuffer).handle.pointer;
      return block;
    });
    const made = inputs.map(() => new Block(this.outputs.length));
    const lists = (blocks: readonly Block[]): Block => {
      const list = new Block(blocks.length);
      for (const [i, block] of blocks.entries()) list.point(i, block);
      return list;
    };
    const args = new Struct()
      .set(EXECUTE.executable, pointer)
      .point(EXECUTE.options, new Struct())
      .point(EXECUTE.inputLists, lists(given))
      .set(EXECUTE.deviceCount, this.devices)
      .set(EXECUTE.inputCount, inputs[0].length)
      .point(EXECUTE.outputLists, lists(made));
    const { plugin } = holdings;
    const error = plugin.functions.LoadedExecutable_Execute(args.address);
    if (error !== null)
      throw plugin.failure(error, "execute", `running a program on ${this.devices} devices`);
    return made.map(({ words }) =>
      this.outputs.map((spec, i) => new DeviceBuffer(holdings, words[i], spec) as PjrtBuffer),
    );
  }

  release(): void {
    this.handle.destroy();
  }
}
