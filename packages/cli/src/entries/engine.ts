export * from "@pliant/engine";
