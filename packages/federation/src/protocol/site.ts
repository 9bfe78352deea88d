// A site as a state machine: events in, effects out; no clock, disk or network of its own. Its states in an attempt are
// training → ready → shared → uploaded → agreed → revealed. What it becomes is kept apart until the coordinator says that its
// update was counted, so an attempt that fails leaves no trace, and one that is counted is counted once.
import { InputError } from "@pliant/core";
import { nothingSpent, type Privacy, type Spent, spentTogether } from "@pliant/federated";
import {
  fewest,
  type Held,
  neighboursOf,
  type Random,
  revealed,
  type Secrets,
  thresholdOf,
} from "../sums/index.js";
import { type Crypto, realCrypto } from "./crypto.js";
import type { Identity } from "./identity.js";
import type { Counted, ShownMessage, SignedMember, ToCoordinator, ToSite } from "./messages.js";
import { type AttemptId, contextOf, memberText, shownHash, survivorsText } from "./transcript.js";
import { checkGiven, encodeGiven, encodeSummand, type Given, toSummand } from "./uploads.js";

/** What a site must not lose. */
export interface SiteDisk<S> {
  /** Its numbers: price, relaxation, what its solver keeps. */
  readonly state: S;
  /** The last exchange it knows it was counted in. */
  readonly counted: Counted;
  /** What it becomes if this attempt counts it. */
  readonly tentative: { readonly exchange: number; readonly attempt: number; readonly next: S } | null;
  /** The one set of survivors that it agreed to in this attempt. */
  readonly agreed: { readonly exchange: number; readonly attempt: number; readonly text: string } | null;
  /** The hash of the final model, once the run is over. */
  readonly finished: string | null;
  /** What it told of its records, and by which name the last of it goes. */
  readonly spent: { readonly all: Spent; readonly last: string } | null;
}

/** What a site is told. */
export interface SiteOptions {
  readonly run: string;
  readonly site: string;
  /** Of this process. */
  readonly session: string;
  readonly identity: Identity;
  /** The identities of all sites, pinned. */
  readonly roster: Readonly<Record<string, string>>;
  /** Sites it is willing to sum with, at the least, itself included. */
  readonly least: number;
  /** Whether sums are taken in the open. */
  readonly plain: boolean;
  readonly random: Random;
  readonly crypto?: Crypto;
  /** Of its records, where they are private. */
  readonly privacy?: Pick<Privacy, "epsilonAt" | "refusal">;
}

/** A round's work, done: what it gives, and what it becomes. */
export interface Prepared<S> extends Given {
  readonly next: S;
  /** What it tells of records that are private. Whatever goes by one name is the same to the bit, and is told once. */
  readonly tells?: { readonly name: string; readonly spends: Spent };
}

/** What the machine is told. */
export type SiteEvent<S> =
  | { readonly kind: "message"; readonly message: ToSite }
  | { readonly kind: "connected" }
  | { readonly kind: "trained"; readonly shown: string; readonly prepared: Prepared<S> | undefined }
  | { readonly kind: "failed"; readonly shown: string; readonly reason: string }
  | { readonly kind: "stored"; readonly exchange: number; readonly attempt: number; readonly upload: string };

/** To be carried out in order; a disk that cannot be written stops what comes after it. */
export type SiteEffect<S> =
  | { readonly kind: "send"; readonly message: ToCoordinator }
  | { readonly kind: "save"; readonly disk: SiteDisk<S> }
  | { readonly kind: "train"; readonly state: S; readonly shown: ShownMessage; readonly hash: string }
  | { readonly kind: "upload"; readonly exchange: number; readonly attempt: number; readonly bytes: Buffer }
  | { readonly kind: "finished"; readonly model: string };

/** How far a site is in an attempt. */
export type SitePhase = "training" | "ready" | "shared" | "uploaded" | "agreed" | "revealed" | "refused";

/** The phase in which a request has been answered; asked again, the site says the same. */
const answered = { cohort: "shared", dealt: "uploaded", survivors: "agreed", agreed: "revealed" } as const;

interface Attempt extends AttemptId {
  phase: SitePhase;
  readonly shown: string;
  readonly bound: number;
  secrets?: Secrets;
  members?: readonly SignedMember[];
  context?: string;
  dealers?: ReadonlySet<string>;
  held: Map<string, Held>;
  survivors?: ReadonlySet<string>;
  /** What it answered last; said again when it is asked again. */
  answer?: ToCoordinator;
}

/** A site between two events. */
export interface SiteMachine<S> {
  handle(event: SiteEvent<S>): SiteEffect<S>[];
  readonly disk: SiteDisk<S>;
  readonly phase: SitePhase | "idle" | "finished";
}

/** Of a site that has taken part in nothing yet. */
export const newDisk = <S>(state: S): SiteDisk<S> => ({
  state,
  counted: null,
  tentative: null,
  agreed: null,
  finished: null,
  spent: null,
});

