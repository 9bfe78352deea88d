// Runs on disk: folders with the request, metrics, checkpoints and the report; and progress lines.
export { workFailed } from "./at-work.js";
export { decodeState, encodeState, type Saved } from "./checkpoint.js";
export { type ChunkedRun, runChunks } from "./chunks.js";
export { type Circumstances, circumstances } from "./circumstances.js";
export { type Interrupt, Interrupted, type InterruptOptions, interrupt } from "./interrupt.js";
export { computingIn, openIn, type Precision } from "./precision.js";
export * from "./progress.js";
export { begunRun, type RunFolder, resumeRun, startRun } from "./run-folder.js";
export { lineOf, type TrainOptions, train } from "./train.js";
