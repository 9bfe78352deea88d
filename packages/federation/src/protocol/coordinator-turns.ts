// How a coordinator's attempts begin and end: opened, aborted, settled, summed, given up; and who is at fault.
import { quorumOf } from "../sums/index.js";
import {
  type Complaint,
  type Group,
  newAttempt,
  reopened,
  settledIn,
  settledOf,
  spentIn,
  survivorsIn,
  uploadsIn,
} from "./attempt.js";
import { afterFailure, sittingOut } from "./blame.js";
import type { CoordinatorPhase } from "./coordinator-events.js";
import type { Running } from "./coordinator-state.js";
import { drawnGroups, largestGroup } from "./draw.js";
import { type Outcome, outcomeOf } from "./past.js";
import { slowIn } from "./stalls.js";
import { isTraceable } from "./traced.js";
import { statementHash } from "./transcript.js";

export function turnsOf(running: Running) {
  const { m, options, run, spec, rounds, plain, patience, draw, least } = running;
  const { left, silent, stalls, strict, times, effects } = running;
  const { id, send, say, present, request, waiting, isAway, leaveOut } = running;

  const asSettled = (group: Group) => settledIn(group, m.at.suspects);

  const ask = (now: number) => {
    m.asked = now;
    // Most requests are the same for all of a group, and then one object, which is encoded once.
    const isSame =
      ["dealing", "agreeing", "revealing"].includes(m.phase) || (plain && m.phase === "uploading");
    const waited = new Set(waiting());
    if (!isSame) for (const site of waited) send(site, request(site));
    else
      for (const { sites } of m.at.groups) {
        const those = [...sites].filter((site) => waited.has(site));
        const same = those.length > 0 ? request(those[0]) : undefined;
        for (const site of those) send(site, same!);
      }
    if (m.phase === "uploading") for (const one of unanswered()) challenge(one);
  };
  /** Complaints that their dealers have not answered. */
  const unanswered = (): Complaint[] =>
    [...m.at.complaints].flatMap(([pair, one]) => (m.at.openings.has(pair) ? [] : [one]));
  const challenge = ({ of, since: _, ...complaint }: Complaint) =>
    send(of, { kind: "challenged", ...id(), ...complaint });
  const enter = (next: CoordinatorPhase, now: number) => {
    // What is asked for after training takes all sites about as long.
    for (const site of slowIn(times, patience.answer / 10)) stalls.add(site, m.ledger.exchange);
    times.clear();
    m.phase = next;
    [m.since, m.lastAnswer] = [now, now];
    m.again = patience.again;
    ask(now);
  };

  const exact = () => options.exact?.(m.ledger.shown.step - m.ledger.voids, m.ledger.shown.exchange);

  /** Whether there are enough sites to look for the one at fault by a sum in parts. */
  const traces = (now: number): boolean => {
    const here = present().filter((site) => !silent.has(site) && !isAway(site, now)).length;
    const smallest = Math.min(here, draw.group ?? draw.sample ?? here);
    return (
      m.tracing &&
      !exact() &&
      m.ledger.suspects.length > 1 &&
      isTraceable(smallest, least) &&
      largestGroup(draw, here) <= 50
    );
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
    if (m.ledger.shown.step - m.ledger.voids >= rounds || m.ledger.ended !== undefined) {
      m.at = newAttempt(0, m.roster, "", []);
      enter("finished", now);
      effects.push({ kind: "finished" });
      return;
    }
    const { exchange, shown, suspects } = m.ledger;
    m.ledger = { ...m.ledger, attempts: m.ledger.attempts + 1, settled: undefined };
    const attempt = m.ledger.attempts;
    const traced = traces(now) ? suspects : [];
    const statement = statementHash({
      run,
      exchange,
      attempt,
      spec,
      roster: m.roster,
      shown,
      suspects: traced,
    });
    const drawn = drawnGroups(run, shown.step, m.roster, draw);
    const tooStrict = strict.resting(present(), least, exchange);
    const resting = new Set([...stalls.resting(present(), least, exchange), ...tooStrict]);
    const awake = present().filter((site) => !resting.has(site));
    m.at = newAttempt(attempt, m.roster, statement, drawn, {
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
    m.ledger = { ...m.ledger, ended: why };
    open(now);
  };
  /** Too few are left for a sum, and none of them comes back. */
  const endTooFew = (now: number) => {
    const gone = left.size > 0 ? ` (${[...left].join(", ")})` : "";
    end(
      `The federation ends after ${m.ledger.shown.step - m.ledger.voids} of ${rounds} rounds: ${left.size} sites take part no more${gone}, ${present().length} are left, and a sum takes ${least}.`,
      now,
    );
  };

  const abort = (reason: string, now: number) => {
    say(`Exchange ${m.ledger.exchange}, attempt ${m.at.number} is aborted: ${reason}`);
    effects.push({ kind: "aborted", attempt: m.at.number, phase: m.phase, reason });
    if (m.at.suspects.length > 0) m.tracing = false;
    open(now);
  };

  const settle = (now: number) => {
    const settled = settledOf(m.at, m.ledger.exchange, present().length);
    effects.push({ kind: "settle", settled });
    m.ledger = { ...m.ledger, settled };
    m.at.groups = reopened(settled).groups;
    enter("revealing", now);
  };

  /** How this attempt ends its exchange. */
  const outcome = (survivors: ReadonlySet<string> | undefined): Outcome => {
    const { number: attempt, statement } = m.at;
    const drawn = drawnGroups(run, m.ledger.shown.step, m.at.roster, draw);
    const groups = survivors && drawn.map((names) => names.filter((site) => survivors.has(site)));
    return outcomeOf(m.ledger.exchange, { attempt, statement, groups: groups ?? null });
  };

  const absorb = () => {
    m.phase = "absorbing";
    const { exchange, settled } = m.ledger;
    const { number: attempt, statement, reveals } = m.at;
    effects.push({
      kind: "absorb",
      addends: {
        ...{ exchange, attempt, statement, reveals, roster: m.at.roster },
        groups: m.at.groups.map(asSettled),
        survivors: new Set(survivorsIn(m.at)),
        uploads: new Map(uploadsIn(m.at)),
        present: settled?.present ?? present().length,
        spent: new Map(spentIn(m.at)),
        outcome: outcome(new Set(survivorsIn(m.at))),
        without: m.at.without,
        agrees: m.at.agrees,
      },
    });
  };

  const remove = (site: string, reason: string) => {
    if (!Object.hasOwn(m.roster, site)) return;
    say(`${site} is excluded: ${reason}`);
    m.roster = Object.fromEntries(Object.entries(m.roster).filter(([name]) => name !== site));
    m.at.gone.set(site, reason);
    effects.push({ kind: "remove", site, reason });
  };

  /** Nothing of this exchange may be summed again: the round ends without it. */
  const giveUp = (reason: string, suspects: readonly string[]) => {
    say(`Round ${m.ledger.shown.step + 1} is given up: ${reason}`);
    m.phase = "absorbing";
    m.at.voided = true;
    const { exchange } = m.ledger;
    effects.push({
      kind: "void",
      exchange,
      attempt: m.at.number,
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
    const suspects = afterFailure(m.ledger.suspects, failed);
    if (suspects.length === 1) {
      const proven = failed.some((sites) => sites.size === 1);
      remove(suspects[0], proven ? reason : `it alone was in every sum that failed. ${reason}`);
      return giveUp(reason, []);
    }
    const same = suspects.length === m.ledger.suspects.length;
    if (same && m.at.suspects.length > 0) m.tracing = false;
    else if (same && sittingOut(suspects, present(), least, 0).length === 0)
      return end(
        `The federation ends: ${reason} One of ${suspects.join(", ")} is at fault, and a sum takes ${least} sites, so it cannot be found out which.`,
        now,
      );
    giveUp(reason, suspects);
  };

  /** Before anything is revealed: the attempt begins anew without the site. */
  const atFault = (site: string, reason: string, now: number): true => {
    remove(site, reason);
    abort(`${site} is excluded`, now);
    return true;
  };

  return {
    ...{ ask, unanswered, challenge, enter, open, endTooFew, abort, settle, absorb },
    ...{ asSettled, remove, giveUp, blame, blameFloors, atFault },
  };
}

export type Turns = ReturnType<typeof turnsOf>;
