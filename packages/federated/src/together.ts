// How many clients advance at once, by a rule and not by a clock, so that a run can be repeated to the bit.
import type { Backend } from "@pliant/engine";

export interface ModelSize {
  readonly parameters: number;
  readonly convolutional: boolean;
}

/** Bytes of stacked models a device may hold at once, of which training needs a few copies. */
const deviceBytes = 2 ** 32;

/**
 * XLA: all, as far as the device's memory goes. Elsewhere convolutional models go one by one, since grouped convolutions are
 * slower than one after another; others go by fours, which share the cost of a call while what a step touches stays in the
 * caches. `npm run bench -- federated --together N` measures others.
 */
export function clientsTogether(
  backend: Backend,
  { parameters, convolutional }: ModelSize,
  clients: number,
): number {
  const most = backend.name === "xla" ? Math.floor(deviceBytes / (4 * parameters)) : convolutional ? 1 : 4;
  return Math.min(clients, Math.max(1, most));
}
