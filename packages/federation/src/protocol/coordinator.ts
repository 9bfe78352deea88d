// The coordinator as a state machine: events in, effects out; no clock, disk or network of its own. An attempt at an exchange
// goes gathering → dealing → uploading → agreeing → revealing → absorbing, each until all have answered, or enough once its
// patience ends; with too few it is aborted and tried again. An exchange is done by a row of the ledger and nothing else.
import { coarser } from "@pliant/federated";
import type { Box, Revealed } from "../sums/index.js";
import { fewest, thresholdOf } from "../sums/index.js";
import type {
  CoordinatorEffect,
  CoordinatorEvent,
  CoordinatorMachine,
  CoordinatorOptions,
  CoordinatorPhase,
  LedgerState,
} from "./coordinator-events.js";
import { realCrypto } from "./crypto.js";
import type { SignedMember, ToCoordinator, ToSite } from "./messages.js";
import { contextOf, memberText, shownHash, survivorsText } from "./transcript.js";

/** What an attempt has heard so far. */
interface Attempt {
  readonly number: number;
  readonly ready: Map<
    string,
    { readonly member: SignedMember; readonly session: string; readonly epsilon?: number }
  >;
  readonly boxes: Map<string, readonly Box[]>;
  readonly uploads: Map<string, string>;
  readonly agrees: Map<string, string>;
  readonly reveals: Map<string, Revealed>;
  /** Those that said they cannot, or that came back without their secrets. */
  readonly gone: Map<string, string>;
  members: readonly SignedMember[];
  dealers: ReadonlySet<string>;
  survivors: ReadonlySet<string>;
  context: string;
}

