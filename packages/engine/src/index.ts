// The public names of the engine. Native back ends are subpaths: @pliant/engine/onnx, @pliant/engine/xla.
export type { About, Backend, Executable, ProgramOptions } from "./backend.js";
export { byRows } from "./by-rows.js";
export { type Argument, type Compiled, compile, evaluate, readAll } from "./compile.js";
export { checkpoint, cond, type ScanOptions, scan, whileLoop } from "./control/index.js";
export { customGradient, operation } from "./custom.js";
export * from "./derived/index.js";
export type { Data, DType, Shape } from "./dtype.js";
export { EngineError, isLibrary, ShapeError } from "./errors.js";
export { grad, valueAndGrad } from "./grad.js";
export { type Program, print } from "./graph.js";
export { infiniteSlopes } from "./infinite-slopes.js";
export { hessian, jacobian, vjp } from "./jacobian.js";
export { jvp } from "./jvp.js";
export { lanes } from "./lanes/index.js";
export { type Loop, loop, type Step } from "./loop.js";
export { array, full, NdArray, type Stored } from "./ndarray.js";
export { type ExportInput, type ExportOptions, exportOnnx } from "./onnx/export/export.js";
export * from "./ops/index.js";
/** Random numbers with explicit keys, the same on every machine: a key is a value, used for one draw; `split` and `foldIn` give others. */
export * as random from "./random.js";
export { reference } from "./reference/index.js";
export { shard } from "./shard.js";
export type { Stack, StackRule } from "./stacked.js";
export { auc, cvar, quantile } from "./statistics.js";
export {
  type Aval,
  constant,
  type GradientRule,
  type Kernel,
  type Op,
  type Operand,
  Tensor,
} from "./tensor.js";
export { leaves, mapTree, type Replace, type Tree, zipTrees } from "./tree.js";
export { vmap } from "./vmap.js";
