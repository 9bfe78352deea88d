// What a back end is: something that stores arrays and turns a program into an executable.
import type { Data } from "./dtype.js";
import type { Program } from "./graph.js";
import type { NdArray, Stored } from "./ndarray.js";

export interface Executable {
  run(inputs: readonly Stored[]): Promise<Stored[]>;
  /**
   * Where arrays are host memory: a call that always reads its inputs and writes its results at the same places, and
   * allocates nothing. No memory may be both.
   */
  bind?(inputs: readonly NdArray[], results: readonly Data[]): () => Promise<void>;
  release(): void;
}

/**
 * A step to be repeated: its program's inputs are the state, then what stays the same, then this step's slice of what
 * changes; its outputs are the next state, then what is recorded of each step.
 */
export interface StepProgram extends Program {
  readonly states: number;
  readonly constants: number;
}

export interface LoopExecutable {
  /** `sliced` arrays have a leading axis of `steps`; so have the records that come back. */
  run(inputs: LoopInputs): Promise<{ states: Stored[]; records: Stored[] }>;
}

export interface LoopInputs {
  readonly steps: number;
  readonly states: readonly Stored[];
  readonly constants: readonly Stored[];
  readonly sliced: readonly Stored[];
}

export interface Backend {
  readonly name: string;
  /** Puts an array where programs read it fastest. */
  put(value: NdArray): Stored;
  compile(program: Program): Promise<Executable>;
  /** Only where a loop can be compiled whole; elsewhere it is a loop of calls. */
  compileLoop?(program: StepProgram, steps: number): Promise<LoopExecutable>;
  /** Frees what the back end holds. */
  close(): Promise<void>;
}
