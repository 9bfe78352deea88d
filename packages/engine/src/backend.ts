// A back end stores arrays and compiles programs.
import type { Data } from "./dtype.js";
import type { Program } from "./graph.js";
import type { NdArray, Stored } from "./ndarray.js";

/** A program compiled by a back end. */
export interface Executable {
  run(inputs: readonly Stored[]): Promise<Stored[]>;
  /**
   * Where arrays are host memory: a call that always reads its inputs and writes its results at the same places, and
   * allocates nothing. No memory may be both.
   */
  bind?(inputs: readonly NdArray[], results: readonly Data[]): () => Promise<void>;
  /** Frees it once what runs is done; it cannot be run again. */
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
  release(): void;
}

export interface LoopInputs {
  readonly steps: number;
  readonly states: readonly Stored[];
  readonly constants: readonly Stored[];
  readonly sliced: readonly Stored[];
  /** Whether the memory of the states may be taken for the new ones. */
  readonly donate?: boolean;
}

/**
 * How float32 products are computed where there is a choice, which is on XLA: `float32` exactly, `tf32` on tensor cores with
 * 10 bits of mantissa, `bf16` with bfloat16 operands and activations. Parameters, sums and results are float32 in all three.
 */
export type Precision = "float32" | "tf32" | "bf16";

/** How one program is to be compiled. */
export interface ProgramOptions {
  /** The precision of this program (default: the back end's). Back ends that only know float32 compute in it. */
  precision?: Precision;
}

/** The hardware of a back end, for the record of a run. */
export interface About {
  /** How float32 products are computed. */
  readonly precision: string;
  /** The accelerator's own name. */
  readonly accelerator?: string;
  /** The plugin's file, its package's version where one is installed beside it, and the platform that it reports. */
  readonly plugin?: string;
  readonly pluginVersion?: string;
  readonly platform?: string;
}

/**
 * A way to run programs: `reference()`, `onnx()` of `pliant/engine/onnx`, `xla()` of `pliant/engine/xla`, or `open` of
 * `pliant/engine/device`, which chooses.
 */
export interface Backend {
  readonly name: string;
  /** float32 and no further facts by default. */
  readonly about?: About;
  /** Puts an array where programs read it fastest. */
  put(value: NdArray): Stored;
  /** As `put`, for what only the next calls read: lanes keep what is put, and share it. `put` where it is absent. */
  place?(value: NdArray): Stored;
  compile(program: Program, options?: ProgramOptions): Promise<Executable>;
  /** Only where a loop can be compiled whole; elsewhere it is a loop of calls. */
  compileLoop?(program: StepProgram, steps: number, options?: ProgramOptions): Promise<LoopExecutable>;
  /** Elsewhere: how many steps of a loop are worth a program of their own; default: one. */
  stepsInCall?(step: Program): number;
  /** Frees what the back end holds, once what runs is done. */
  close(): Promise<void>;
}
