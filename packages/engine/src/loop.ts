// Many steps in one call. A step takes the state, data that stays the same and its own slice of what changes (batch
// indices, random numbers), and gives the next state and a record. XLA runs all steps as one compiled `while`; elsewhere
// it is a loop of calls (calls.ts).
import type { Backend, LoopExecutable, ProgramOptions, StepProgram } from "./backend.js";
import { loopOfCalls } from "./calls.js";
import {
  type Argument,
  executableFor,
  fill,
  optionsKey,
  signatureOf,
  storedArgument,
  trace,
} from "./compile.js";
import { EngineError, kindOf } from "./errors.js";
import { giveBackAll, giveBackWith, holding, type Lease, lease } from "./executables.js";
import { programKey, showAval } from "./graph.js";
import type { Stored } from "./ndarray.js";
import { reference } from "./reference/index.js";
import { sameShape } from "./shape.js";
import { type Aval, input, type Tensor } from "./tensor.js";
import { formOf, leaves, mapTree, type Replace } from "./tree.js";

/** A step: (state, data, slice) → { state, record }. */
export type Step<S, D, X, R> = (state: S, data: D, slice: X) => { state: Replace<S, Tensor>; record: R };

export interface Loop<S, D, X, R> {
  /** Runs as many steps as the leading axis of `slices` is long; records come back stacked along such an axis. */
  (
    state: Replace<S, Argument>,
    data: Replace<D, Argument>,
    slices: Replace<X, Stored>,
  ): Promise<{ state: Replace<S, Stored>; record: Replace<R, Stored> }>;
  readonly compilations: number;
  /** Gives back what was compiled; the next call compiles again. Left out, it happens when the loop is collected. */
  release(): void;
}

export interface LoopOptions extends ProgramOptions {
  backend?: Backend;
  /** Whether the state given is used up: where it lies on a device the next one takes its memory, and it cannot be read. */
  donate?: boolean;
}

/** A step function made into a training loop that runs where the data lies. */
export function loop<S, D, X, R>(
  step: Step<S, D, X, R>,
  { backend = reference(), donate = false, ...options }: LoopOptions = {},
): Loop<S, D, X, R> {
  const known = new Map<string, Promise<{ lease: Lease<LoopExecutable>; record: unknown }>>();

  const prepare = (trees: readonly unknown[], groups: readonly Stored[][], steps: number) => {
    const avals = avalsOf(groups);
    const signature = signatureOf(trees, avals) + (backend.compileLoop ? steps : "");
    const found = known.get(signature);
    if (found) return found;
    const made = (async () => {
      const { program, record } = traceStep(
        step as Step<unknown, unknown, unknown, unknown>,
        trees,
        groups,
        avals,
      );
      return { lease: await executableLoop(program, steps, backend, options), record };
    })();
    known.set(signature, made);
    made.catch(() => known.delete(signature));
    return made;
  };

  const run = async (trees: readonly unknown[]): Promise<unknown> => {
    const groups = trees.map((tree) =>
      leaves(tree).map(({ leaf, path }) => storedArgument(leaf, path, backend)),
    );
    const [states, constants, sliced] = groups;
    const steps = stepsOf(sliced);
    const { lease, record } = await prepare(trees, groups, steps);
    const done = await lease.executable.run({ steps, states, constants, sliced, donate });
    let next = 0;
    return { state: mapTree(trees[0], () => done.states[next++]), record: fill(record, done.records) };
  };
  const call = (...trees: unknown[]): Promise<unknown> => holding(call, () => run(trees));
  const release = (): void => {
    giveBackAll(known);
    known.clear();
  };
  giveBackWith(call, known);
  return Object.defineProperty(Object.assign(call, { release }), "compilations", {
    get: () => known.size,
  }) as unknown as Loop<S, D, X, R>;
}

/** All steps as one executable where the back end makes such, else a loop of calls of one step's. */
export async function executableLoop(
  program: StepProgram,
  steps: number,
  backend: Backend,
  options: ProgramOptions,
): Promise<Lease<LoopExecutable>> {
  if (backend.compileLoop) {
    const key = `${optionsKey(options)}${steps} steps, ${program.states} states, ${program.constants} constants\n${programKey(program)}`;
    return lease(backend, key, () => backend.compileLoop!(program, steps, options));
  }
  return loopOfCalls(program, backend, (some) => executableFor(some, backend, options));
}

function stepsOf(sliced: readonly Stored[]): number {
  const steps = sliced[0]?.shape[0];
  if (steps === undefined || sliced.some(({ shape }) => shape[0] !== steps)) {
    const shapes = sliced.map(showAval).join(", ");
    throw new EngineError(
      `loop: slices need one leading axis of equal length, the number of steps; got ${shapes || "none"}.`,
    );
  }
  return steps;
}

/** The arguments of a step: the state, the constant arrays, and a slice of the changing ones. */
function avalsOf([states, constants, sliced]: readonly Stored[][]): Aval[] {
  const sliceOf = ({ shape, dtype }: Stored): Tensor => input("slice", { shape: shape.slice(1), dtype });
  return [...states, ...constants, ...sliced.map(sliceOf)];
}

const isResult = (value: unknown): value is { state: unknown; record: unknown } =>
  typeof value === "object" && value !== null && "state" in value && "record" in value;

function traceStep(
  step: Step<unknown, unknown, unknown, unknown>,
  trees: readonly unknown[],
  [states, constants]: readonly Stored[][],
  avals: readonly Aval[],
) {
  let next = 0;
  const args = trees.map((tree) => mapTree(tree, () => avals[next++]));
  let form = "";
  const { program, result } = trace((state: never, data: never, slice: never) => {
    const result: unknown = step(state, data, slice);
    if (!isResult(result))
      throw new EngineError(`loop: a step returns { state, record }, not ${kindOf(result)}.`);
    const { state: after, record } = result;
    form = formOf(after);
    return [after, record];
  }, args);
  const [after, record] = result as [unknown, unknown];
  if (form !== formOf(trees[0]))
    throw new EngineError("loop: the step's next state must have the form of the state it was given.");
  for (const [i, { path }] of leaves(after).entries()) {
    const output = program.outputs[i];
    if (!sameShape(output.shape, states[i].shape) || output.dtype !== states[i].dtype) {
      throw new EngineError(
        `loop: state${path} enters a step as ${showAval(states[i])} and leaves it as ${showAval(output)}.`,
      );
    }
  }
  const stepProgram: StepProgram = { ...program, states: states.length, constants: constants.length };
  return { program: stepProgram, record: mapTree(record, (i: number) => i - states.length) };
}
