// A site as a state machine: events in, effects out; no clock, disk or network of its own. Its states in an attempt are
// training → ready → shared → uploaded → agreed → revealed. What it becomes is kept apart until the coordinator says that its
// update was counted, so an attempt that fails leaves no trace, and one that is counted is counted once.
import { InputError } from "@pliant/core";
import { nothingSpent, spentTogether } from "@pliant/federated";
import { fewest, marksOf, neighboursOf, quorumOf, revealed, strictest } from "../sums/index.js";
import { halvesIn } from "./attempt.js";
import { checkCohort, checkFloor, checkHalves, opened } from "./cohort-checks.js";
import { realCrypto } from "./crypto.js";
import { drawnGroups } from "./draw.js";
import type { SignedMember, Since, ToCoordinator, ToSite } from "./messages.js";
import { checkFollows } from "./past.js";
import { checkOneEach } from "./roster.js";
import { type Attempt, answered, final } from "./site-attempt.js";
import type { Prepared, SiteDisk, SiteEffect, SiteEvent, SiteMachine, SiteOptions } from "./site-events.js";
import { checkNew, isNew, secondSum, standsBy } from "./site-history.js";
import { maskedInParts, partCount, within } from "./traced.js";
import {
  type AttemptId,
  boxHash,
  complaintText,
  contextOf,
  memberText,
  shownHash,
  statementHash,
  survivorsText,
} from "./transcript.js";
import { encodeGiven, encodeSummand, sendable, toSummand } from "./uploads.js";

