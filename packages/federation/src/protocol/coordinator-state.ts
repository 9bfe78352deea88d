// What a coordinator knows while it runs: the ledger, the attempt, and who is there; who is asked, and who is waited for.
import { fewest } from "../sums/index.js";
import { type Attempt, type Group, newAttempt, requestOf } from "./attempt.js";
import type {
  CoordinatorEffect,
  CoordinatorOptions,
  CoordinatorPhase,
  LedgerState,
} from "./coordinator-events.js";
import { realCrypto } from "./crypto.js";
import type { Since, ToSite } from "./messages.js";
import { countedIn, type Place, sinceFor } from "./past.js";
import { stallsOf, strictly } from "./stalls.js";
import type { Roster } from "./transcript.js";

/** The state of a coordinator after the events of its ledger so far. */
export function runningOf(options: CoordinatorOptions, saved: LedgerState) {
  const { run, spec, rounds, plain, patience, crypto = realCrypto, draw = {} } = options;
  const draws = draw.sample !== undefined || draw.group !== undefined;
  const least = Math.max(options.least, plain ? 1 : fewest);
  /** What changes. */
  const m: {
    roster: Roster;
    ledger: LedgerState;
    phase: CoordinatorPhase;
    at: Attempt;
    since: number;
    /** When this phase had its last answer. */
    lastAnswer: number;
    asked: number;
    /** After how long it asks again: twice as long each time, so that many slow sites are not flooded. */
    again: number;
    /** Whether sums in parts find who is at fault; not after one that did not, until a sum comes out. */
    tracing: boolean;
  } = {
    ...{ roster: options.roster, ledger: saved, phase: "gathering" },
    ...{ at: newAttempt(0, options.roster, "", []), since: 0, lastAnswer: 0, asked: 0 },
    ...{ again: patience.again, tracing: true },
  };
  const done = new Set<string>();
  /** The last exchange that a site uploaded in, and its group there, where that is known; nothing where it uploaded in none. */
  const uploadedIn = new Map<string, Place | undefined>();
  const left = new Set(saved.left);
  /** Since when a site is not connected, where that is known. */
  const away = new Map<string, number>();
  /** Those that were connected since it was started. */
  const seen = new Set<string>();
  /** Those that let their time run out, until they are heard again. */
  const silent = new Set<string>();
  const stalls = stallsOf();
  /** Sites with floors that others could not meet. */
  const strict = stallsOf(strictly);
  /** How long each site took to answer in this phase; not of training. */
  const times = new Map<string, number>();
  /** The effects of the event that is being applied. */
  const effects: CoordinatorEffect[] = [];

  const id = () => ({ run, exchange: m.ledger.exchange, attempt: m.at.number });
  const send = (to: string, message: ToSite) => effects.push({ kind: "send", to, message });
  const say = (what: string) => effects.push({ kind: "say", what });
  const present = (): string[] => Object.keys(m.roster).filter((site) => !left.has(site));

  /** Drawn for this round, and neither gone for good nor benched. */
  const isAsked = (site: string): boolean =>
    Object.hasOwn(m.roster, site) && !left.has(site) && !m.at.benched.has(site);

  /** What a site is to be told of its last attempt: since the exchange that it said, or that it was counted in last. */
  const toldSince = (site: string): Since | undefined => {
    const { exchange, counted, outcomes } = m.ledger;
    const place = uploadedIn.has(site) ? uploadedIn.get(site) : countedIn(counted[site], outcomes, site);
    if (!place || place.exchange >= exchange) return undefined;
    return sinceFor(outcomes, place.exchange, place.group);
  };
  const request = (site: string): ToSite =>
    requestOf(m.phase, m.at, { id: id(), ledger: m.ledger, plain, since: toldSince }, site);

  /** Who is asked in this phase, and who has answered. */
  const round = (): { of: readonly Iterable<string>[]; answered: { has(site: string): boolean } } => {
    const [sites, survivors] = [
      m.at.groups.map((group) => group.sites),
      m.at.groups.map((group) => group.survivors),
    ];
    if (m.phase === "finished") return { of: [Object.keys(m.roster)], answered: done };
    if (m.phase === "gathering") return { of: m.at.drawn, answered: m.at.ready };
    if (m.phase === "dealing") return { of: sites, answered: m.at.boxes };
    if (m.phase === "uploading") return { of: sites, answered: m.at.uploads };
    if (m.phase === "agreeing") return { of: survivors, answered: m.at.agrees };
    if (m.phase === "revealing") return { of: survivors, answered: m.at.reveals };
    return { of: [], answered: done };
  };
  /** One after another: whether there is any is asked after every message, and known long before all are. */
  function* waitedFor(): Generator<string> {
    const { of, answered } = round();
    for (const sites of of)
      for (const site of sites)
        if (!answered.has(site) && !m.at.gone.has(site) && (m.phase !== "gathering" || isAsked(site)))
          yield site;
  }
  const waiting = (): string[] => [...waitedFor()];
  const waitsFor = (test: (site: string) => boolean): boolean => {
    for (const site of waitedFor()) if (test(site)) return true;
    return false;
  };
  /**
   * A site that was here and is cut off is waited for as long again as the others took: waiting at most doubles a phase. A
   * coordinator that was just started does not know how long sites need to come back.
   */
  const isAway = (site: string, now: number): boolean => {
    const cut = away.get(site);
    if (cut === undefined) return false;
    return now - cut >= patience.away || (seen.has(site) && now - m.lastAnswer >= m.lastAnswer - m.since);
  };
  /** Whether someone is worth waiting for: not who is away for long, nor who let its time run out. */
  const awaited = (now: number): boolean => waitsFor((site) => !silent.has(site) && !isAway(site, now));
  const leaveOut = (site: string, why: string) => {
    if (!m.at.without.has(site)) say(`${site} is left out of the sum: ${why}.`);
    m.at.without.set(site, why);
  };
  /** Once in an attempt: whoever says more of it fills the log. */
  const sayOnce = (site: string, why: string) => {
    if (!m.at.without.has(site)) say(`${site} ${why}.`);
    m.at.without.set(site, why);
  };
  const isDrawn = (site: string): boolean => m.at.drawn.some((names) => names.includes(site));
  const groupOf = (site: string): Group | undefined => m.at.groups.find(({ sites }) => sites.has(site));

  return {
    ...{ m, options, run, spec, rounds, plain, patience, crypto, draw, draws, least },
    ...{ done, uploadedIn, left, away, seen, silent, stalls, strict, times, effects },
    ...{ id, send, say, present, isAsked, request, waitedFor, waiting, waitsFor, isAway, awaited },
    ...{ leaveOut, sayOnce, isDrawn, groupOf },
  };
}

export type Running = ReturnType<typeof runningOf>;
