// All faults, by where they are.
import { accessFaults } from "./access-faults.js";
import type { Fault } from "./fault.js";
import { reckoningFaults } from "./reckoning-faults.js";
import { serverFaults } from "./server-faults.js";
import { shownFaults } from "./shown-faults.js";
import { wordsFaults } from "./words-faults.js";

export type { Fault };

export const rooms: Record<string, readonly Fault[]> = {
  access: accessFaults,
  server: serverFaults,
  reckoning: reckoningFaults,
  words: wordsFaults,
  shown: shownFaults,
};
