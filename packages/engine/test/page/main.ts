// The page opens the back end of the browser, trains on it, and stores the result where the test finds it.
import * as engine from "../../src/index.js";
import { onnxInPage } from "../../src/onnx/index.js";
import { trained } from "./training.js";

export interface Outcome {
  /** The runtimes that were loaded. */
  readonly used: readonly string[];
  readonly accelerator?: string;
  readonly numbers: readonly number[];
  /** How often work was handed to the GPU. */
  readonly submitted: number;
}

let submitted = 0;
const queue = (globalThis as { GPUQueue?: { prototype: { submit(...work: unknown[]): void } } }).GPUQueue;
const submit = queue?.prototype.submit;
if (queue && submit)
  queue.prototype.submit = function (...work) {
    submitted++;
    submit.apply(this, work);
  };

const used: string[] = [];
const from = (file: string) => async () => {
  used.push(file);
  const ort = await import(`/ort/${file}`);
  ort.env.wasm.numThreads = 1;
  return ort;
};
const backend = await onnxInPage({
  webgpu: from("ort.webgpu.bundle.min.mjs"),
  wasm: from("ort.bundle.min.mjs"),
});
const numbers = await trained(engine, backend);
const outcome: Outcome = { used, accelerator: backend.about?.accelerator, numbers, submitted };
Object.assign(globalThis, { outcome });
