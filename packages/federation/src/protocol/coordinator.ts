// The coordinator as a state machine: events in, effects out; no clock, disk or network of its own. An attempt at an exchange
// goes gathering → dealing → uploading → agreeing → revealing → absorbing, each until all who are there have answered, or
// enough once its patience ends. Before shares are asked for, an attempt with too few is aborted and tried again. From then
// on it is final: it is finished, also by a coordinator that was started again, or its round is given up.
import { fewest, isMarked, quorumOf, reachable, strictest } from "../sums/index.js";
import {
  type Attempt,
  type Complaint,
  type Group,
  halvesIn,
  isTruthful,
  isWhole,
  membersIn,
  namesOf,
  newAttempt,
  reopened,
  requestOf,
  settledIn,
  settledOf,
  spentIn,
  survivorsIn,
  uploadsIn,
} from "./attempt.js";
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
import { drawnGroups, largestGroup } from "./draw.js";
import type { SignedMember, Since, ToCoordinator, ToSite } from "./messages.js";
import { countedIn, type Outcome, outcomeOf, type Place, sinceFor } from "./past.js";
import { slowIn, stallsOf, strictly } from "./stalls.js";
import { isTraceable, partCount, within } from "./traced.js";
import {
  boxHash,
  complaintText,
  contextOf,
  memberText,
  type Roster,
  rosterHash,
  statementHash,
  survivorsText,
} from "./transcript.js";

