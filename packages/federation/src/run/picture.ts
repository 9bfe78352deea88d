// What a coordinator is doing now, for those who watch.
import type { CoordinatorMachine, CoordinatorPhase } from "../protocol/index.js";

/** A look at a coordinator at work. */
export interface Picture {
  readonly phase: CoordinatorPhase;
  readonly exchange: number;
  readonly attempt: number;
  /** Whom it waits for, or goes on without, and why. */
  readonly late: readonly { readonly site: string; readonly why: string }[];
}

/** Why a site is waited for that is not there. */
export const notConnected = "is not connected";

const whyWaiting: Record<CoordinatorPhase, string> = {
  gathering: "is training",
  dealing: "has not shared its keys",
  uploading: "has not sent its update",
  agreeing: "has not agreed who is in the sum",
  revealing: "has not helped to open the sum",
  absorbing: "",
  finished: "has not heard that it is over",
};

export function pictureOf(
  { phase, waiting, asked, gone, left, ledger }: CoordinatorMachine,
  connected: readonly string[] | undefined,
): Picture {
  const here = connected && new Set(connected);
  const waited = new Set(waiting);
  // Gone on without: late until they are back.
  const absent = here ? asked.filter((site) => !here.has(site) && !waited.has(site) && !gone.has(site)) : [];
  const why = (site: string) => (here && !here.has(site) ? notConnected : whyWaiting[phase]);
  return {
    phase,
    exchange: ledger.exchange,
    attempt: ledger.attempts,
    late: [
      ...waiting.map((site) => ({ site, why: why(site) })),
      ...absent.map((site) => ({ site, why: notConnected })),
      ...[...gone].map(([site, reason]) => ({ site, why: reason })),
      ...[...left]
        .filter((site) => !gone.has(site) && !waited.has(site))
        .map((site) => ({ site, why: "takes part no more" })),
    ],
  };
}
