// The library: problems with requirements, costs, the solver, certificates and reports.
export * from "@pliant/core";
