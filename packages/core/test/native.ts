// ONNX Runtime, for what no back end would solve in another way: named, so that it is solved once and not again without a plugin.
// Where rounding decides, as in certificates, tests leave the choice to the solver.
import { onnx } from "@pliant/engine/onnx";

export const backend = await onnx();