/** A coordinator that goes on where its ledger ends. */
export function coordinatorMachine(options: CoordinatorOptions, saved: LedgerState): CoordinatorMachine {
  const { run, spec, rounds, plain, patience, crypto = realCrypto, draw = {} } = options;
  const draws = draw.sample !== undefined || draw.group !== undefined;
  const least = Math.max(options.least, plain ? 1 : fewest);
  let { roster } = options;
  let ledger = saved;
  let phase: CoordinatorPhase = "gathering";
  let at: Attempt = newAttempt(0, roster, "", []);
  let since = 0;
  /** When this phase had its last answer. */
  let lastAnswer = 0;
  let asked = 0;
  /** After how long it asks again: twice as long each time, so that many slow sites are not flooded. */
  let again = patience.again;
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
  /** Whether sums in parts find who is at fault; not after one that did not, until a sum comes out. */
  let tracing = true;
  const stalls = stallsOf();
  /** Sites with floors that others could not meet. */
  const strict = stallsOf(strictly);
  /** How long each site took to answer in this phase; not of training. */
  const times = new Map<string, number>();
  let effects: CoordinatorEffect[] = [];

  const id = () => ({ run, exchange: ledger.exchange, attempt: at.number });
  const send = (to: string, message: ToSite) => effects.push({ kind: "send", to, message });
  const say = (what: string) => effects.push({ kind: "say", what });
  const present = (): string[] => Object.keys(roster).filter((site) => !left.has(site));

  /** Drawn for this round, and neither gone for good nor benched. */
  const isAsked = (site: string): boolean =>
    Object.hasOwn(roster, site) && !left.has(site) && !at.benched.has(site);

  /** What a site is to be told of its last attempt: since the exchange that it said, or that it was counted in last. */
  const toldSince = (site: string): Since | undefined => {
    const { exchange, counted, outcomes } = ledger;
    const place = uploadedIn.has(site) ? uploadedIn.get(site) : countedIn(counted[site], outcomes, site);
    if (!place || place.exchange >= exchange) return undefined;
    return sinceFor(outcomes, place.exchange, place.group);
  };
  const request = (site: string): ToSite =>
    requestOf(phase, at, { id: id(), ledger, plain, since: toldSince }, site);

  /** Who is asked in this phase, and who has answered. */
  const round = (): { of: readonly Iterable<string>[]; answered: { has(site: string): boolean } } => {
    const [sites, survivors] = [
      at.groups.map((group) => group.sites),
      at.groups.map((group) => group.survivors),
    ];
    if (phase === "finished") return { of: [Object.keys(roster)], answered: done };
    if (phase === "gathering") return { of: at.drawn, answered: at.ready };
    if (phase === "dealing") return { of: sites, answered: at.boxes };
    if (phase === "uploading") return { of: sites, answered: at.uploads };
    if (phase === "agreeing") return { of: survivors, answered: at.agrees };
    if (phase === "revealing") return { of: survivors, answered: at.reveals };
    return { of: [], answered: done };
  };
  /** One after another: whether there is any is asked after every message, and known long before all are. */
  function* waitedFor(): Generator<string> {
    const { of, answered } = round();
    for (const sites of of)
      for (const site of sites)
        if (!answered.has(site) && !at.gone.has(site) && (phase !== "gathering" || isAsked(site))) yield site;
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
    return now - cut >= patience.away || (seen.has(site) && now - lastAnswer >= lastAnswer - since);
  };
  /** Whether someone is worth waiting for: not who is away for long, nor who let its time run out. */
  const awaited = (now: number): boolean => waitsFor((site) => !silent.has(site) && !isAway(site, now));
  const ask = (now: number) => {
    asked = now;
    // Most requests are the same for all of a group, and then one object, which is encoded once.
    const isSame = ["dealing", "agreeing", "revealing"].includes(phase) || (plain && phase === "uploading");
    const waited = new Set(waiting());
    if (!isSame) for (const site of waited) send(site, request(site));
    else
      for (const { sites } of at.groups) {
        const asked = [...sites].filter((site) => waited.has(site));
        const same = asked.length > 0 ? request(asked[0]) : undefined;
        for (const site of asked) send(site, same!);
      }
    if (phase === "uploading") for (const one of unanswered()) challenge(one);
  };
  /** Complaints that their dealers have not answered. */
  const unanswered = (): Complaint[] =>
    [...at.complaints].flatMap(([pair, one]) => (at.openings.has(pair) ? [] : [one]));
  const challenge = ({ of, since: _, ...complaint }: Complaint) =>
    send(of, { kind: "challenged", ...id(), ...complaint });
  const enter = (next: CoordinatorPhase, now: number) => {
    // What is asked for after training takes all sites about as long.
    for (const site of slowIn(times, patience.answer / 10)) stalls.add(site, ledger.exchange);
    times.clear();
    phase = next;
    [since, lastAnswer] = [now, now];
    again = patience.again;
    ask(now);
  };

  const exact = () => options.exact?.(ledger.shown.step - ledger.voids, ledger.shown.exchange);

  /** Whether there are enough sites to look for the one at fault by a sum in parts. */
  const traces = (now: number): boolean => {
    const here = present().filter((site) => !silent.has(site) && !isAway(site, now)).length;
    const smallest = Math.min(here, draw.group ?? draw.sample ?? here);
    return (
      tracing &&
      !exact() &&
      ledger.suspects.length > 1 &&
      isTraceable(smallest, least) &&
      largestGroup(draw, here) <= 50
    );
  };

  const leaveOut = (site: string, why: string) => {
    if (!at.without.has(site)) say(`${site} is left out of the sum: ${why}.`);
    at.without.set(site, why);
  };
  /**
   * Where a group came to nothing with so many answers, but would not have without the floors of some of its sites, these are left
   * out for a while: no member's floor holds up the others.
   */
  const blameFloors = ({ members }: Group, answers: number, exchange: number) => {
    const needed = (floor: number) => quorumOf(floor, members.length);
    if (plain || needed(least) > answers) return;
    for (const member of members)
      if (member.least > least && needed(member.least) > answers) {
        say(
          `The floor of ${member.site}, ${member.least}, could not be met: ${answers} of ${members.length} sites answered.`,
        );
        strict.add(member.site, exchange);
      }
  };

  const open = (now: number) => {
    if (ledger.shown.step - ledger.voids >= rounds || ledger.ended !== undefined) {
      at = newAttempt(0, roster, "", []);
      enter("finished", now);
      effects.push({ kind: "finished" });
      return;
    }
    const { exchange, shown, suspects } = ledger;
    ledger = { ...ledger, attempts: ledger.attempts + 1, settled: undefined };
    const attempt = ledger.attempts;
    const traced = traces(now) ? suspects : [];
    const statement = statementHash({ run, exchange, attempt, spec, roster, shown, suspects: traced });
    const drawn = drawnGroups(run, shown.step, roster, draw);
    const tooStrict = strict.resting(present(), least, exchange);
    const resting = new Set([...stalls.resting(present(), least, exchange), ...tooStrict]);
    const awake = present().filter((site) => !resting.has(site));
    at = newAttempt(attempt, roster, statement, drawn, {
      suspects: traced,
      benched: new Set([
        ...resting,
        ...(traced.length > 0 ? [] : sittingOut(suspects, awake, least, shown.step)),
      ]),
    });
    for (const site of tooStrict) leaveOut(site, "its floor could not be met lately");
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
    if (at.suspects.length > 0) tracing = false;
    open(now);
  };

  const settle = (now: number) => {
    const settled = settledOf(at, ledger.exchange, present().length);
    effects.push({ kind: "settle", settled });
    ledger = { ...ledger, settled };
    at.groups = reopened(settled).groups;
    enter("revealing", now);
  };

  /** How this attempt ends its exchange. */
  const outcome = (survivors: ReadonlySet<string> | undefined): Outcome => {
    const { number: attempt, statement } = at;
    const drawn = drawnGroups(run, ledger.shown.step, at.roster, draw);
    const groups = survivors && drawn.map((names) => names.filter((site) => survivors.has(site)));
    return outcomeOf(ledger.exchange, { attempt, statement, groups: groups ?? null });
  };

  const absorb = () => {
    phase = "absorbing";
    const { exchange, settled } = ledger;
    const { number: attempt, statement, reveals } = at;
    effects.push({
      kind: "absorb",
      addends: {
        ...{ exchange, attempt, statement, reveals, roster: at.roster },
        groups: at.groups.map(asSettled),
        survivors: new Set(survivorsIn(at)),
        uploads: new Map(uploadsIn(at)),
        present: settled?.present ?? present().length,
        spent: new Map(spentIn(at)),
        outcome: outcome(new Set(survivorsIn(at))),
        without: at.without,
        agrees: at.agrees,
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
    const { exchange } = ledger;
    effects.push({
      kind: "void",
      exchange,
      attempt: at.number,
      reason,
      suspects,
      outcome: outcome(undefined),
    });
  };

  /** The sum is noise: one of its sites is at fault. */
  const blame = (reason: string, failed: readonly ReadonlySet<string>[], now: number) => {
    if (exact() === "once")
      return end(
        `The federation ends: ${reason} Such a sum is opened once, and never in parts, so it cannot be found out whose fault it is.`,
        now,
      );
    const suspects = afterFailure(ledger.suspects, failed);
    if (suspects.length === 1) {
      const proven = failed.some((sites) => sites.size === 1);
      remove(suspects[0], proven ? reason : `it alone was in every sum that failed. ${reason}`);
      return giveUp(reason, []);
    }
    const same = suspects.length === ledger.suspects.length;
    if (same && at.suspects.length > 0) tracing = false;
    else if (same && sittingOut(suspects, present(), least, 0).length === 0)
      return end(
        `The federation ends: ${reason} One of ${suspects.join(", ")} is at fault, and a sum takes ${least} sites, so it cannot be found out which.`,
        now,
      );
    giveUp(reason, suspects);
  };

  /** Whether there are enough shares takes long to tell with many sites: then not after every one. */
  const worthTrying = (ticked: boolean): boolean =>
    ticked || membersIn(at).length <= 50 || !waitsFor(() => true);

  /** Sites that a group needs for the next phase. */
  const neededIn = ({ members }: Group): number =>
    plain ? least : quorumOf(strictest(members).least, members.length);

  /** The groups that ready sites make, as far as each has enough. */
  const gathered = (): Group[] =>
    at.drawn.flatMap((names) => {
      const ready = names.flatMap((site) => at.ready.get(site)?.member ?? []);
      const members = willing(ready);
      if (members.length < least) return [];
      if (at.suspects.length > 0 && !isTraceable(members.length, least)) return [];
      const sums = at.suspects.length > 0 ? Math.floor(ready.length / 2) : ready.length;
      for (const { site, least: floor } of ready)
        if (!members.some((member) => member.site === site))
          leaveOut(site, `it sums with ${floor} sites or more, and here are ${sums} in a sum`);
      const context = contextOf(at.statement, members);
      return [{ members, context, sites: namesOf(members), survivors: new Set() }];
    });

  /** Those whose floors let them sum with each other; in halves, where someone is suspected. */
  const willing = (members: readonly SignedMember[]): readonly SignedMember[] => {
    const size = at.suspects.length > 0 ? Math.floor(members.length / 2) : members.length;
    const able = members.filter((member) => member.least <= Math.max(size, least));
    return able.length === members.length ? able : willing(able);
  };

  const advanceGathering = (now: number, late: boolean) => {
    const groups = gathered();
    if (groups.length > 0) {
      at.groups = groups;
      return enter(plain ? "uploading" : "dealing", now);
    }
    if (present().length < least) return endTooFew(now);
    if (at.suspects.length > 0)
      return abort(`${at.ready.size} sites are too few for halves of ${least}`, now);
    if (!late) return;
    // Others may be drawn for the next round.
    if (draws)
      return giveUp(`too few of the sites that were drawn are ready (${at.ready.size})`, ledger.suspects);
    // Those that could not may be able to by now.
    if (at.gone.size > 0) abort(`${at.ready.size} of at least ${least} sites are ready`, now);
  };

  const asSettled = (group: Group) => settledIn(group, at.suspects);

  const advanceRevealing = (ticked: boolean, late: boolean) => {
    if (!late && !worthTrying(ticked)) return;
    const isOpen = (group: Group) => crypto.enough(asSettled(group), at.reveals);
    const open = at.groups.filter(isOpen);
    if (open.length < at.groups.length && !late) {
      const helps = (site: string) =>
        at.reveals.has(site) || (!at.gone.has(site) && Object.hasOwn(roster, site));
      const helpers = new Set(survivorsIn(at).filter(helps));
      const lost = (group: Group) => !open.includes(group) && !reachable(asSettled(group), helpers);
      if (!at.groups.every((group) => open.includes(group) || lost(group))) return;
    }
    const revealedIn = ({ survivors }: Group) => [...survivors].filter((site) => at.reveals.has(site)).length;
    for (const group of at.groups)
      if (!open.includes(group)) blameFloors(group, revealedIn(group), ledger.exchange + 1);
    if (open.length === 0)
      return giveUp(
        `${at.reveals.size} of ${survivorsIn(at).length} sites revealed their shares, which is too few`,
        ledger.suspects,
      );
    at.groups = open;
    absorb();
  };

  /** Whether every half of every part still has enough sites. */
  const hasHalves = (group: Group): boolean =>
    halvesIn(group, at.suspects).every((halves) =>
      halves.every((half) => within(group.survivors, half).size >= strictest(group.members).least),
    );

  /** Sites whose floors a half of this group does not meet, if it meets those of the spec. */
  const blameFloorsOfHalves = (group: Group) => {
    const halves = halvesIn(group, at.suspects).flat();
    const smallest = Math.min(...halves.map((half) => within(group.survivors, half).size));
    if (smallest < least) return;
    for (const { site, least: floor } of group.members)
      if (floor > smallest) {
        say(`The floor of ${site}, ${floor}, could not be met: half of a sum would have ${smallest} sites.`);
        strict.add(site, ledger.exchange);
      }
  };

  /** Goes on where all have answered, or enough have and patience is at its end. */
  const advance = (now: number, ticked: boolean) => {
    if (phase === "absorbing" || phase === "finished") return;
    const late =
      now - since >= (["gathering", "revealing"].includes(phase) ? patience.training : patience.answer);
    if (phase === "revealing") return advanceRevealing(ticked, late);
    const agreedOn = (group: Group) =>
      [...group.survivors].filter((site) => at.agrees.has(site)).length >= neededIn(group);
    if (phase === "agreeing" && at.groups.every(agreedOn)) return settle(now);
    if (awaited(now) && !late) return;
    if (late && phase === "uploading" && (blameUnanswered(now) || isAsking(now))) return;
    // Nobody waits for them in the phases to come either, until they are heard.
    for (const site of waitedFor()) silent.add(site);
    if (phase === "gathering") return advanceGathering(now, late);
    const answers = { dealing: at.boxes, uploading: at.uploads, agreeing: at.agrees }[phase];
    const answered = ({ sites }: Group) => [...sites].filter((site) => answers.has(site));
    // Everyone is under a mask with each neighbour, so all of a group deal, or it begins again without those that do not.
    const enough = (group: Group) => (phase === "dealing" ? group.sites.size : neededIn(group));
    const going = at.groups.filter((group) => answered(group).length >= enough(group));
    const leave = () => {
      for (const group of at.groups)
        if (!going.includes(group)) blameFloors(group, answered(group).length, ledger.exchange);
    };
    if (going.length === 0) {
      // Those that are away for a moment may come back in time.
      if (waitsFor(() => true) && !late) return;
      const what = { dealing: "dealt shares", uploading: "uploaded", agreeing: "agreed" }[phase];
      const counts = `${at.groups.flatMap(answered).length} of ${membersIn(at).length} sites ${what}`;
      for (const site of membersIn(at)) if (!answers.has(site)) stalls.add(site, ledger.exchange);
      if (phase !== "dealing") leave();
      return abort(`${counts}, and it takes ${Math.min(...at.groups.map(enough))}`, now);
    }
    if (phase === "dealing") {
      at.groups = going;
      return enter("uploading", now);
    }
    if (phase === "agreeing") {
      if (!late) return;
      leave();
      at.groups = going;
      return settle(now);
    }
    leave();
    const ended = going.map((group) => ({ ...group, survivors: new Set(answered(group)) }));
    at.groups = ended.filter(hasHalves);
    for (const group of ended) if (!at.groups.includes(group)) blameFloorsOfHalves(group);
    if (at.groups.length === 0) return abort(`too few sites uploaded for halves of ${least} or more`, now);
    return plain ? absorb() : enter("agreeing", now);
  };

  /** Complaints whose dealers are there. */
  const pending = (now: number): Complaint[] =>
    unanswered().filter(({ of }) => !at.gone.has(of) && !silent.has(of) && !isAway(of, now));
  /** Whether a dealer has not had its whole time yet. */
  const isAsking = (now: number): boolean => pending(now).some((one) => now - one.since < patience.answer);
  /** Who is there and does not say for all that time what it dealt, though a holder complained, has no answer. */
  const blameUnanswered = (now: number): boolean => {
    const first = pending(now).find((one) => now - one.since >= patience.answer);
    if (!first) return false;
    return atFault(
      first.of,
      `it did not say which shares it dealt to ${first.by}, which complained of them`,
      now,
    );
  };
  /** Before anything is revealed: the attempt begins anew without the site. */
  const atFault = (site: string, reason: string, now: number): true => {
    remove(site, reason);
    abort(`${site} is excluded`, now);
    return true;
  };

  /** Once in an attempt: whoever says more of it fills the log. */
  const sayOnce = (site: string, why: string) => {
    if (!at.without.has(site)) say(`${site} ${why}.`);
    at.without.set(site, why);
  };
  const isDrawn = (site: string): boolean => at.drawn.some((names) => names.includes(site));
  const groupOf = (site: string): Group | undefined => at.groups.find(({ sites }) => sites.has(site));

  const hear = (from: string, message: ToCoordinator, now: number) => {
    if (message.run !== run || !Object.hasOwn(roster, from)) return;
    silent.delete(from);
    if (message.kind === "hello") {
      uploadedIn.set(from, message.since);
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
        gathering: !at.ready.has(from) && isAsked(from) && isDrawn(from),
      };
      const shares = phase === "revealing" && groupOf(from)?.survivors.has(from) && !at.reveals.has(from);
      if (shares || asks[phase as "gathering"]) send(from, request(from));
      return;
    }
    if (message.kind === "done") return void (phase === "finished" && done.add(from));
    if (message.exchange !== ledger.exchange || message.attempt !== at.number) return;
    if (message.kind === "refuse") {
      if (!at.gone.has(from)) say(`${from}: ${message.reason}`);
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
      if (phase !== "gathering" || at.ready.has(from) || at.benched.has(from) || !isDrawn(from)) return;
      if (member.site !== from || statement !== at.statement) return;
      if (!crypto.signed(at.roster[from], memberText(member, statement), member.signature))
        return sayOnce(from, "did not sign its keys; what came in its name is not used");
      if (!plain && !crypto.isSound(member))
        return void atFault(from, "it signed a key with which nobody has a secret", now);
      at.without.delete(from);
      at.ready.set(from, { member, session, epsilon });
      return;
    }
    const group = groupOf(from);
    if (message.kind === "boxes" && phase === "dealing" && group) {
      if (!isWhole(group, from, message))
        return void atFault(from, "it did not deal shares to all other sites of its sum", now);
      keep(at.boxes, from, message);
      keep(times, from, now - since);
    }
    if (message.kind === "complain" && phase === "uploading" && group) complained(group, from, message, now);
    if (message.kind === "opening" && phase === "uploading" && group) {
      const pair = `${from} ${message.to}`;
      const box = at.boxes.get(from)?.boxes.find(({ to }) => to === message.to);
      if (!at.complaints.has(pair) || !box) return;
      if (!isMarked(message, box))
        return void atFault(from, `the shares it dealt to ${message.to} are not those it committed to`, now);
      keep(at.openings, pair, { mask: message.mask, self: message.self });
      if (waiting().includes(message.to)) send(message.to, request(message.to));
    }
    if (message.kind === "uploaded" && phase === "uploading" && group?.sites.has(from)) {
      uploadedIn.set(from, { exchange: ledger.exchange, group: at.drawn.findIndex((g) => g.includes(from)) });
      keep(at.uploads, from, message.upload);
      keep(times, from, now - since);
    }
    if (message.kind === "agree" && phase === "agreeing" && group?.survivors.has(from)) {
      const text = survivorsText(group.context, group.survivors);
      if (crypto.signed(at.roster[from], text, message.signature)) {
        keep(at.agrees, from, message.signature);
        keep(times, from, now - since);
      }
    }
    if (message.kind === "reveal" && phase === "revealing" && group?.survivors.has(from)) {
      // It took these shares, or would have complained.
      if (!isTruthful(group, from, message))
        return remove(from, "it revealed other shares than it was dealt");
      keep(at.reveals, from, { selves: message.selves, masks: message.masks });
    }
  };

  /** The dealer is asked to open the box: it tells nobody more than its holder has. */
  const complained = (
    group: Group,
    by: string,
    { of, box, signature }: ToCoordinator & { kind: "complain" },
    now: number,
  ) => {
    const dealt = group.sites.has(of) ? at.boxes.get(of)!.boxes.find(({ to }) => to === by) : undefined;
    if (!dealt || boxHash(dealt) !== box) return;
    if (!crypto.signed(at.roster[by], complaintText(group.context, by, of, box), signature)) return;
    if (at.openings.has(`${of} ${by}`)) return send(by, request(by));
    const known = at.complaints.get(`${of} ${by}`);
    // Once it is late nobody has to answer any more: whoever complains then is not waited for.
    if (!known && now - since >= patience.answer) return;
    if (!known) say(`${by} complains of the shares that ${of} dealt to it.`);
    const complaint = known ?? { by, of, box, signature, since: now };
    at.complaints.set(`${of} ${by}`, complaint);
    challenge(complaint);
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
    if (event.kind === "message") {
      hear(event.from, event.message, now);
      lastAnswer = now;
    }
    if (event.kind === "blamed") {
      remove(event.site, event.reason);
      at.uploads.delete(event.site);
    }
    if (event.kind === "tick" && event.connected) {
      const here = new Set(event.connected);
      for (const site of Object.keys(roster)) {
        if (here.has(site)) {
          away.delete(site);
          seen.add(site);
        } else if (!away.has(site)) away.set(site, now);
      }
    }
    if (event.kind === "tick" && now - asked >= again) {
      ask(now);
      again = Math.min(2 * again, Math.max(patience.again, patience.answer / 4));
    }
    if (phase === "absorbing") {
      if (event.kind === "committed") {
        const survivors = new Set(at.voided ? [] : survivorsIn(at));
        const committed = !at.voided;
        tracing ||= committed;
        for (const site of survivors) stalls.forgive(site);
        ledger = event.ledger;
        return open(now);
      }
      if (event.kind === "failed") {
        if (plain) return abort(event.reason, now);
        return blame(event.reason, event.failed ?? [new Set(survivorsIn(at))], now);
      }
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
    waitsFor: (site) => waitsFor((one) => one === site),
    get asked() {
      return at.drawn.flatMap((names) => names.filter(isAsked));
    },
    get gone() {
      return at.gone;
    },
    left,
    get parts() {
      return partCount(at.suspects);
    },
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