/** A coordinator that goes on where its ledger ends. */
export function coordinatorMachine(options: CoordinatorOptions, saved: LedgerState): CoordinatorMachine {
  const { run, roster, exchanges, plain, patience, crypto = realCrypto } = options;
  const least = Math.max(options.least, plain ? 1 : fewest);
  const sites = Object.keys(roster);
  let ledger = saved;
  let phase: CoordinatorPhase = "gathering";
  let at = newAttempt(0);
  let bound = options.bound;
  let since = 0;
  let asked = 0;
  /** After how long it asks again: twice as long each time, so that many slow sites are not flooded. */
  let again = patience.again;
  const done = new Set<string>();
  const left = new Set(saved.left);
  let effects: CoordinatorEffect[] = [];

  const id = () => ({ run, exchange: ledger.exchange, attempt: at.number });
  const send = (to: string, message: ToSite) => effects.push({ kind: "send", to, message });
  const say = (what: string) => effects.push({ kind: "say", what });

  /** What a site that has not answered is asked in this phase. */
  const request = (site: string): ToSite => {
    if (phase === "finished")
      return { kind: "finished", ...id(), model: ledger.shown.model, counted: ledger.counted[site] ?? null };
    if (phase === "gathering")
      return { kind: "work", ...id(), shown: ledger.shown, bound, counted: ledger.counted[site] ?? null };
    if (phase === "dealing" || (plain && phase === "uploading"))
      return { kind: "cohort", ...id(), members: [...at.members] };
    if (phase === "uploading")
      return {
        kind: "dealt",
        ...id(),
        dealers: [...at.dealers],
        boxes: [...at.dealers].flatMap((from) =>
          at.boxes
            .get(from)!
            .filter(({ to }) => to === site)
            .map(({ box }) => ({ from, box })),
        ),
      };
    if (phase === "agreeing") return { kind: "survivors", ...id(), survivors: [...at.survivors] };
    return {
      kind: "agreed",
      ...id(),
      signatures: [...at.agrees].map(([signer, signature]) => ({ site: signer, signature })),
    };
  };

  /** Who is asked in this phase, and who has answered. */
  const round = (): { of: Iterable<string>; answered: { has(site: string): boolean } } => {
    if (phase === "finished") return { of: sites, answered: done };
    if (phase === "gathering") return { of: sites.filter((site) => !left.has(site)), answered: at.ready };
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
    if (ledger.exchange >= exchanges || ledger.ended !== undefined) {
      at = newAttempt(0);
      enter("finished", now);
      effects.push({ kind: "finished" });
      return;
    }
    ledger = { ...ledger, attempts: ledger.attempts + 1 };
    at = newAttempt(ledger.attempts);
    effects.push({ kind: "open", exchange: ledger.exchange, attempt: at.number });
    enter("gathering", now);
  };

  /** Too few are left for a sum, and none of them comes back. */
  const tooFewLeft = (): boolean => sites.length - left.size < least;
  const end = (now: number) => {
    const why = `The federation ends after ${ledger.exchange} of ${exchanges} exchanges: ${left.size} of ${sites.length} sites take part no more (${[...left].join(", ")}), and a sum takes ${least}.`;
    say(why);
    effects.push({ kind: "end", why });
    ledger = { ...ledger, ended: why };
    open(now);
  };

  const abort = (reason: string, now: number) => {
    say(`Exchange ${ledger.exchange}, attempt ${at.number} is aborted: ${reason}`);
    for (const { site } of at.members)
      send(site, { kind: "outcome", ...id(), committed: false, survivors: [], reason });
    open(now);
  };

  const absorb = () => {
    phase = "absorbing";
    const order = sites.filter((site) => at.survivors.has(site));
    effects.push({
      kind: "absorb",
      addends: {
        exchange: ledger.exchange,
        attempt: at.number,
        bound,
        cohort: at.members,
        dealers: at.dealers,
        survivors: at.survivors,
        context: at.context,
        uploads: new Map(order.map((site) => [site, at.uploads.get(site)!])),
        reveals: at.reveals,
        present: sites.length - left.size,
        spent: new Map(
          [...at.ready].flatMap(([site, { epsilon }]) => (epsilon === undefined ? [] : [[site, epsilon]])),
        ),
      },
    });
  };

  /** Whether there are enough shares takes long to tell with many sites: then not after every one. */
  const worthTrying = (ticked: boolean): boolean =>
    ticked || at.members.length <= 50 || waiting().length === 0;

  /** Goes on where all have answered, or enough have and patience is at its end. */
  const advance = (now: number, ticked: boolean) => {
    if (phase === "absorbing" || phase === "finished") return;
    const settled = { cohort: at.members, ...at };
    if (phase === "agreeing" && at.agrees.size >= thresholdOf(at.members.length))
      return enter("revealing", now);
    if (phase === "revealing" && worthTrying(ticked) && crypto.enough(settled, at.reveals)) return absorb();
    const late = now - since >= (phase === "gathering" ? patience.training : patience.answer);
    if (waiting().length > 0 && !late) return;
    if (phase === "gathering") {
      if (at.ready.size < least) {
        if (tooFewLeft()) return end(now);
        // Those that could not may be able to by now.
        if (late && at.gone.size > 0) abort(`${at.ready.size} of at least ${least} sites are ready`, now);
        return;
      }
      at.members = sites.filter((site) => at.ready.has(site)).map((site) => at.ready.get(site)!.member);
      at.context = contextOf(id(), shownHash(ledger.shown), at.members);
      at.dealers = new Set(at.members.map(({ site }) => site));
      return enter(plain ? "uploading" : "dealing", now);
    }
    const needed = Math.max(least, plain ? 1 : thresholdOf(at.members.length));
    const short = (count: number, what: string) =>
      abort(`${count} of ${at.members.length} sites ${what}, and it takes ${needed}`, now);
    if (phase === "dealing") {
      if (at.boxes.size < needed) return short(at.boxes.size, "dealt shares");
      at.dealers = new Set(at.members.map(({ site }) => site).filter((site) => at.boxes.has(site)));
      return enter("uploading", now);
    }
    if (phase === "uploading") {
      if (at.uploads.size < needed) return short(at.uploads.size, "uploaded");
      at.survivors = new Set([...at.dealers].filter((site) => at.uploads.has(site)));
      return plain ? absorb() : enter("agreeing", now);
    }
    if (phase === "agreeing") return short(at.agrees.size, "agreed");
    return short(at.reveals.size, "revealed");
  };

  const hear = (from: string, message: ToCoordinator) => {
    if (message.run !== run || !Object.hasOwn(roster, from)) return;
    if (message.kind === "hello") {
      const known = at.ready.get(from);
      if (known && known.session !== message.session) at.gone.set(from, "came back without its secrets");
      if (phase === "gathering" && known && at.gone.has(from)) {
        // Nothing was promised yet: it may get ready again, with new keys.
        at.ready.delete(from);
        at.gone.delete(from);
      }
      if (phase === "finished" || (phase === "gathering" && !at.ready.has(from))) send(from, request(from));
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
      const { member, session, shown, epsilon } = message;
      const own = member.site === from && shown === shownHash(ledger.shown);
      if (phase !== "gathering" || at.ready.has(from) || !own) return;
      if (!crypto.signed(roster[from], memberText(id(), member, shown), member.signature))
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
      if (crypto.signed(roster[from], text, message.signature)) keep(at.agrees, from, message.signature);
    }
    if (message.kind === "reveal" && phase === "revealing" && at.survivors.has(from))
      keep(at.reveals, from, { selves: message.selves, masks: message.masks });
  };

  const take = (event: CoordinatorEvent) => {
    const { now } = event;
    if (event.kind === "start") return open(now);
    if (event.kind === "message") hear(event.from, event.message);
    if (event.kind === "tick" && now - asked >= again) {
      ask(now);
      again = Math.min(2 * again, Math.max(patience.again, patience.answer / 4));
    }
    if (phase === "absorbing") {
      if (event.kind === "committed") {
        const members = at.members.map(({ site }) => site);
        const survivors = [...at.survivors];
        for (const site of members) send(site, { kind: "outcome", ...id(), committed: true, survivors });
        ledger = event.ledger;
        bound = options.bound;
        return open(now);
      }
      if (event.kind === "saturated") {
        bound = coarser(bound, sites.length);
        return abort(`a coordinate is beyond the bound; all are summed again up to ${bound}`, now);
      }
      if (event.kind === "failed") return abort(event.reason, now);
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
    get ledger() {
      return ledger;
    },
  };
}

/** The first answer stands. */
function keep<T>(answers: Map<string, T>, from: string, answer: T): void {
  if (!answers.has(from)) answers.set(from, answer);
}

const newAttempt = (number: number): Attempt => ({
  number,
  ready: new Map(),
  boxes: new Map(),
  uploads: new Map(),
  agrees: new Map(),
  reveals: new Map(),
  gone: new Map(),
  members: [],
  dealers: new Set(),
  survivors: new Set(),
  context: "",
});
