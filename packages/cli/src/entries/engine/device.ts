export * from "@pliant/engine/device";
