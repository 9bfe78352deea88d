export * from "@pliant/federated";
