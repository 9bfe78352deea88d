export * from "@pliant/data";
