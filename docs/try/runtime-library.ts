// ONNX Runtime as the worker loads it, from the script beside the page.
export * from "onnxruntime-web/wasm";
