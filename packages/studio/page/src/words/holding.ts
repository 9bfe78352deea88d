// How many of a run's requirements hold.

import type { ToldResult } from "./said.js";
import { isNear, type Verdict, verdictOf } from "./verdict.js";

export interface Holding {
  readonly words: string;
  readonly tone: "met" | "gave" | "missed" | "none";
}

/** Undefined where nothing was asked, or nothing is known yet. */
export function holdingOf(
  requirements: Readonly<Record<string, ToldResult>>,
  tolerance: number,
  running: boolean,
): Holding | undefined {
  const verdicts = Object.values(requirements).map((r) => ({ r, verdict: verdictOf(r, tolerance) }));
  const asked = verdicts.filter(({ verdict }) => verdict !== "watched");
  const of = (...wanted: readonly Verdict[]): number =>
    asked.filter(({ verdict }) => wanted.includes(verdict)).length;
  if (asked.length === 0 || of("pending", "unreadable") > 0) return undefined;
  const all = `${asked.length} requirement${asked.length === 1 ? "" : "s"}`;
  const violated = asked.some(({ r, verdict }) => r.hard && verdict === "missed");
  // A threshold is chosen when training is over: what it settles is settled.
  const open = asked.some(({ r }) => r.unsettled) && !asked.some(({ r }) => r.decidedOn);
  const near = asked.filter(({ r }) => isNear(r, tolerance)).length;
  const holding = of("met", "held", "open") - near;
  const tone = violated ? "missed" : "gave";
  const soFar = running && open ? " so far" : "";
  if (holding === 0 && asked.length === 1) return { words: `its requirement does not hold${soFar}`, tone };
  if (holding < asked.length) return { words: `${holding} of ${all} hold${soFar}`, tone };
  const hold =
    asked.length === 1
      ? "its requirement holds"
      : asked.length === 2
        ? "both requirements hold"
        : `all ${all} hold`;
  return { words: `${hold}${soFar}`, tone: open ? "none" : "met" };
}
