// Messages of sites, as a coordinator's bus brings them.
import type { CoordinatorBus } from "../ports/bus.js";
import { parseToCoordinator, type ToCoordinator } from "../protocol/index.js";
import { clock } from "./clock.js";

/** How often it is said of a site that it sends what is no message, in ms: more often would fill the log. */
const often = 60_000;

export function hearMessages(
  bus: CoordinatorBus,
  say: (what: string) => void,
  hear: (from: string, message: ToCoordinator) => void,
): void {
  const garbled = new Map<string, number>();
  bus.listen((from, text) => {
    let message: ToCoordinator;
    try {
      message = parseToCoordinator(text);
    } catch (error) {
      if (clock() - (garbled.get(from) ?? -Infinity) < often) return;
      garbled.set(from, clock());
      return say(`${from}: ${(error as Error).message}`);
    }
    hear(from, message);
  });
}
