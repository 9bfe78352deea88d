// The public names of the federation between machines.
export * from "./protocol/index.js";
export * from "./sums/index.js";
