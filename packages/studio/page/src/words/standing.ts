// How a run stands, in a word and a tone: the same word in the list, on its page and where runs are compared.
import type { RunSummary } from "../../../src/api.js";

/** What a colour says: good, open, bad, at work, or nothing. */
export type Tone = "good" | "open" | "bad" | "busy" | "none";

export interface Standing {
  readonly words: string;
  readonly tone: Tone;
}

export type Stands = Pick<RunSummary, "status" | "certified"> &
  Partial<Pick<RunSummary, "kind" | "counted" | "violated">>;

/** What a certificate is of. */
export const kindWords: Readonly<Record<string, string>> = {
  global: "global minimum",
  local: "local minimum",
  stationary: "stationary point",
};

const unfinished: Readonly<Record<string, Standing>> = {
  running: { words: "running", tone: "busy" },
  stopped: { words: "stopped", tone: "none" },
  failed: { words: "failed", tone: "bad" },
  killed: { words: "killed", tone: "bad" },
  unreadable: { words: "unreadable", tone: "bad" },
};

/** What must hold and does not comes before everything else that is known of a run which is over. */
export function standingOf({ status, certified, kind, counted, violated }: Stands): Standing {
  if (Object.hasOwn(unfinished, status)) return unfinished[status];
  if (violated) return { words: certified === false ? "violated, not certified" : "violated", tone: "bad" };
  if (certified === null) return { words: "finished, no certificate", tone: "none" };
  if (!certified) return { words: counted ? "counted, not certified" : "not certified", tone: "open" };
  return { words: kind ? `certified: ${kindWords[kind]}` : "certified", tone: "good" };
}
