export * from "@pliant/learn/runs";
