export * from "@pliant/engine/onnx";
