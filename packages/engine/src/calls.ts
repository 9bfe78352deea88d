// A loop of steps as a loop of calls on fixed memory: the state lives in two sets of buffers that change roles at every
// call. Where a step is so small that calling it costs as much as running it, several in a row are one program.
import type { Backend, Executable, LoopExecutable, LoopInputs, StepProgram } from "./backend.js";
import { allocate } from "./dtype.js";
import type { Lease } from "./executables.js";
import type { Program } from "./graph.js";
import { NdArray } from "./ndarray.js";
import { rebuild } from "./passes.js";
import { input, type Tensor } from "./tensor.js";

/** So many steps as one program: the state, what stays the same and each step's slice; the last state and each step's record. */
function inRow({ inputs, outputs, states, constants }: StepProgram, steps: number): Program {
  const own = inputs.slice(states + constants);
  const given = inputs.slice(0, states + constants);
  const records: Tensor[] = [];
  let state: readonly Tensor[] = inputs.slice(0, states);
  for (let i = 0; i < steps; i++) {
    const slice = own.map((x) => input(`${x.op.name}${i}`, x));
    given.push(...slice);
    const before = new Map([
      ...state.map((x, k) => [inputs[k], x] as const),
      ...slice.map((x, k) => [own[k], x] as const),
    ]);
    const after = rebuild({ inputs, outputs }, (node) => node, before).outputs;
    state = after.slice(0, states);
    records.push(...after.slice(states));
  }
  return { inputs: given, outputs: [...state, ...records] };
}

const memory = ({ dtype, shape, size }: Tensor): NdArray => new NdArray(allocate(dtype, size), shape, dtype);

/** Steps that are run by one call, and where it reads their slices and writes their records. */
interface Stretch {
  readonly steps: number;
  readonly executable: Executable;
  readonly slices: readonly NdArray[];
  readonly records: readonly NdArray[];
}

export async function loopOfCalls(
  program: StepProgram,
  backend: Backend,
  compile: (program: Program) => Promise<Lease<Executable>>,
): Promise<Lease<LoopExecutable>> {
  const { states: count, constants, inputs, outputs } = program;
  const own = inputs.slice(count + constants);
  const recorded = outputs.slice(count);
  const several = backend.stepsInCall?.(program) ?? 1;
  const single = await compile(program);
  let long: Promise<Lease<Executable>> | undefined;

  /** Fresh memory for every run: a loop may be run twice at once. */
  const stretchOf = ({ executable }: Lease<Executable>, steps: number): Stretch => {
    const times = (list: readonly Tensor[]) => Array.from({ length: steps }, () => list.map(memory)).flat();
    return { steps, executable, slices: times(own), records: times(recorded) };
  };

  const run = async ({ steps, states, constants, sliced }: LoopInputs) => {
    const fixed = await Promise.all(constants.map((c) => c.read()));
    const slices = await Promise.all(sliced.map((s) => s.read()));
    const first = await Promise.all(states.map((s) => s.read()));
    // Never the caller's arrays: two sets of states, in turn.
    const sets = [0, 1].map(() => outputs.slice(0, count).map(memory));
    const records = recorded.map(
      ({ dtype, shape, size }) => new NdArray(allocate(dtype, steps * size), [steps, ...shape], dtype),
    );
    const stretches = [stretchOf(single, 1)];
    if (several > 1 && steps >= 2 * several) {
      long ??= compile(inRow(program, several));
      stretches.unshift(stretchOf(await long, several));
    }
    let latest = first;
    let done = 0;
    for (const stretch of stretches) {
      const call = (from: readonly NdArray[], to: readonly NdArray[]) =>
        stretch.executable.bind!(
          [...from, ...fixed, ...stretch.slices],
          [...to, ...stretch.records].map(({ data }) => data),
        );
      const turns = new Map<readonly NdArray[], () => Promise<void>>();
      for (; steps - done >= stretch.steps; done += stretch.steps) {
        for (const [k, { data, size }] of stretch.slices.entries()) {
          const at = done + Math.floor(k / own.length);
          data.set(slices[k % own.length].data.subarray(at * size, (at + 1) * size));
        }
        const next = latest === sets[0] ? sets[1] : sets[0];
        const turn = turns.get(latest) ?? call(latest, next);
        turns.set(latest, turn);
        await turn();
        latest = next;
        for (const [k, { data, size }] of stretch.records.entries()) {
          const at = done + Math.floor(k / recorded.length);
          records[k % recorded.length].data.set(data, at * size);
        }
      }
    }
    return { states: steps === 0 ? [...states] : latest, records };
  };
  const giveBack = (): void => {
    single.giveBack();
    void long?.then((lease) => lease.giveBack()).catch(() => {});
  };
  return { executable: { run, release: giveBack }, giveBack };
}
