// Test accuracies of a federation's clients. Runs log them as shares or as percent; a reader sees percent.
import type { Federation } from "../../../src/api.js";
import { extent } from "../figure/scale.js";

/** One list a round. */
export function accuraciesOf({ clients }: Pick<Federation, "clients">): number[][] {
  const logged = clients.map((c) => (c.testAccuracy ?? []).filter((v): v is number => v !== null));
  const times = (extent(...logged)?.[1] ?? 1) > 1.5 ? 1 : 100;
  return logged.map((round) => round.map((v) => times * v));
}
