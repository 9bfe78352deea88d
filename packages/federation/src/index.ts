// The public names of the federation between machines.
export * from "./sums/index.js";
