export * from "@pliant/train";
