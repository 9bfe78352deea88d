// The onnx back end, in four rooms: `emission` writes a program as an ONNX graph, `layout` chooses how images lie in memory,
// `runtime` runs graphs, `export` writes models that stand by themselves.
export { type OnnxOptions, onnx } from "./runtime/backend.js";
export { onnxInPage, type PageRuntimes } from "./runtime/page.js";
export { offerRuntime } from "./runtime/page-processor.js";
export { usualThreads } from "./runtime/threads.js";
