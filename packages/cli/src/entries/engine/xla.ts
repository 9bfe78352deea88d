export * from "@pliant/engine/xla";
