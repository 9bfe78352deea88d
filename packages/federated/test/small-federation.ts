// Six clients, of whom some have little: the federation that tests of the simulator try things on.
import { relaxationCost, resilient } from "@pliant/federated";
import { mlp } from "@pliant/learn";
import { heterogeneous } from "./problems.js";

export const sizes = [14, 14, 14, 5, 14, 9];
export const data = heterogeneous({ sizes, inputs: 6, classes: 3, dtype: "float32", seed: 2 });
const model = mlp({ inputs: 6, hidden: [5], outputs: 3 });
const local = { rate: 0.1, epochs: 2, batch: { stepsPerEpoch: 3 }, clip: 5, decay: 1e-3 };
export const priced = resilient({ level: 0.01, dualRate: 3, cost: relaxationCost({ alpha: 2 }) });
export const base = { model, data, local, rounds: 3, seed: 7, communicationRounds: 2 } as const;
