// The coordinator as a state machine: events in, effects out; no clock, disk or network of its own. An attempt at an exchange
// goes gathering → dealing → uploading → agreeing → revealing → absorbing, each until all who are there have answered, or
// enough once its patience ends. Before shares are asked for, an attempt with too few is aborted and tried again. From then
// on it is final: it is finished, also by a coordinator that was started again, or its round is given up.
import { fewest, reachable, thresholdOf } from "../sums/index.js";
import { type Attempt, newAttempt, reopened, requestOf, settledOf, spentIn, uploadsIn } from "./attempt.js";
import { afterFailure, sittingOut } from "./blame.js";
import type {
  CoordinatorEffect,
  CoordinatorEvent,
  CoordinatorMachine,
  CoordinatorOptions,
  CoordinatorPhase,
  LedgerState,
} from "./coordinator-events.js";
import { realCrypto } from "./crypto.js";
import type { ToCoordinator, ToSite } from "./messages.js";
import {
  contextOf,
  memberText,
  type Roster,
  rosterHash,
  statementHash,
  survivorsText,
} from "./transcript.js";

/** A coordinator that goes on where its ledger ends. */
export function coordinatorMachine(options: CoordinatorOptions, saved: LedgerState): CoordinatorMachine {
  const { run, spec, rounds, plain, patience, crypto = realCrypto } = options;
  const least = Math.max(options.least, plain ? 1 : fewest);
  let { roster } = options;
  let ledger = saved;
  let phase: CoordinatorPhase = "gathering";
  let at: Attempt = newAttempt(0, roster, "", new Set());
  let since = 0;
  let asked = 0;
  /** After how long it asks again: twice as long each time, so that many slow sites are not flooded. */
  let again = patience.again;
  const done = new Set<string>();
  const left = new Set(saved.left);
  /** Since when a site is not connected, where that is known. */
  const away = new Map<string, number>();
  /** Those that let their time run out, until they are heard again. */
  const silent = new Set<string>();
  let effects: CoordinatorEffect[] = [];

  const id = () => ({ run, exchange: ledger.exchange, attempt: at.number });
  const send = (to: string, message: ToSite) => effects.push({ kind: "send", to, message });
  const say = (what: string) => effects.push({ kind: "say", what });
  const present = (): string[] => Object.keys(roster).filter((site) => !left.has(site));

  const request = (site: string): ToSite => requestOf(phase, at, { id: id(), ledger, plain }, site);

  /** Who is asked in this phase, and who has answered. */
  const round = (): { of: Iterable<string>; answered: { has(site: string): boolean } } => {
    if (phase === "finished") return { of: Object.keys(roster), answered: done };
    if (phase === "gathering")
      return { of: present().filter((site) => !at.benched.has(site)), answered: at.ready };
    const members = at.members.map(({ site }) => site);
    if (phase === "dealing") return { of: members, answered: at.boxes };
    if (phase === "uploading") return { of: at.dealers, answered: at.uploads };
    if (phase === "agreeing") return { of: at.survivors, answered: at.agrees };
    if (phase === "revealing") return { of: at.survivors, answered: at.reveals };
    return { of: [], answered: done };
  };
  const waiting = (): string[] => {
    const { of, answered } = round();
    return [...of].filter((site) => !answered.has(site) && !at.gone.has(site));
  };
  /** Whether someone is worth waiting for: not who is away for long, nor who let its time run out. */
  const awaited = (now: number): boolean =>
    waiting().some((site) => !silent.has(site) && !(now - (away.get(site) ?? now) >= patience.away));
  const ask = (now: number) => {
    asked = now;
    // Most requests are the same for all, and then one object, which is encoded once.
    const same =
      ["dealing", "agreeing", "revealing"].includes(phase) || (plain && phase === "uploading")
        ? request("")
        : undefined;
    for (const site of waiting()) send(site, same ?? request(site));
  };
  const enter = (next: CoordinatorPhase, now: number) => {
    phase = next;
    since = now;
    again = patience.again;
    ask(now);
  };

  const open = (now: number) => {
    if (ledger.shown.step - ledger.voids >= rounds || ledger.ended !== undefined) {
      at = newAttempt(0, roster, "", new Set());
      enter("finished", now);
      effects.push({ kind: "finished" });
      return;
    }
    const { exchange, shown, suspects } = ledger;
    ledger = { ...ledger, attempts: ledger.attempts + 1, settled: undefined };
    const attempt = ledger.attempts;
    const statement = statementHash({ run, exchange, attempt, spec, roster, shown });
    at = newAttempt(attempt, roster, statement, new Set(sittingOut(suspects, present(), least)));
    effects.push({ kind: "open", exchange, attempt });
    enter("gathering", now);
  };

  const end = (why: string, now: number) => {
    say(why);
    effects.push({ kind: "end", why });
    ledger = { ...ledger, ended: why };
    open(now);
  };
  /** Too few are left for a sum, and none of them comes back. */
  const endTooFew = (now: number) => {
    const gone = left.size > 0 ? ` (${[...left].join(", ")})` : "";
    end(
      `The federation ends after ${ledger.shown.step - ledger.voids} of ${rounds} rounds: ${left.size} sites take part no more${gone}, ${present().length} are left, and a sum takes ${least}.`,
      now,
    );
  };

  const abort = (reason: string, now: number) => {
    say(`Exchange ${ledger.exchange}, attempt ${at.number} is aborted: ${reason}`);
    effects.push({ kind: "aborted", attempt: at.number, phase, reason });
    for (const { site } of at.members)
      send(site, { kind: "outcome", ...id(), committed: false, survivors: [], reason });
    open(now);
  };

  const settle = (now: number) => {
    const settled = settledOf(at, ledger.exchange, present().length);
    effects.push({ kind: "settle", settled });
    ledger = { ...ledger, settled };
    enter("revealing", now);
  };

  const absorb = () => {
    phase = "absorbing";
    const { exchange, settled } = ledger;
    const { number: attempt, statement, context, dealers, survivors, reveals } = at;
    effects.push({
      kind: "absorb",
      addends: {
        ...{ exchange, attempt, statement, context, dealers, survivors, reveals, roster: at.roster },
        cohort: at.members,
        uploads: new Map(uploadsIn(at)),
        present: settled?.present ?? present().length,
        spent: new Map(spentIn(at)),
      },
    });
  };

  const remove = (site: string, reason: string) => {
    if (!Object.hasOwn(roster, site)) return;
    say(`${site} is excluded: ${reason}`);
    roster = Object.fromEntries(Object.entries(roster).filter(([name]) => name !== site));
    at.gone.set(site, reason);
    effects.push({ kind: "remove", site, reason });
  };

  /** Nothing of this exchange may be summed again: the round ends without it. */
  const giveUp = (reason: string, suspects: readonly string[]) => {
    say(`Round ${ledger.shown.step + 1} is given up: ${reason}`);
    phase = "absorbing";
    at.voided = true;
    effects.push({ kind: "void", exchange: ledger.exchange, attempt: at.number, reason, suspects });
  };

  /** The sum is noise: one of its sites is at fault. */
  const blame = (reason: string, now: number) => {
    const suspects = afterFailure(ledger.suspects, at.survivors);
    if (suspects.length === 1) {
      remove(suspects[0], `sums with it fail, those without it do not. ${reason}`);
      return giveUp(reason, []);
    }
    const same = suspects.length === ledger.suspects.length;
    if (same && sittingOut(suspects, present(), least).length === 0)
      return end(
        `The federation ends: ${reason} One of ${suspects.join(", ")} is at fault, and a sum takes ${least} sites, so it cannot be found out which.`,
        now,
      );
    giveUp(reason, suspects);
  };

  /** Whether there are enough shares takes long to tell with many sites: then not after every one. */
  const worthTrying = (ticked: boolean): boolean =>
    ticked || at.members.length <= 50 || waiting().length === 0;

  /** Goes on where all have answered, or enough have and patience is at its end. */
  const advance = (now: number, ticked: boolean) => {
    if (phase === "absorbing" || phase === "finished") return;
    const settled = { cohort: at.members, ...at };
    if (phase === "agreeing" && at.agrees.size >= thresholdOf(at.members.length)) return settle(now);
    const late =
      now - since >= (["gathering", "revealing"].includes(phase) ? patience.training : patience.answer);
    if (phase === "revealing") {
      if (worthTrying(ticked) && crypto.enough(settled, at.reveals)) return absorb();
      const helpers = [...at.survivors].filter((site) => !at.gone.has(site) && Object.hasOwn(roster, site));
      if (late || !reachable(settled, new Set([...helpers, ...at.reveals.keys()])))
        giveUp(
          `${at.reveals.size} of ${at.survivors.size} sites revealed their shares, which is too few`,
          ledger.suspects,
        );
      return;
    }
    if (awaited(now) && !late) return;
    const answered = { gathering: at.ready, dealing: at.boxes, uploading: at.uploads, agreeing: at.agrees }[
      phase
    ].size;
    const needed =
      phase === "gathering" ? least : Math.max(least, plain ? 1 : thresholdOf(at.members.length));
    if (late) for (const site of waiting()) silent.add(site);
    if (phase === "gathering" && answered < needed) {
      if (present().length < least) return endTooFew(now);
      // Those that could not may be able to by now.
      if (late && at.gone.size > 0) abort(`${answered} of at least ${least} sites are ready`, now);
      return;
    }
    if (answered < needed) {
      // Those that are away for a moment may come back in time.
      if (waiting().length > 0 && !late) return;
      const what = { dealing: "dealt shares", uploading: "uploaded", agreeing: "agreed" }[phase as "dealing"];
      return abort(`${answered} of ${at.members.length} sites ${what}, and it takes ${needed}`, now);
    }
    if (phase === "gathering") {
      at.members = Object.keys(at.roster)
        .filter((site) => at.ready.has(site))
        .map((site) => at.ready.get(site)!.member);
      at.context = contextOf(at.statement, at.members);
      at.dealers = new Set(at.members.map(({ site }) => site));
      return enter(plain ? "uploading" : "dealing", now);
    }
    if (phase === "dealing") {
      at.dealers = new Set(at.members.map(({ site }) => site).filter((site) => at.boxes.has(site)));
      return enter("uploading", now);
    }
    if (phase === "agreeing") return;
    at.survivors = new Set([...at.dealers].filter((site) => at.uploads.has(site)));
    return plain ? absorb() : enter("agreeing", now);
  };

  const hear = (from: string, message: ToCoordinator) => {
    if (message.run !== run || !Object.hasOwn(roster, from)) return;
    silent.delete(from);
    if (message.kind === "hello") {
      const known = at.ready.get(from);
      // Whoever agreed has the shares of this attempt on its disk.
      const lost = phase !== "revealing" && !at.agrees.has(from);
      if (known && known.session !== message.session && lost)
        at.gone.set(from, "came back without its secrets");
      if (phase === "gathering" && known && at.gone.has(from)) {
        // Nothing was promised yet: it may get ready again, with new keys.
        at.ready.delete(from);
        at.gone.delete(from);
      }
      const asks = {
        finished: true,
        gathering: !at.ready.has(from) && !at.benched.has(from) && !left.has(from),
      };
      const shares = phase === "revealing" && at.survivors.has(from) && !at.reveals.has(from);
      if (shares || asks[phase as "gathering"]) send(from, request(from));
      return;
    }
    if (message.kind === "done") return void (phase === "finished" && done.add(from));
    if (message.exchange !== ledger.exchange || message.attempt !== at.number) return;
    if (message.kind === "refuse") {
      if (at.gone.get(from) !== message.reason) say(`${from}: ${message.reason}`);
      at.gone.set(from, message.reason);
      if (message.final && !left.has(from)) {
        left.add(from);
        effects.push({ kind: "left", sites: [...left] });
      }
      return;
    }
    if (at.gone.has(from)) return;
    if (message.kind === "ready") {
      const { member, session, statement, epsilon } = message;
      if (phase !== "gathering" || at.ready.has(from) || at.benched.has(from)) return;
      if (member.site !== from || statement !== at.statement) return;
      if (!crypto.signed(at.roster[from], memberText(member, statement), member.signature))
        return void say(`${from} did not sign its keys; what came in its name is not used.`);
      at.ready.set(from, { member, session, epsilon });
      return;
    }
    if (message.kind === "boxes" && phase === "dealing" && at.ready.has(from))
      keep(at.boxes, from, message.boxes);
    if (message.kind === "uploaded" && phase === "uploading" && at.dealers.has(from))
      keep(at.uploads, from, message.upload);
    if (message.kind === "agree" && phase === "agreeing" && at.survivors.has(from)) {
      const text = survivorsText(at.context, at.dealers, at.survivors);
      if (crypto.signed(at.roster[from], text, message.signature)) keep(at.agrees, from, message.signature);
    }
    if (message.kind === "reveal" && phase === "revealing" && at.survivors.has(from))
      keep(at.reveals, from, { selves: message.selves, masks: message.masks });
  };

  /** A new roster is for new attempts; one that sites may have revealed is finished with its own. */
  const changeRoster = (next: Roster, now: number) => {
    const same = rosterHash(roster) === rosterHash(next);
    roster = next;
    if (same || phase === "finished") return;
    if (phase !== "revealing" && phase !== "absorbing") abort("who takes part has changed", now);
  };

  const take = (event: CoordinatorEvent) => {
    const { now } = event;
    if (event.kind === "start") {
      const { settled } = ledger;
      if (!settled || ledger.ended !== undefined) return open(now);
      at = reopened(settled);
      return enter("revealing", now);
    }
    if (event.kind === "roster") return changeRoster(event.roster, now);
    if (event.kind === "message") hear(event.from, event.message);
    if (event.kind === "blamed") {
      remove(event.site, event.reason);
      at.uploads.delete(event.site);
    }
    if (event.kind === "tick" && event.connected) {
      const here = new Set(event.connected);
      for (const site of Object.keys(roster)) {
        if (here.has(site)) away.delete(site);
        else if (!away.has(site)) away.set(site, now);
      }
    }
    if (event.kind === "tick" && now - asked >= again) {
      ask(now);
      again = Math.min(2 * again, Math.max(patience.again, patience.answer / 4));
    }
    if (phase === "absorbing") {
      if (event.kind === "committed") {
        const survivors = at.voided ? [] : [...at.survivors];
        const committed = !at.voided;
        for (const { site } of at.members) send(site, { kind: "outcome", ...id(), committed, survivors });
        ledger = event.ledger;
        return open(now);
      }
      if (event.kind === "failed") return plain ? abort(event.reason, now) : blame(event.reason, now);
    }
    advance(now, event.kind === "tick");
  };

  return {
    handle: (event) => {
      effects = [];
      take(event);
      return effects;
    },
    get phase() {
      return phase;
    },
    get waiting() {
      return waiting();
    },
    get gone() {
      return at.gone;
    },
    left,
    get roster() {
      return roster;
    },
    get ledger() {
      return ledger;
    },
  };
}

/** The first answer stands. */
function keep<T>(answers: Map<string, T>, from: string, answer: T): void {
  if (!answers.has(from)) answers.set(from, answer);
}
