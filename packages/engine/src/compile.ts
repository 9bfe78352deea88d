// From a function of tensors to one of arrays: trace, optimise, compile once for each signature, run.
import type { Backend, Executable, ProgramOptions } from "./backend.js";
import { EngineError, kindOf } from "./errors.js";
import { giveBackAll, giveBackWith, holding, type Lease, lease } from "./executables.js";
import { type Program, print, programKey, showAval } from "./graph.js";
import { array, type NdArray, type Stored } from "./ndarray.js";
import { optimize } from "./passes.js";
import { evaluateAll, reference } from "./reference/index.js";
import { type Aval, input, lift, type Operand, Tensor } from "./tensor.js";
import { formOf, isStored, leaves, mapTree, type Replace } from "./tree.js";

/** The argument of a compiled function in place of a tensor of the traced one. */
export type Argument = Stored | number | boolean;
export type Arguments<P extends unknown[]> = { [K in keyof P]: Replace<P[K], Argument> };

export interface CompileOptions extends ProgramOptions {
  /** Where it runs; default: `reference()`. */
  backend?: Backend;
}

/**
 * A function that runs compiled: called with arrays, it promises arrays that stay where the back end has them until they are
 * read.
 */
export interface Compiled<P extends unknown[], R> {
  (...args: Arguments<P>): Promise<Replace<R, Stored>>;
  /** How often this function was compiled: once for each combination of shapes and dtypes it was called with. */
  readonly compilations: number;
  /** The optimised graph for arguments like these, as text. */
  show(...args: Arguments<P>): string;
  /** Gives back what was compiled; the next call compiles again. Left out, it happens when the function is collected. */
  release(): void;
}

export interface Traced {
  readonly program: Program;
  /** The result tree with, at each leaf, its number among the program's outputs. */
  readonly result: unknown;
}

/** Runs a function on tensors that stand for its arguments and keeps what it computes. */
export function trace(fn: (...args: never[]) => unknown, args: readonly unknown[]): Traced {
  const inputs: Tensor[] = [];
  const symbols = args.map((arg, i) =>
    mapTree(arg, (leaf: Aval, path) => {
      inputs.push(input(`arg${i}${path}`, leaf));
      return inputs[inputs.length - 1];
    }),
  );
  const outputs: Tensor[] = [];
  const result = mapTree((fn as (...args: unknown[]) => unknown)(...symbols), (leaf: Operand, path) => {
    outputs.push(outputTensor(leaf, path));
    return outputs.length - 1;
  });
  return { program: optimize({ inputs, outputs }), result };
}

function outputTensor(leaf: Operand, path: string): Tensor {
  const at = path === "" ? "The function's result" : `The result's ${path}`;
  if (leaf instanceof Promise)
    throw new EngineError(`${at} is a promise; a traced function must not be async.`);
  try {
    return lift(leaf);
  } catch {
    throw new EngineError(
      `${at} is ${kindOf(leaf)}; a compiled function returns tensors, or objects and lists of them.`,
    );
  }
}

/** Arguments as stored arrays; a bare number is a float32 scalar. */
export function storedArgument(leaf: unknown, path: string, backend: Backend): Stored {
  if (isStored(leaf)) return leaf;
  if (typeof leaf === "number" || typeof leaf === "boolean") return backend.put(array(leaf));
  const hint =
    leaf instanceof Tensor
      ? "a traced tensor"
      : ArrayBuffer.isView(leaf)
        ? "a bare typed array"
        : kindOf(leaf);
  throw new EngineError(
    `Argument ${path} is ${hint}; pass an array (array(…)), a number, or a result of a compiled function.`,
  );
}

export const executableFor = (
  program: Program,
  backend: Backend,
  options: ProgramOptions = {},
): Promise<Lease<Executable>> =>
  lease(backend, optionsKey(options) + programKey(program), () => backend.compile(program, options));

/** Programs compiled in different precisions are different programs. */
export const optionsKey = ({ precision }: ProgramOptions): string => `${precision ?? "usual"} `;

export const signatureOf = (args: readonly unknown[], arrays: readonly Aval[]): string =>
  formOf(args) + arrays.map(showAval).join();

/** Places the outputs of a run at the leaves of the result tree. */
export const fill = (result: unknown, outputs: readonly Stored[]): unknown =>
  mapTree(result, (i: number) => outputs[i]);

/**
 * A function of tensors, compiled. The first call with arrays of some shapes traces and compiles; later calls with the
 * same shapes only run.
 */
export function compile<P extends unknown[], R>(
  fn: (...args: P) => R,
  { backend = reference(), ...options }: CompileOptions = {},
): Compiled<P, R> {
  const known = new Map<string, Promise<{ lease: Lease<Executable>; result: unknown }>>();

  const flatten = (args: readonly unknown[]): Stored[] =>
    leaves(args).map(({ leaf, path }) => storedArgument(leaf, path, backend));

  const prepare = (args: readonly unknown[], arrays: readonly Stored[]) => {
    const signature = signatureOf(args, arrays);
    const found = known.get(signature);
    if (found) return found;
    let next = 0;
    const avals = args.map((arg) => mapTree(arg, () => arrays[next++]));
    const made = (async () => {
      const { program, result } = trace(fn, avals);
      return { lease: await executableFor(program, backend, options), result };
    })();
    known.set(signature, made);
    made.catch(() => known.delete(signature));
    return made;
  };

  const run = async (args: readonly unknown[]): Promise<unknown> => {
    const arrays = flatten(args);
    const { lease, result } = await prepare(args, arrays);
    return fill(result, await lease.executable.run(arrays));
  };
  const show = (...args: unknown[]): string => {
    const arrays = flatten(args);
    let next = 0;
    return print(
      trace(
        fn,
        args.map((arg) => mapTree(arg, () => arrays[next++])),
      ).program,
    );
  };
  const call = (...args: unknown[]): Promise<unknown> => holding(call, () => run(args));
  const release = (): void => {
    giveBackAll(known);
    known.clear();
  };
  giveBackWith(call, known);
  return Object.defineProperty(Object.assign(call, { show, release }), "compilations", {
    get: () => known.size,
  }) as unknown as Compiled<P, R>;
}

/** The contents of a tensor, or a tree of them, that depends on no argument: for examples, tests and the console. */
export function evaluate<T>(tree: T): Replace<T, NdArray> {
  const outputs: Tensor[] = [];
  const places = mapTree(tree, (leaf: Operand, path) => {
    outputs.push(outputTensor(leaf, path));
    return outputs.length - 1;
  });
  const values = evaluateAll(outputs);
  return mapTree(places, (i: number) => values[i]) as Replace<T, NdArray>;
}

/** Reads every leaf of a result back to the host. */
export async function readAll<T>(tree: T): Promise<Replace<T, NdArray>> {
  const list = await Promise.all(leaves(tree).map(({ leaf }) => (leaf as Stored).read()));
  let next = 0;
  return mapTree(tree, () => list[next++]) as Replace<T, NdArray>;
}