/** A site that goes on where its disk says, one of so many clients. */
export function siteMachine<S>(options: SiteOptions, clients: number, saved: SiteDisk<S>): SiteMachine<S> {
  const { run, site, session, identity, roster, least, plain, random, crypto = realCrypto } = options;
  const { privacy } = options;
  let disk = saved;
  let current: Attempt | undefined;
  let prepared: { readonly shown: string; readonly done: Prepared<S> | undefined } | undefined;
  let training: string | undefined;
  let effects: SiteEffect<S>[] = [];

  const send = (message: ToCoordinator) => effects.push({ kind: "send", message });
  const save = (change: Partial<SiteDisk<S>>) => {
    disk = { ...disk, ...change };
    effects.push({ kind: "save", disk });
  };
  const idOf = ({ exchange, attempt }: Attempt) => ({ run, exchange, attempt });
  const answer = (at: Attempt, message: ToCoordinator) => {
    at.answer = message;
    send(message);
  };
  const refuse = (at: Attempt, reason: string, final?: true) => {
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

  /** Whether what it might become, it has become; what was said at or before that attempt decides nothing. */
  const settle = (counted: Counted, now: { exchange: number; attempt: number }) => {
    const { tentative } = disk;
    if (!tentative) return;
    if (counted && counted.exchange === tentative.exchange && counted.attempt === tentative.attempt) {
      save({ state: tentative.next, counted, tentative: null });
      prepared = undefined;
      return;
    }
    const decided =
      now.exchange > tentative.exchange ||
      (now.exchange === tentative.exchange && now.attempt > tentative.attempt);
    if (decided) save({ tentative: null });
  };

  const begin = ({ exchange, attempt, shown, bound, counted }: ToSite & { kind: "work" }) => {
    if (current && isCurrent({ exchange, attempt })) {
      if (current.answer && current.phase !== "training") send(current.answer);
      return;
    }
    if (
      current &&
      (exchange < current.exchange || (exchange === current.exchange && attempt < current.attempt))
    )
      return;
    settle(counted, { exchange, attempt });
    const hash = shownHash(shown);
    current = { run, exchange, attempt, phase: "training", shown: hash, bound, held: new Map() };
    if (prepared?.shown === hash) return ready();
    if (training === hash) return;
    training = hash;
    effects.push({ kind: "train", state: disk.state, shown, hash });
  };

  const ready = () => {
    const at = current!;
    const done = prepared!.done;
    if (!done) return refuse(at, "was not there when the round began; takes part from the next one on");
    checkGiven(done, plain ? undefined : clients);
    const spent = spentAfter(done)?.all ?? nothingSpent;
    const beyond = privacy?.refusal(spent);
    if (beyond) return refuse(at, beyond, true);
    at.secrets = crypto.newSecrets(random);
    at.phase = "ready";
    const member = crypto.memberOf(site, at.secrets);
    const signature = identity.sign(memberText(at, member, at.shown));
    const signedMember = { ...member, signature };
    const epsilon = privacy?.epsilonAt(spent);
    answer(at, { kind: "ready", ...idOf(at), session, member: signedMember, shown: at.shown, epsilon });
  };

  const join = (at: Attempt, members: readonly SignedMember[]) => {
    if (at.phase !== "ready") return;
    const needed = Math.max(least, plain ? 1 : fewest);
    if (new Set(members.map((member) => member.site)).size !== members.length)
      throw new InputError("The cohort names a site twice.");
    if (members.length < needed)
      throw new InputError(`The cohort has ${members.length} sites; this site sums with ${needed} or more.`);
    const me = members.find((member) => member.site === site);
    const mine = crypto.memberOf(site, at.secrets!);
    if (!me || me.mask !== mine.mask || me.channel !== mine.channel)
      throw new InputError("The cohort does not have this site's keys.");
    for (const member of members) {
      const key = Object.hasOwn(roster, member.site) ? roster[member.site] : undefined;
      if (key === undefined)
        throw new InputError(`The cohort has ${member.site}, which is not on the roster.`);
      if (!crypto.signed(key, memberText(at, member, at.shown), member.signature))
        throw new InputError(
          `${member.site} did not sign these keys for this model and attempt: it was shown something else, or is someone else.`,
        );
    }
    at.members = members;
    at.context = contextOf(at, at.shown, members);
    if (plain) return upload(at, encodeGiven(prepared!.done!));
    const dealt = crypto.deal(site, at.secrets!, members, at.context, random);
    at.held.set(site, dealt.own);
    at.phase = "shared";
    answer(at, { kind: "boxes", ...idOf(at), boxes: [...dealt.boxes] });
  };

  const mask = (at: Attempt, { dealers, boxes }: ToSite & { kind: "dealt" }) => {
    if (at.phase !== "shared") return;
    const around = neighboursOf(at.members!).get(site)!;
    at.dealers = new Set(dealers);
    checkSet("dealers", at.dealers, new Set(at.members!.map((member) => member.site)));
    for (const from of around) {
      if (!at.dealers.has(from.site)) continue;
      const box = boxes.find((sent) => sent.from === from.site);
      if (!box) throw new InputError(`The shares of ${from.site} were not passed on.`);
      at.held.set(from.site, crypto.openBox(site, at.secrets!, from, box.box, at.context!));
    }
    const summand = toSummand(prepared!.done!, at.bound, clients);
    upload(
      at,
      encodeSummand(crypto.masked(site, at.secrets!, at.members!, at.dealers, at.context!, summand)),
    );
  };

  const upload = (at: Attempt, bytes: Buffer) => {
    at.phase = "uploaded";
    at.answer = undefined;
    const { exchange, attempt } = at;
    const done = prepared!.done!;
    // On the disk before anything leaves: what was told is never forgotten, and never told by another name.
    save({ tentative: { exchange, attempt, next: done.next }, spent: spentAfter(done) });
    effects.push({ kind: "upload", exchange, attempt, bytes });
  };

  /** A set that includes this site, is part of another, and is large enough. */
  const checkSet = (what: string, set: ReadonlySet<string>, of: ReadonlySet<string>) => {
    const needed = Math.max(least, fewest, thresholdOf(current!.members!.length));
    if (!set.has(site)) throw new InputError(`The ${what} do not include this site.`);
    if ([...set].some((name) => !of.has(name))) throw new InputError(`The ${what} name a site from outside.`);
    if (set.size < needed)
      throw new InputError(`There are ${set.size} ${what}; this site goes on with ${needed} or more.`);
  };

  const agree = (at: Attempt, survivors: readonly string[]) => {
    if (plain || (at.phase !== "uploaded" && at.phase !== "agreed") || !at.dealers) return;
    const set = new Set(survivors);
    checkSet("survivors", set, at.dealers);
    const text = survivorsText(at.context!, at.dealers, set);
    const { agreed } = disk;
    if (agreed && isCurrent(agreed)) {
      if (agreed.text === text) return void (at.answer && send(at.answer));
      throw new InputError(
        "The coordinator named a second set of survivors in one attempt; nothing is revealed.",
      );
    }
    save({ agreed: { exchange: at.exchange, attempt: at.attempt, text } });
    at.survivors = set;
    at.phase = "agreed";
    answer(at, { kind: "agree", ...idOf(at), signature: identity.sign(text) });
  };

  const reveal = (at: Attempt, { signatures }: ToSite & { kind: "agreed" }) => {
    if (at.phase !== "agreed") return;
    const text = survivorsText(at.context!, at.dealers!, at.survivors!);
    const signers = signatures.filter(
      (one) => at.survivors!.has(one.site) && crypto.signed(roster[one.site], text, one.signature),
    );
    const needed = thresholdOf(at.members!.length);
    if (new Set(signers.map((one) => one.site)).size < needed)
      throw new InputError(`Fewer than ${needed} sites agreed to the same survivors; nothing is revealed.`);
    at.phase = "revealed";
    answer(at, { kind: "reveal", ...idOf(at), ...revealed(at.held, at.survivors!) });
  };

  const hear = (message: ToSite) => {
    if (message.run !== run) return;
    if (message.kind === "finished") {
      settle(message.counted, message);
      if (disk.finished === null) save({ finished: message.model });
      current = undefined;
      // Whoever is told that all are done shows the model no longer: it is taken first.
      effects.push({ kind: "finished", model: message.model });
      send({ kind: "done", run, exchange: message.exchange, attempt: message.attempt });
      return;
    }
    if (disk.finished !== null) return;
    if (message.kind === "work") return begin(message);
    if (message.kind === "outcome") {
      const { exchange, attempt, committed, survivors } = message;
      if (committed && survivors.includes(site)) settle({ exchange, attempt }, message);
      else if (disk.tentative?.exchange === exchange && disk.tentative.attempt === attempt)
        save({ tentative: null });
      return;
    }
    if (!current || !isCurrent(message) || current.phase === "refused") return;
    if (current.phase === answered[message.kind] && message.kind !== "survivors")
      return void (current.answer && send(current.answer));
    if (message.kind === "cohort") join(current, message.members);
    else if (message.kind === "dealt") mask(current, message);
    else if (message.kind === "survivors") agree(current, message.survivors);
    else reveal(current, message);
  };

  const take = (event: SiteEvent<S>) => {
    if (event.kind === "connected") {
      send({ kind: "hello", run, site, session });
      if (disk.finished !== null) effects.push({ kind: "finished", model: disk.finished });
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
