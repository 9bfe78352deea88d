// All faults, by where they are.
import type { Fault } from "./fault.js";
import { reckoningFaults, shownFaults } from "./page-faults.js";
import { serverFaults } from "./server-faults.js";

export type { Fault };

export const rooms: Record<string, readonly Fault[]> = {
  server: serverFaults,
  reckoning: reckoningFaults,
  shown: shownFaults,
};
