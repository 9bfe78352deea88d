// When a coordinator goes on: once all have answered, or enough have and patience is at its end.
import { quorumOf, reachable, strictest } from "../sums/index.js";
import { type Complaint, type Group, halvesIn, membersIn, namesOf, survivorsIn } from "./attempt.js";
import type { Running } from "./coordinator-state.js";
import type { Turns } from "./coordinator-turns.js";
import type { SignedMember } from "./messages.js";
import { isTraceable, within } from "./traced.js";
import { contextOf } from "./transcript.js";

export function advancing(running: Running, turns: Turns): (now: number, ticked: boolean) => void {
  const { m, plain, patience, crypto, draws, least, silent, stalls, strict } = running;
  const { say, present, leaveOut, waitedFor, waitsFor, isAway, awaited } = running;
  const { unanswered, enter, endTooFew, abort, settle, absorb, asSettled, giveUp, blameFloors, atFault } =
    turns;

  /** Whether there are enough shares takes long to tell with many sites: then not after every one. */
  const worthTrying = (ticked: boolean): boolean =>
    ticked || membersIn(m.at).length <= 50 || !waitsFor(() => true);

  /** Sites that a group needs for the next phase. */
  const neededIn = ({ members }: Group): number =>
    plain ? least : quorumOf(strictest(members).least, members.length);

  /** The groups that ready sites make, as far as each has enough. */
  const gathered = (): Group[] =>
    m.at.drawn.flatMap((names) => {
      const ready = names.flatMap((site) => m.at.ready.get(site)?.member ?? []);
      const members = willing(ready);
      if (members.length < least) return [];
      if (m.at.suspects.length > 0 && !isTraceable(members.length, least)) return [];
      const sums = m.at.suspects.length > 0 ? Math.floor(ready.length / 2) : ready.length;
      for (const { site, least: floor } of ready)
        if (!members.some((member) => member.site === site))
          leaveOut(site, `it sums with ${floor} sites or more, and here are ${sums} in a sum`);
      const context = contextOf(m.at.statement, members);
      return [{ members, context, sites: namesOf(members), survivors: new Set() }];
    });

  /** Those whose floors let them sum with each other; in halves, where someone is suspected. */
  const willing = (members: readonly SignedMember[]): readonly SignedMember[] => {
    const size = m.at.suspects.length > 0 ? Math.floor(members.length / 2) : members.length;
    const able = members.filter((member) => member.least <= Math.max(size, least));
    return able.length === members.length ? able : willing(able);
  };

  const advanceGathering = (now: number, late: boolean) => {
    const groups = gathered();
    if (groups.length > 0) {
      m.at.groups = groups;
      return enter(plain ? "uploading" : "dealing", now);
    }
    if (present().length < least) return endTooFew(now);
    if (m.at.suspects.length > 0)
      return abort(`${m.at.ready.size} sites are too few for halves of ${least}`, now);
    if (!late) return;
    // Others may be drawn for the next round.
    if (draws)
      return giveUp(`too few of the sites that were drawn are ready (${m.at.ready.size})`, m.ledger.suspects);
    // Those that could not may be able to by now.
    if (m.at.gone.size > 0) abort(`${m.at.ready.size} of at least ${least} sites are ready`, now);
  };

  const advanceRevealing = (ticked: boolean, late: boolean) => {
    if (!late && !worthTrying(ticked)) return;
    const isOpen = (group: Group) => crypto.enough(asSettled(group), m.at.reveals);
    const open = m.at.groups.filter(isOpen);
    if (open.length < m.at.groups.length && !late) {
      const helps = (site: string) =>
        m.at.reveals.has(site) || (!m.at.gone.has(site) && Object.hasOwn(m.roster, site));
      const helpers = new Set(survivorsIn(m.at).filter(helps));
      const lost = (group: Group) => !open.includes(group) && !reachable(asSettled(group), helpers);
      if (!m.at.groups.every((group) => open.includes(group) || lost(group))) return;
    }
    const revealedIn = ({ survivors }: Group) =>
      [...survivors].filter((site) => m.at.reveals.has(site)).length;
    for (const group of m.at.groups)
      if (!open.includes(group)) blameFloors(group, revealedIn(group), m.ledger.exchange + 1);
    if (open.length === 0)
      return giveUp(
        `${m.at.reveals.size} of ${survivorsIn(m.at).length} sites revealed their shares, which is too few`,
        m.ledger.suspects,
      );
    m.at.groups = open;
    absorb();
  };

  /** Whether every half of every part still has enough sites. */
  const hasHalves = (group: Group): boolean =>
    halvesIn(group, m.at.suspects).every((halves) =>
      halves.every((half) => within(group.survivors, half).size >= strictest(group.members).least),
    );

  /** Sites whose floors a half of this group does not meet, if it meets those of the spec. */
  const blameFloorsOfHalves = (group: Group) => {
    const halves = halvesIn(group, m.at.suspects).flat();
    const smallest = Math.min(...halves.map((half) => within(group.survivors, half).size));
    if (smallest < least) return;
    for (const { site, least: floor } of group.members)
      if (floor > smallest) {
        say(`The floor of ${site}, ${floor}, could not be met: half of a sum would have ${smallest} sites.`);
        strict.add(site, m.ledger.exchange);
      }
  };

  /** Goes on where all have answered, or enough have and patience is at its end. */
  const advance = (now: number, ticked: boolean) => {
    if (m.phase === "absorbing" || m.phase === "finished") return;
    const late =
      now - m.since >= (["gathering", "revealing"].includes(m.phase) ? patience.training : patience.answer);
    if (m.phase === "revealing") return advanceRevealing(ticked, late);
    const agreedOn = (group: Group) =>
      [...group.survivors].filter((site) => m.at.agrees.has(site)).length >= neededIn(group);
    if (m.phase === "agreeing" && m.at.groups.every(agreedOn)) return settle(now);
    if (awaited(now) && !late) return;
    if (late && m.phase === "uploading" && (blameUnanswered(now) || isAsking(now))) return;
    // Nobody waits for them in the phases to come either, until they are heard.
    for (const site of waitedFor()) silent.add(site);
    if (m.phase === "gathering") return advanceGathering(now, late);
    const answers = { dealing: m.at.boxes, uploading: m.at.uploads, agreeing: m.at.agrees }[m.phase];
    const answered = ({ sites }: Group) => [...sites].filter((site) => answers.has(site));
    // Everyone is under a mask with each neighbour, so all of a group deal, or it begins again without those that do not.
    const enough = (group: Group) => (m.phase === "dealing" ? group.sites.size : neededIn(group));
    const going = m.at.groups.filter((group) => answered(group).length >= enough(group));
    const leave = () => {
      for (const group of m.at.groups)
        if (!going.includes(group)) blameFloors(group, answered(group).length, m.ledger.exchange);
    };
    if (going.length === 0) {
      // Those that are away for a moment may come back in time.
      if (waitsFor(() => true) && !late) return;
      const what = { dealing: "dealt shares", uploading: "uploaded", agreeing: "agreed" }[m.phase];
      const counts = `${m.at.groups.flatMap(answered).length} of ${membersIn(m.at).length} sites ${what}`;
      for (const site of membersIn(m.at)) if (!answers.has(site)) stalls.add(site, m.ledger.exchange);
      if (m.phase !== "dealing") leave();
      return abort(`${counts}, and it takes ${Math.min(...m.at.groups.map(enough))}`, now);
    }
    if (m.phase === "dealing") {
      m.at.groups = going;
      return enter("uploading", now);
    }
    if (m.phase === "agreeing") {
      if (!late) return;
      leave();
      m.at.groups = going;
      return settle(now);
    }
    leave();
    const ended = going.map((group) => ({ ...group, survivors: new Set(answered(group)) }));
    m.at.groups = ended.filter(hasHalves);
    for (const group of ended) if (!m.at.groups.includes(group)) blameFloorsOfHalves(group);
    if (m.at.groups.length === 0) return abort(`too few sites uploaded for halves of ${least} or more`, now);
    return plain ? absorb() : enter("agreeing", now);
  };

  /** Complaints whose dealers are there. */
  const pending = (now: number): Complaint[] =>
    unanswered().filter(({ of }) => !m.at.gone.has(of) && !silent.has(of) && !isAway(of, now));
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

  return advance;
}
