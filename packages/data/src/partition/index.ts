// Samples dealt to clients: class imbalance, heterogeneous splits, and the clients' own test sets.

export { checkParts } from "./checks.js";
export { classCounts, minorityShares } from "./classes.js";
export { type DirichletOptions, type DirichletRule, dirichletPartition } from "./dirichlet.js";
export { mixPartition } from "./mix.js";
export { shardPartition } from "./shards.js";
export { clientTestSets, type TestSetOptions } from "./test-sets.js";
export { minorityClasses, thinned } from "./thinned.js";
