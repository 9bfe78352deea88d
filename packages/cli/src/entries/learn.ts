export * from "@pliant/learn";
