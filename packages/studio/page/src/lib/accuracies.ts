// Test accuracies of a federation's clients, in percent, as the paper's experiments log them.
import type { Federation } from "../../../src/api.js";

/** One list a round. */
export const accuraciesOf = ({ clients }: Pick<Federation, "clients">): number[][] =>
  clients.map((c) => (c.testAccuracy ?? []).filter((v): v is number => v !== null));
