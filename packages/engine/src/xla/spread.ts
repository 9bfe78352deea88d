// The xla back end over several devices: one program, of which each runs a part. Arrays lie on all of them, in parts along
// an axis where the program reads them through `shard`, else as copies.
import type {
  Backend,
  Executable,
  LoopExecutable,
  LoopInputs,
  Precision,
  ProgramOptions,
  StepProgram,
} from "../backend.js";
import { allocate, type Data } from "../dtype.js";
import { EngineError } from "../errors.js";
import { type Program, showAval } from "../graph.js";
import { NdArray, type Stored } from "../ndarray.js";
import { range, sizeOf } from "../shape.js";
import { shardedAxes } from "../shard.js";
import type { Aval } from "../tensor.js";
import { toStableHlo, toStableHloLoop } from "./emit.js";
import type { PjrtBuffer, PjrtClient } from "./pjrt.js";
import { arraySpec } from "./pjrt-buffer.js";

/** An array on all devices: parts along an axis, or copies. */
class SpreadArray implements Stored {
  constructor(
    readonly buffers: readonly PjrtBuffer[],
    readonly shape: Aval["shape"],
    readonly dtype: Aval["dtype"],
    readonly axis?: number,
  ) {}

  async read(): Promise<NdArray> {
    const first = (await this.buffers[0].read()) as Data;
    if (this.axis === undefined) return new NdArray(first, this.shape, this.dtype);
    const others = await Promise.all(this.buffers.slice(1).map((b) => b.read()));
    return joined([first, ...(others as Data[])], this, this.axis);
  }
}

/** How many elements of a part lie together, and how often. */
function pieces({ shape }: Aval, axis: number, parts: number): { size: number; times: number } {
  return { size: sizeOf(shape.slice(axis)) / parts, times: sizeOf(shape.slice(0, axis)) };
}

function joined(parts: readonly Data[], aval: Aval, axis: number): NdArray {
  const { size, times } = pieces(aval, axis, parts.length);
  const all = allocate(aval.dtype, sizeOf(aval.shape));
  for (const t of range(times))
    for (const [k, part] of parts.entries())
      all.set(part.subarray(t * size, (t + 1) * size), (t * parts.length + k) * size);
  return new NdArray(all, aval.shape, aval.dtype);
}

function partOf({ data, shape, dtype }: NdArray, axis: number, k: number, parts: number): Data {
  const { size, times } = pieces({ shape, dtype }, axis, parts);
  const part = allocate(dtype, size * times);
  for (const t of range(times))
    part.set(data.subarray((t * parts + k) * size, (t * parts + k + 1) * size), t * size);
  return part;
}

const partShape = ({ shape }: Aval, axis: number | undefined, parts: number): number[] =>
  shape.map((d, i) => (i === axis ? d / parts : d));

/** Arrays that go in or come out, each with the axis it lies in parts along. */
interface Placed {
  readonly aval: Aval;
  readonly axis?: number;
}

const strict = { xla: { xla_cpu_enable_fast_min_max: false } };

export function spread(
  client: PjrtClient,
  devices: number,
  usual: Precision,
): Pick<Backend, "put" | "compile" | "compileLoop"> {
  const refuseUneven = (all: readonly Placed[]): void => {
    const uneven = all.find(({ aval, axis }) => axis !== undefined && aval.shape[axis] % devices !== 0);
    if (uneven)
      throw new EngineError(
        `shard: axis ${uneven.axis} of ${showAval(uneven.aval)} cannot be shared among ${devices} devices; its size is no multiple of ${devices}.`,
      );
  };

  const place = (value: NdArray, axis?: number): SpreadArray => {
    const shape = partShape(value, axis, devices);
    const buffers = range(devices).map((k) =>
      client.upload(axis === undefined ? value.data : partOf(value, axis, k, devices), shape, value.dtype, k),
    );
    return new SpreadArray(buffers, value.shape, value.dtype, axis);
  };

  /** A compiled program as a function of arrays. */
  const compiled = (text: string, inputs: readonly Placed[], outputs: readonly Placed[]) => {
    refuseUneven([...inputs, ...outputs]);
    const executable = client.compileOver(
      text,
      devices,
      outputs.map(({ aval, axis }) => arraySpec(partShape(aval, axis, devices), aval.dtype)),
      strict,
    );
    return {
      release: () => executable.release(),
      async run(given: readonly Stored[]): Promise<SpreadArray[]> {
        const arrays: SpreadArray[] = [];
        const uploaded: SpreadArray[] = [];
        for (const [i, value] of given.entries()) {
          const fits = value instanceof SpreadArray && value.axis === inputs[i].axis;
          const array = fits ? value : place(await value.read(), inputs[i].axis);
          if (!fits) uploaded.push(array);
          arrays.push(array);
        }
        const made = executable.execute(range(devices).map((k) => arrays.map(({ buffers }) => buffers[k])));
        for (const { buffers } of uploaded) for (const buffer of buffers) buffer.release();
        return outputs.map(
          ({ aval, axis }, i) =>
            new SpreadArray(
              made.map((list) => list[i]),
              aval.shape,
              aval.dtype,
              axis,
            ),
        );
      },
    };
  };

  return {
    put: (value) => place(value),
    async compile(program: Program, { precision = usual }: ProgramOptions = {}): Promise<Executable> {
      const axes = shardedAxes(program.inputs, program.outputs);
      return compiled(
        toStableHlo(program, precision, new Set(), { devices, ...axes }),
        program.inputs.map((aval, i) => ({ aval, axis: axes.inputs[i] })),
        program.outputs.map((aval, i) => ({ aval, axis: axes.outputs[i] })),
      );
    },
    async compileLoop(
      program: StepProgram,
      steps: number,
      { precision = usual }: ProgramOptions = {},
    ): Promise<LoopExecutable> {
      const { states, constants } = program;
      const found = shardedAxes(program.inputs, program.outputs);
      const behind = (axis: number | undefined) => (axis === undefined ? undefined : axis + 1);
      const stacked = ({ shape, dtype }: Aval): Aval => ({ shape: [steps, ...shape], dtype });
      const inputs = program.inputs.map(
        (x, i): Placed =>
          i < states + constants
            ? { aval: x, axis: found.inputs[i] }
            : { aval: stacked(x), axis: behind(found.inputs[i]) },
      );
      // A state leaves as it came.
      const outputs = program.outputs.map(
        (y, i): Placed =>
          i < states
            ? { aval: y, axis: inputs[i].axis }
            : { aval: stacked(y), axis: behind(found.outputs[i]) },
      );
      const layout = {
        devices,
        inputs: inputs.map(({ axis }) => axis),
        outputs: outputs.map(({ axis }) => axis),
      };
      const { run, release } = compiled(
        toStableHloLoop(program, steps, precision, new Set(), layout),
        inputs,
        outputs,
      );
      return {
        release,
        async run({ states: first, constants: fixed, sliced }: LoopInputs) {
          const results = await run([...first, ...fixed, ...sliced]);
          return { states: results.slice(0, states), records: results.slice(states) };
        },
      };
    },
  };
}
