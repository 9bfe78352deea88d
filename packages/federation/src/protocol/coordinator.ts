// The coordinator as a state machine: events in, effects out; no clock, disk or network of its own. An attempt at an exchange
// goes gathering → dealing → uploading → agreeing → revealing → absorbing, each until all who are there have answered, or
// enough once its patience ends. Before shares are asked for, an attempt with too few is aborted and tried again. From then
// on it is final: it is finished, also by a coordinator that was started again, or its round is given up.
import { reopened, survivorsIn } from "./attempt.js";
import { advancing } from "./coordinator-advance.js";
import type {
  CoordinatorEvent,
  CoordinatorMachine,
  CoordinatorOptions,
  LedgerState,
} from "./coordinator-events.js";
import { hearing } from "./coordinator-hear.js";
import { runningOf } from "./coordinator-state.js";
import { turnsOf } from "./coordinator-turns.js";
import { partCount } from "./traced.js";
import { type Roster, rosterHash } from "./transcript.js";

/** A coordinator that goes on where its ledger ends. */
export function coordinatorMachine(options: CoordinatorOptions, saved: LedgerState): CoordinatorMachine {
  const running = runningOf(options, saved);
  const turns = turnsOf(running);
  const advance = advancing(running, turns);
  const hear = hearing(running, turns);
  const { m, plain, patience, left, away, seen, stalls, effects, waiting, waitsFor, isAsked } = running;
  const { ask, enter, open, abort, remove, blame } = turns;

  /** A new roster is for new attempts; one that sites may have revealed is finished with its own. */
  const changeRoster = (next: Roster, now: number) => {
    const same = rosterHash(m.roster) === rosterHash(next);
    m.roster = next;
    if (same || m.phase === "finished") return;
    if (m.phase !== "revealing" && m.phase !== "absorbing") abort("who takes part has changed", now);
  };

  const take = (event: CoordinatorEvent) => {
    const { now } = event;
    if (event.kind === "start") {
      const { settled } = m.ledger;
      if (!settled || m.ledger.ended !== undefined) return open(now);
      m.at = reopened(settled);
      return enter("revealing", now);
    }
    if (event.kind === "roster") return changeRoster(event.roster, now);
    if (event.kind === "message") {
      hear(event.from, event.message, now);
      m.lastAnswer = now;
    }
    if (event.kind === "blamed") {
      remove(event.site, event.reason);
      m.at.uploads.delete(event.site);
    }
    if (event.kind === "tick" && event.connected) {
      const here = new Set(event.connected);
      for (const site of Object.keys(m.roster)) {
        if (here.has(site)) {
          away.delete(site);
          seen.add(site);
        } else if (!away.has(site)) away.set(site, now);
      }
    }
    if (event.kind === "tick" && now - m.asked >= m.again) {
      ask(now);
      m.again = Math.min(2 * m.again, Math.max(patience.again, patience.answer / 4));
    }
    if (m.phase === "absorbing") {
      if (event.kind === "committed") {
        const survivors = new Set(m.at.voided ? [] : survivorsIn(m.at));
        const committed = !m.at.voided;
        m.tracing ||= committed;
        for (const site of survivors) stalls.forgive(site);
        m.ledger = event.ledger;
        return open(now);
      }
      if (event.kind === "failed") {
        if (plain) return abort(event.reason, now);
        return blame(event.reason, event.failed ?? [new Set(survivorsIn(m.at))], now);
      }
    }
    advance(now, event.kind === "tick");
  };

  return {
    handle: (event) => {
      effects.length = 0;
      take(event);
      return effects.splice(0);
    },
    get phase() {
      return m.phase;
    },
    get waiting() {
      return waiting();
    },
    waitsFor: (site) => waitsFor((one) => one === site),
    get asked() {
      return m.at.drawn.flatMap((names) => names.filter(isAsked));
    },
    get gone() {
      return m.at.gone;
    },
    left,
    get parts() {
      return partCount(m.at.suspects);
    },
    get roster() {
      return m.roster;
    },
    get ledger() {
      return m.ledger;
    },
  };
}