/** A site that goes on where its disk says; a sum has so many summands at the most. */
export function siteMachine<S>(options: SiteOptions, clients: number, saved: SiteDisk<S>): SiteMachine<S> {
  const { run, site, session, identity, plain, random, crypto = realCrypto } = options;
  const least = Math.max(options.least, plain ? 1 : fewest);
  const { privacy, spec, bound, draw = {} } = options;
  let { roster } = options;
  checkOneEach(roster);
  let disk = saved;
  let current: Attempt<S> | undefined;
  let prepared: { readonly shown: string; readonly done: Prepared<S> | undefined } | undefined;
  let training: string | undefined;
  let effects: SiteEffect<S>[] = [];

  const send = (message: ToCoordinator) => effects.push({ kind: "send", message });
  const save = (change: Partial<SiteDisk<S>>) => {
    disk = { ...disk, ...change };
    effects.push({ kind: "save", disk });
  };
  const idOf = ({ exchange, attempt }: Omit<AttemptId, "run">) => ({ run, exchange, attempt });
  const answer = (at: Attempt<S>, message: ToCoordinator) => {
    at.answer = message;
    send(message);
  };
  const refuse = (at: Attempt<S>, reason: string, final?: true) => {
    at.phase = "refused";
    answer(at, { kind: "refuse", ...idOf(at), session, reason, final });
  };
  /** What it has told once what is prepared has left. */
  const spentAfter = ({ tells }: Prepared<S>): SiteDisk<S>["spent"] => {
    const { spent } = disk;
    if (!tells || spent?.last === tells.name) return spent;
    return { all: spentTogether(spent?.all ?? nothingSpent, tells.spends), last: tells.name };
  };
  const isCurrent = ({ exchange, attempt }: { exchange: number; attempt: number }): boolean =>
    current?.exchange === exchange && current.attempt === attempt;

  const standsAt = (now: { readonly exchange: number; readonly past: string }, since: Since | undefined) =>
    standsBy(disk, site, now, since);
  const greet = () => {
    const { tentative: last } = disk;
    const since = last && { since: { exchange: last.exchange, group: last.group } };
    send({ kind: "hello", run, site, session, ...since });
  };

  const begin = ({
    exchange,
    attempt,
    shown,
    statement: stated,
    since,
    suspects = [],
  }: ToSite & { kind: "work" }) => {
    if (current && isCurrent({ exchange, attempt })) {
      if (current.answer && current.phase !== "training") send(current.answer);
      return;
    }
    if (
      current &&
      (exchange < current.exchange || (exchange === current.exchange && attempt < current.attempt))
    )
      return;
    const hash = shownHash(shown);
    const statement = statementHash({ run, exchange, attempt, spec, roster, shown, suspects });
    const { step, exchange: part, model, past } = shown;
    const before = current;
    current = {
      ...{ run, exchange, attempt, step, part, model, past },
      ...{ phase: "training", shown: hash, statement, roster, suspects, held: new Map() },
      stands: disk,
    };
    if (statement !== stated)
      throw new InputError("The coordinator states another spec, roster or model than this site has.");
    checkNew(disk, current);
    const stands = standsAt({ exchange, past }, since);
    if (!stands) {
      current = before;
      return greet();
    }
    const { given, ...now } = stands;
    if (given !== undefined) checkFollows(disk.tentative!, given, shown);
    current = { ...current, stands: now };
    if (prepared?.shown === hash) return ready();
    if (training === hash) return;
    training = hash;
    effects.push({ kind: "train", state: now.state, shown, hash, exchange });
  };

  const ready = () => {
    const at = current!;
    const done = prepared!.done;
    if (!done) return refuse(at, "was not there when the round began; takes part from the next one on");
    const spent = spentAfter(done)?.all ?? nothingSpent;
    if ((done.whole || done.once !== undefined) && at.suspects.length > 0)
      return refuse(at, "The coordinator asks for halves of a sum that is exact; this site gives it whole.");
    if (disk.scale !== undefined && done.scale !== disk.scale)
      return refuse(at, "The coordinator tells another scale of the columns than the one that was agreed.");
    const beyond = privacy?.refusal(spent);
    if (beyond) return refuse(at, beyond, true);
    at.secrets = crypto.newSecrets(random);
    at.phase = "ready";
    const member = crypto.memberOf(site, at.secrets, least);
    const { statement } = at;
    const signed = { ...member, signature: identity.sign(memberText(member, statement)) };
    const epsilon = privacy?.epsilonAt(spent);
    answer(at, { kind: "ready", ...idOf(at), session, member: signed, statement, epsilon });
  };

  const join = (at: Attempt<S>, members: readonly SignedMember[]) => {
    if (at.phase !== "ready") return;
    const drawn = drawnGroups(run, at.step, at.roster, draw).find((names) => names.includes(site));
    const mine = crypto.memberOf(site, at.secrets!, least);
    checkCohort(members, { statement: at.statement, roster: at.roster, drawn: drawn ?? [], mine, crypto });
    checkFloor(members, members.length, least, (count) => `The cohort has ${count} sites`);
    at.members = members;
    at.context = contextOf(at.statement, members);
    at.halves = halvesIn({ members, context: at.context }, at.suspects);
    checkHalves(members, at.halves, new Set(members.map((member) => member.site)), least);
    if (plain) return upload(at, encodeGiven(sendable(prepared!.done!, clients)));
    const dealt = crypto.deal(site, at.secrets!, members, at.context, random);
    at.dealt = dealt;
    at.held.set(site, dealt.own);
    at.phase = "shared";
    answer(at, { kind: "boxes", ...idOf(at), boxes: [...dealt.boxes], own: marksOf(dealt.own) });
  };

  const mask = (at: Attempt<S>, { boxes }: ToSite & { kind: "dealt" }) => {
    if (at.phase !== "shared") return;
    const complaints: ToCoordinator[] = [];
    // All of them: a mask less would leave this site's update under fewer than the others believe.
    for (const from of neighboursOf(at.members!).get(site)!) {
      const box = boxes.find((sent) => sent.from === from.site);
      if (!box) throw new InputError(`The shares of ${from.site} were not passed on.`);
      const held = opened(box, () => crypto.openBox(site, at.secrets!, from, box.box, at.context!));
      if (held) at.held.set(from.site, held);
      else complaints.push(complaint(at, from.site, boxHash(box)));
    }
    // Its dealer opens the box, or is at fault.
    if (complaints.length > 0) return complaints.forEach(send);
    sendMasked(at);
  };

  const complaint = (at: Attempt<S>, of: string, box: string): ToCoordinator => {
    const signature = identity.sign(complaintText(at.context!, site, of, box));
    return { kind: "complain", ...idOf(at), of, box, signature };
  };

  /** Opens to a holder that complained what the holder has: only for the very box that was dealt, and a complaint of its own. */
  const open = (at: Attempt<S>, { by, box, signature }: ToSite & { kind: "challenged" }) => {
    const dealt = at.dealt?.boxes.find(({ to }) => to === by);
    if (!dealt || boxHash(dealt) !== box || !Object.hasOwn(at.roster, by)) return;
    if (!crypto.signed(at.roster[by], complaintText(at.context!, by, site, box), signature)) return;
    send({ kind: "opening", ...idOf(at), to: by, ...at.dealt!.shares.get(by)! });
  };

  const sendMasked = (at: Attempt<S>) => {
    const { secrets, members, context, halves } = at;
    const summand = toSummand(prepared!.done!, bound, clients, partCount(at.suspects));
    const masked = maskedInParts(
      crypto,
      ...([site, secrets!, members!, context!, summand, halves!] as const),
    );
    upload(at, encodeSummand(masked));
  };

  const upload = (at: Attempt<S>, bytes: Buffer) => {
    at.phase = "uploaded";
    at.answer = undefined;
    const { exchange, attempt, step, part, statement, model, past } = at;
    const done = prepared!.done!;
    at.once = done.once;
    const drawn = drawnGroups(run, step, at.roster, draw);
    const places = {
      group: drawn.findIndex((names) => names.includes(site)),
      groups: drawn.length,
    };
    // On the disk before anything leaves: what was told is never forgotten, and never told by another name.
    const id = { exchange, attempt, step, part, statement, model, past };
    const seen = { exchange, past };
    const { next, scale } = done;
    const told = { seen, spent: spentAfter(done), ...(scale !== undefined && { scale }) };
    save({ ...at.stands, ...told, tentative: { ...id, ...places, next } });
    effects.push({ kind: "upload", exchange, attempt, bytes });
  };

  const agree = (at: Attempt<S>, named: readonly string[]) => {
    if (plain || (at.phase !== "uploaded" && at.phase !== "agreed")) return;
    const members = at.members!;
    const set = new Set(named);
    const needed = quorumOf(strictest(members).least, members.length);
    if (!set.has(site)) throw new InputError("The survivors do not include this site.");
    if (within(set, new Set(members.map((member) => member.site))).size < set.size)
      throw new InputError("The survivors name a site from outside.");
    checkFloor(members, set.size, least, (count) => `There are ${count} survivors`);
    if (set.size < needed)
      throw new InputError(
        `There are ${set.size} survivors; by the floors of these ${members.length} sites it takes ${needed}.`,
      );
    checkHalves(members, at.halves!, set, least);
    const { once } = at;
    const second = once === undefined ? undefined : secondSum(once, disk.once?.[once], at, set);
    if (second) return refuse(at, second.reason, second.final);
    const text = survivorsText(at.context!, set);
    const { agreed } = disk;
    if (agreed && isCurrent(agreed)) {
      if (agreed.text === text) return void (at.answer && send(at.answer));
      throw new InputError(
        "The coordinator named a second set of survivors in one attempt; nothing is revealed.",
      );
    }
    const { exchange, attempt, step, part, model } = at;
    // With the shares: a site that is killed now can still open this sum, and no other.
    const shares = revealed(at.held, set);
    const survivors = Object.fromEntries(named.map((name) => [name, at.roster[name]]));
    save({ agreed: { exchange, attempt, step, part, model, text, survivors, once, needed, shares } });
    at.phase = "agreed";
    answer(at, { kind: "agree", ...idOf(at), signature: identity.sign(text) });
  };

  /** From the disk alone: a site that was killed since it agreed says the same. */
  const reveal = ({ exchange, attempt, signatures }: ToSite & { kind: "agreed" }) => {
    const { agreed } = disk;
    const id = { run, exchange, attempt };
    const stop = (reason: string) => send({ kind: "refuse", ...id, session, reason });
    if (agreed?.exchange !== exchange || agreed.attempt !== attempt)
      return stop("This site did not agree to these survivors; it has nothing to reveal.");
    const { text, survivors, once, needed, shares, step, part, model } = agreed;
    const signers = signatures.filter(
      (one) => Object.hasOwn(survivors, one.site) && crypto.signed(survivors[one.site], text, one.signature),
    );
    if (new Set(signers.map((one) => one.site)).size < needed)
      return stop(`Fewer than ${needed} sites agreed to the same survivors; nothing is revealed.`);
    const again = disk.revealed?.exchange === exchange && disk.revealed.attempt === attempt;
    if (!again && !isNew(disk, agreed)) return stop(final(disk.revealed!));
    // On the disk before a share leaves.
    if (!again)
      save({
        revealed: { exchange, attempt, step, part },
        ...(once !== undefined && { once: { ...disk.once, [once]: { sites: survivors, model } } }),
      });
    const message: ToCoordinator = { kind: "reveal", ...id, ...shares };
    if (current && isCurrent(id)) {
      current.phase = "revealed";
      answer(current, message);
    } else send(message);
  };

  const hear = (message: ToSite) => {
    if (message.run !== run) return;
    if (message.kind === "finished") {
      const stands = standsAt(message, message.since);
      if (!stands) return greet();
      const { given: _, ...now } = stands;
      if (disk.finished === null)
        save({
          ...{ ...now, tentative: null, finished: message.model },
          seen: { exchange: message.exchange, past: message.past },
        });
      current = undefined;
      // Whoever is told that all are done shows the model no longer: it is taken first.
      effects.push({ kind: "finished", model: message.model });
      send({ kind: "done", run, exchange: message.exchange, attempt: message.attempt });
      return;
    }
    if (disk.finished !== null) return;
    if (message.kind === "work") return begin(message);
    if (message.kind === "agreed" && (!current || isCurrent(message))) return reveal(message);
    if (message.kind === "agreed" || !current || !isCurrent(message) || current.phase === "refused") return;
    if (message.kind === "challenged") return open(current, message);
    if (current.phase === answered[message.kind] && message.kind !== "survivors")
      return void (current.answer && send(current.answer));
    if (message.kind === "cohort") join(current, message.members);
    else if (message.kind === "dealt") mask(current, message);
    else if (message.kind === "survivors") agree(current, message.survivors);
  };

  const take = (event: SiteEvent<S>) => {
    if (event.kind === "connected") {
      greet();
      if (disk.finished !== null) effects.push({ kind: "finished", model: disk.finished });
      return;
    }
    if (event.kind === "roster") {
      checkOneEach(event.roster);
      ({ roster } = event);
      return;
    }
    if (event.kind === "message") return hear(event.message);
    if (event.kind === "stored") {
      if (current && isCurrent(event) && current.phase === "uploaded")
        answer(current, { kind: "uploaded", ...idOf(current), upload: event.upload });
      return;
    }
    if (event.shown !== training) return;
    training = undefined;
    const wanted = current?.shown === event.shown && current.phase === "training";
    if (event.kind === "failed") return wanted ? refuse(current!, event.reason) : undefined;
    prepared = { shown: event.shown, done: event.prepared };
    if (wanted) ready();
  };

  return {
    handle: (event) => {
      effects = [];
      try {
        take(event);
      } catch (error) {
        if (!(error instanceof InputError) || !current) throw error;
        refuse(current, error.message);
      }
      return effects;
    },
    get disk() {
      return disk;
    },
    get phase() {
      return disk.finished !== null ? "finished" : (current?.phase ?? "idle");
    },
  };
}
