// A processor's two back ends as one. XLA compiles the steps of a loop into fewer passes over memory than ONNX Runtime makes, and needs
// longer to compile; its convolutions and sorts are slower. So loops without these run on XLA, all else on ONNX Runtime.
// The choice is by the program alone: the same program gives the same numbers in every run.
import type { Backend, LoopExecutable, StepProgram } from "./backend.js";
import { loopOfCalls } from "./calls.js";
import { executableFor } from "./compile.js";
import { Body } from "./control/body.js";
import type { DType, Shape } from "./dtype.js";
import { type Program, topological } from "./graph.js";
import type { NdArray, Stored } from "./ndarray.js";

/** An array that lies on the host and, once a loop there reads it, with XLA too. */
class OnBoth implements Stored {
  readonly shape: Shape;
  readonly dtype: DType;
  private there?: Stored;

  constructor(
    private readonly value: NdArray,
    private readonly xla: Backend,
  ) {
    this.shape = value.shape;
    this.dtype = value.dtype;
  }

  async read(): Promise<NdArray> {
    return this.value;
  }

  onXla(): Stored {
    this.there ??= this.xla.put(this.value);
    return this.there;
  }
}

const onXla = (value: Stored): Stored => (value instanceof OnBoth ? value.onXla() : value);

/** Whether something in a program, or in one that it holds, is faster on ONNX Runtime. */
export const suitsOnnx = ({ outputs }: Program): boolean =>
  topological(outputs).some(
    ({ op, attrs }) =>
      op.suitsOnnx || Object.values(attrs as object).some((held) => held instanceof Body && suitsOnnx(held)),
  );

/** As ONNX Runtime's, whatever is asked for. */
const precision = "float32";

export function cpu(onnx: Backend, xla: Backend): Backend {
  const onOnnx = async (program: StepProgram): Promise<LoopExecutable> =>
    (await loopOfCalls(program, onnx, (some) => executableFor(some, onnx))).executable;
  const onXlaWhole = async (program: StepProgram, steps: number): Promise<LoopExecutable> => {
    const { run, release } = await xla.compileLoop!(program, steps, { precision });
    return {
      release,
      run: ({ states, constants, sliced, donate, ...rest }) =>
        run({
          ...rest,
          donate,
          // A state that may be used up is copied: its place on the host stays.
          states: donate ? states : states.map(onXla),
          constants: constants.map(onXla),
          sliced: sliced.map(onXla),
        }),
    };
  };
  return {
    name: "onnx and xla",
    about: { ...xla.about, precision },
    put: (value) => new OnBoth(value, xla),
    compile: (program) => onnx.compile(program),
    compileLoop: (program, steps) => (suitsOnnx(program) ? onOnnx(program) : onXlaWhole(program, steps)),
    async close() {
      await Promise.all([onnx.close(), xla.close()]);
    },
  };
}
