// A federation in a world of its own: a virtual clock, a network that drops, repeats, delays and reorders, disks that survive
// and processes that do not, all from one seed. What sites learn is a toy whose every sum can be checked.

import { PliantError } from "@pliant/core";
import { nextMeanPrice } from "@pliant/federated";
import {
  type Addends,
  type CoordinatorMachine,
  type Crypto,
  coordinatorMachine,
  type DrawOptions,
  decodeGiven,
  digest,
  encodeMessage,
  FailedSum,
  groupSum,
  type Identity,
  type LedgerState,
  largestGroup,
  newDisk,
  type Prepared,
  parseToCoordinator,
  parseToSite,
  pastAfter,
  plainSum,
  type Roster,
  rosterHash,
  type ShownMessage,
  type SiteDisk,
  type SiteMachine,
  type SiteOptions,
  type SumOf,
  siteMachine,
  type ToCoordinator,
  type ToSite,
} from "@pliant/federation";
import { afterSum } from "../src/protocol/blame.js";
import { across } from "../src/run/across-groups.js";
import { seededBytes, seededNumbers } from "./seeded.js";

/** A site's toy state: how often it was counted. */
export interface Toy {
  readonly counted: number;
}

export interface Row {
  readonly exchange: number;
  readonly attempt: number;
  readonly survivors: readonly string[];
  readonly value: number;
  readonly mean: number;
  readonly meanPrice: number;
  /** Sites that had not left. */
  readonly present: number;
  /** Of all exchanges of a run without faults. */
  readonly position: number;
  /** Whether its round was given up. */
  readonly void: boolean;
  /** Whether others take part than when prices were summed last. */
  readonly census: boolean;
  /** Who was left out for a floor that could not be met. */
  readonly without: readonly string[];
}

export interface WorldOptions {
  readonly seed: number;
  readonly sites: number;
  readonly least: number;
  readonly exchanges: number;
  readonly crypto: Crypto;
  readonly identity: (site: string) => Identity;
  readonly plain?: boolean;
  /** Who is asked in a round, and who sums together. */
  readonly draw?: DrawOptions;
  /** Sums that each site may tell of private records; any number unless given. */
  readonly budgets?: readonly number[];
  /** Sites that go for good, and when; the operator removes them a while later. */
  readonly leavers?: Readonly<Record<string, number>>;
  /** Sites whose uploads are noise. */
  readonly liars?: readonly string[];
  /** Sites whose uploads are noise where another one is in the sum, by that one: it is to look guilty. */
  readonly framers?: Readonly<Record<string, string>>;
  /** Sites with floors of their own. */
  readonly floors?: Readonly<Record<string, number>>;
  /** What a site that breaks the protocol says instead; nothing where it says nothing. Such a site may be excluded. */
  readonly instead?: {
    readonly site: string;
    readonly says: (
      message: ToCoordinator,
      say: (more: ToCoordinator, delay?: number) => void,
    ) => ToCoordinator | undefined;
    readonly hears?: (message: ToSite, say: (more: ToCoordinator, delay?: number) => void) => void;
  };
  /** Sites that join after it began, and when. */
  readonly latecomers?: Readonly<Record<string, number>>;
  /** Chances, of each message and each moment, while faults last. */
  readonly faults: {
    readonly until: number;
    readonly drop: number;
    readonly twice: number;
    readonly crash: number;
  };
}

/** Each sum costs 1. */
const toyPrivacy = (budget: number): NonNullable<SiteOptions["privacy"]> => ({
  epsilonAt: ({ steps }) => steps,
  refusal: ({ steps }) => (steps > budget ? "The budget is spent." : undefined),
});

/** What a site gives, from its state and what it is shown alone. */
export const toyValue = (site: string, exchange: number, { counted }: Toy): number =>
  ((Number.parseInt(digest(`${site} ${exchange} ${counted}`).slice(0, 6), 16) % 2001) - 1000) / 128;

const bound = 16;
/** How long after a site is gone for good its operator removes it. */
const removedAfter = 2500;

export interface World {
  readonly rows: readonly Row[];
  readonly disks: ReadonlyMap<string, SiteDisk<Toy>>;
  readonly finished: boolean;
  /** What went wrong that never may. */
  readonly violations: readonly string[];
  readonly crashes: number;
  readonly attempts: number;
  readonly said: readonly string[];
  readonly shown: ShownMessage;
  /** Why it ended before its time, if so. */
  readonly ended: string | undefined;
  readonly removed: ReadonlyMap<string, string>;
  /** Coordinators that took over from one that was not dead, or that went on from its disk in the middle of a reveal. */
  readonly takeovers: number;
  /** How long it took, on the virtual clock. */
  readonly time: number;
}

export function live(options: WorldOptions): World {
  const { seed, least, exchanges, crypto, faults, plain = false, budgets } = options;
  const {
    floors = {},
    leavers = {},
    liars = [],
    framers = {},
    latecomers = {},
    draw = {},
    instead,
  } = options;
  const chance = seededNumbers(`world ${seed}`);
  const names = Array.from({ length: options.sites }, (_, i) => `s${i}`);
  const identities = new Map(names.map((name) => [name, options.identity(name)]));
  const rosterOf = (sites: readonly string[]): Roster =>
    Object.fromEntries(sites.map((name) => [name, identities.get(name)!.key]));
  const violations: string[] = [];
  const said: string[] = [];
  const blobs = new Map<string, Buffer>();
  const disks = new Map(names.map((name) => [name, newDisk<Toy>({ counted: 0 })]));
  const rows: Row[] = [];
  const reveals = new Map<string, string>();
  /** What left each site, by what it is made of. */
  const told = new Map(names.map((name) => [name, new Set<string>()]));
  /** Who is in the sum with each site. */
  const besides = new Map<string, ReadonlySet<string>>();
  /** What each site trains for, and what it has trained last. */
  const wanted = new Map<string, string>();
  const trained = new Map<string, string>();
  const budgetOf = (name: string) => budgets![names.indexOf(name)];
  const startShown = {
    step: 0,
    exchange: 0,
    model: digest("0"),
    meanPrice: 0,
    answers: [],
    past: "00".repeat(32),
  };
  let ledger: LedgerState = {
    ...{ exchange: 0, attempts: 0, counted: {}, outcomes: [], shown: startShown, voids: 0, suspects: [] },
  };
  /** What else is on the ledger. */
  let roster = rosterOf(names.filter((name) => latecomers[name] === undefined));
  const removed = new Map<string, string>();
  let pricedOver = rosterHash(roster);
  let [attempts, crashes, sessions, takeovers, failures, failed, now] = [0, 0, 0, 0, 0, 0, 0];

  const queue: { readonly time: number; readonly order: number; readonly act: () => void }[] = [];
  let orders = 0;
  const later = (delay: number, act: () => void) => queue.push({ time: now + delay, order: orders++, act });
  const faulty = () => now < faults.until;
  const travel = (act: () => void) => {
    if (faulty() && chance() < faults.drop) return;
    const slow = faulty() && chance() < 0.1 ? 400 : 20;
    later(chance() * slow, act);
    if (faulty() && chance() < faults.twice) later(chance() * 800, act);
  };

  const machines = new Map<string, { readonly machine: SiteMachine<Toy>; readonly session: string }>();
  const startSite = (name: string) => {
    if (removed.has(name) || now >= (leavers[name] ?? Number.POSITIVE_INFINITY)) return;
    const session = `${name}-${sessions++}`;
    const machine = siteMachine<Toy>(
      {
        ...{ run: "toy", site: name, session, identity: identities.get(name)!, roster, spec: digest("spec") },
        ...{ bound, least: floors[name] ?? least, plain, crypto, draw },
        random: seededBytes(`${seed} ${session}`),
        privacy: budgets && toyPrivacy(budgetOf(name)),
      },
      largestGroup(draw, names.length),
      disks.get(name)!,
    );
    machines.set(name, { machine, session });
    feed(name, session, { kind: "connected" });
  };
  /** Rosters travel over connections, which keep their order; who connects later is told then. */
  const setRoster = (next: Roster) => {
    roster = next;
    for (const [name, site] of machines) feed(name, site.session, { kind: "roster", roster });
    for (const { session } of [...coordinators]) act(session, { kind: "roster", roster, now });
  };
  const remove = (name: string, reason: string) => {
    if (removed.has(name)) return;
    removed.set(name, reason);
    machines.delete(name);
    ledger = { ...ledger, suspects: [] };
    setRoster(rosterOf(Object.keys(roster).filter((site) => site !== name)));
  };
  const feed = (name: string, session: string, event: Parameters<SiteMachine<Toy>["handle"]>[0]) => {
    const site = machines.get(name);
    if (!site || site.session !== session) return;
    for (const effect of site.machine.handle(event)) {
      // A crash may fall between any two effects.
      if (faulty() && chance() < faults.crash) return crashSite(name);
      if (effect.kind === "save") disks.set(name, effect.disk);
      else if (effect.kind === "send") {
        if (effect.message.kind === "reveal") watch(name, effect.message);
        const say = (message: ToCoordinator, delay = 0) => {
          const text = encodeMessage(message);
          if (delay > 0) later(delay, () => travel(() => hear(name, text)));
          else travel(() => hear(name, text));
        };
        const said = name === instead?.site ? instead.says(effect.message, say) : effect.message;
        if (said) say(said);
      } else if (effect.kind === "train") {
        const { hash, state, shown } = effect;
        const position = shown.step * 2 + shown.exchange;
        const value = toyValue(name, position, state);
        const prepared: Prepared<Toy> = {
          values: Float64Array.of(value, -value),
          numbers: [value / 4, state.counted / 8, (state.counted + 1) / 8],
          next: { counted: state.counted + 1 },
          ...(budgets && {
            tells: { name: `${position} ${state.counted}`, spends: { steps: 1, losses: 0 } },
          }),
        };
        wanted.set(name, hash);
        later(chance() * 50, () => {
          // What it was asked for before is done in vain.
          if (wanted.get(name) === hash) trained.set(name, `${position} ${state.counted}`);
          feed(name, session, { kind: "trained", shown: hash, prepared });
        });
      } else if (effect.kind === "upload") {
        const { exchange, attempt } = effect;
        const lies = liars.includes(name) || besides.get(name)?.has(framers[name]);
        const bytes = lies && !plain ? noiseLike(effect.bytes) : effect.bytes;
        const upload = digest(bytes);
        told.get(name)!.add(trained.get(name)!);
        const spent = disks.get(name)!.spent?.all.steps ?? 0;
        if (budgets && (spent < told.get(name)!.size || spent > budgetOf(name)))
          violations.push(`${name} told ${told.get(name)!.size} sums and knows of ${spent}`);
        later(chance() * 30, () => {
          blobs.set(upload, bytes);
          feed(name, session, { kind: "stored", exchange, attempt, upload });
        });
      }
    }
  };
  const crashSite = (name: string) => {
    crashes++;
    machines.delete(name);
    later(chance() * 300, () => startSite(name));
  };
  const noiseLike = (bytes: Buffer): Buffer => {
    const noise = Buffer.from(bytes);
    for (let i = 8; i < noise.length; i++) noise[i] = Math.floor(chance() * 256);
    return noise;
  };
  /** Of one site in one attempt never both secrets, never two answers, and never shares of two attempts at an exchange. */
  const watch = (
    name: string,
    {
      exchange,
      attempt,
      selves,
      masks,
    }: { exchange: number; attempt: number; selves: object; masks: object },
  ) => {
    if (disks.get(name)!.revealed?.exchange !== exchange)
      violations.push(`${name} revealed in ${exchange}.${attempt} and its disk does not know`);
    const text = JSON.stringify([attempt, Object.keys(selves).sort(), Object.keys(masks).sort()]);
    const before = reveals.get(`${name} ${exchange}`);
    if (before !== undefined && before !== text)
      violations.push(`${name} helped two sums of exchange ${exchange}`);
    reveals.set(`${name} ${exchange}`, text);
    for (const of of Object.keys(selves))
      for (const [at, other] of reveals) {
        const [then, , gone] = JSON.parse(other) as [number, string[], string[]];
        if (at.endsWith(` ${exchange}`) && then === attempt && gone.includes(of))
          violations.push(`both secrets of ${of} went out in ${exchange}.${attempt}`);
      }
  };

  interface Coordinator {
    readonly machine: CoordinatorMachine;
    readonly session: number;
  }
  /** The last that was started holds the lease; those before it do not know yet. */
  let coordinators: readonly Coordinator[] = [];
  let lease = -1;
  const startCoordinator = () => {
    const session = sessions++;
    const machine = coordinatorMachine(
      {
        ...{ run: "toy", spec: digest("spec"), roster, rounds: exchanges / 2, least, plain, crypto, draw },
        patience: { training: 500, answer: 200, again: 60, away: 150 },
      },
      ledger,
    );
    coordinators = [...coordinators, { machine, session }];
    lease = session;
    if (ledger.settled) takeovers++;
    act(session, { kind: "start", now });
    const tick = () => {
      if (!coordinators.some((one) => one.session === session)) return;
      // Another takes over while this one still runs, as after a cut between it and the ledger.
      if (faulty() && session === lease && chance() < faults.crash / 10) {
        takeovers++;
        later(0, startCoordinator);
      }
      act(session, { kind: "tick", now, connected: [...machines.keys()] });
      later(25, tick);
    };
    later(25, tick);
    // Sites find the coordinator again.
    for (const [name, site] of machines)
      later(chance() * 50, () => feed(name, site.session, { kind: "connected" }));
  };
  const stop = (session: number) => {
    coordinators = coordinators.filter((one) => one.session !== session);
  };
  const crashCoordinator = (session: number) => {
    crashes++;
    const last = lease === session;
    stop(session);
    if (last) later(chance() * 200, startCoordinator);
  };
  const act = (session: number, event: Parameters<CoordinatorMachine["handle"]>[0]) => {
    const coordinator = coordinators.find((one) => one.session === session);
    if (!coordinator) return;
    for (const effect of coordinator.machine.handle(event)) {
      if (faulty() && chance() < faults.crash) return crashCoordinator(session);
      if (effect.kind === "send") {
        const text = encodeMessage(effect.message);
        const { to } = effect;
        travel(() => {
          const site = machines.get(to);
          if (to === instead?.site)
            instead.hears?.(effect.message, (more, delay = 0) =>
              later(delay, () => travel(() => hear(to, encodeMessage(more)))),
            );
          if (effect.message.kind === "cohort")
            besides.set(to, new Set(effect.message.members.map((member) => member.site)));
          if (site) feed(to, site.session, { kind: "message", message: parseToSite(text) });
        });
        continue;
      }
      if (effect.kind === "say") said.push(effect.what);
      if (effect.kind === "say" || effect.kind === "aborted") continue;
      // Whatever is written is refused to one that lost the lease; it stops.
      if (session !== lease) return stop(session);
      if (effect.kind === "open") {
        attempts++;
        if (effect.attempt <= ledger.attempts && effect.exchange === ledger.exchange)
          violations.push(`attempt ${effect.attempt} of ${effect.exchange} was opened twice`);
        ledger = { ...ledger, attempts: effect.attempt, settled: undefined };
      } else if (effect.kind === "settle") ledger = { ...ledger, settled: effect.settled };
      else if (effect.kind === "left") {
        if (ledger.left?.some((site) => !effect.sites.includes(site)))
          violations.push("a site that left was forgotten");
        for (const site of effect.sites)
          if ((disks.get(site)!.spent?.all.steps ?? 0) < budgetOf(site))
            violations.push(`${site} left with something to spend`);
        ledger = { ...ledger, left: effect.sites };
      } else if (effect.kind === "remove") {
        const cheats = [...liars, ...Object.keys(framers), instead?.site];
        if (!cheats.includes(effect.site)) violations.push(`${effect.site} is no liar and was excluded`);
        remove(effect.site, effect.reason);
      } else if (effect.kind === "end") ledger = { ...ledger, ended: effect.why };
      else if (effect.kind === "absorb") {
        const { addends } = effect;
        later(chance() * 20, () => absorb(session, addends));
      } else if (effect.kind === "void") {
        const { exchange, attempt, suspects, outcome } = effect;
        later(chance() * 20, () => {
          if (session !== lease) return stop(session);
          const { shown } = ledger;
          failed = shown.step + 1;
          if (suspects.length > 0) failures++;
          rows.push({ ...emptyRow, exchange, attempt, meanPrice: shown.meanPrice, void: true });
          ledger = {
            ...{ ...ledger, exchange: exchange + 1, attempts: 0, voids: ledger.voids + 1, suspects },
            settled: undefined,
            outcomes: [...ledger.outcomes, outcome],
            shown: { ...shown, step: shown.step + 1, exchange: 0, past: pastAfter(shown.past, outcome) },
          };
          act(session, { kind: "committed", ledger, now });
        });
      }
    }
  };
  const absorb = (session: number, addends: Addends) => {
    if (!coordinators.some((one) => one.session === session)) return;
    const uploads = [...addends.uploads].map(([name, hash]) => [name, blobs.get(hash)!] as const);
    let found: SumOf;
    try {
      if (plain) {
        const given = new Map(uploads.map(([site, bytes]) => [site, decodeGiven(bytes)]));
        found = plainSum(given, (value) => value);
      } else {
        const sums = addends.groups.map((group) => {
          const clients = largestGroup(draw, names.length);
          const sum = groupSum(group, { crypto, bound, clients });
          for (const [site, bytes] of uploads) if (group.survivors.has(site)) sum.add(site, bytes);
          for (const sites of [group.survivors, ...group.halves.flat()]) {
            const summed = [...group.survivors].filter((site) => sites.has(site)).length;
            if (summed < least) violations.push(`a group of ${summed} was summed`);
          }
          return { ...sum.open(addends.reveals), sites: group.survivors.size };
        });
        found = across(sums, "sum");
      }
    } catch (error) {
      if (!(error instanceof PliantError)) throw error;
      const failed = error instanceof FailedSum ? error.failed : undefined;
      return act(session, { kind: "failed", reason: error.message, failed, now });
    }
    if (session !== lease) return stop(session);
    const survivors = [...addends.uploads.keys()];
    const { exchange, attempt, present } = addends;
    const [mean, before, after] = found.means;
    const { meanPrice: last, present: over = names.length, ...shown } = ledger.shown;
    const census = rosterHash(addends.roster) !== pricedOver;
    const changed = { before, after, participants: survivors.length, present, census };
    const meanPrice = nextMeanPrice({ meanPrice: last, over }, changed);
    pricedOver = rosterHash(addends.roster);
    const position = shown.step * 2 + shown.exchange;
    const value = found.values[0];
    rows.push({
      ...{ exchange, attempt, survivors, value, mean, meanPrice, present, position, void: false, census },
      without: [...addends.without.keys()],
    });
    const next = position + 1;
    const gathered = new Set(survivors);
    ledger = {
      ...{ ...ledger, exchange: exchange + 1, attempts: 0, settled: undefined },
      suspects: afterSum(ledger.suspects, gathered, Math.floor(next / 2) - failed, failures),
      outcomes: [...ledger.outcomes, addends.outcome],
      counted: {
        ...ledger.counted,
        ...Object.fromEntries(survivors.map((s) => [s, { exchange, attempt }])),
      },
      shown: {
        ...{ step: Math.floor(next / 2), exchange: next % 2, meanPrice, answers: [], present },
        past: pastAfter(ledger.shown.past, addends.outcome),
        model: digest(`${ledger.shown.model} ${value}`),
      },
    };
    if (faulty() && chance() < faults.crash) return crashCoordinator(session);
    act(session, { kind: "committed", ledger, now });
  };
  const hear = (from: string, text: string) => {
    for (const { session } of [...coordinators])
      act(session, { kind: "message", from, message: parseToCoordinator(text), now });
  };

  for (const name of Object.keys(roster)) startSite(name);
  startCoordinator();
  for (const [name, time] of Object.entries(leavers)) {
    later(time, () => machines.delete(name));
    later(time + removedAfter, () => remove(name, "removed by the operator"));
  }
  for (const [name, time] of Object.entries(latecomers))
    later(time, () => {
      setRoster(rosterOf([...Object.keys(roster), name]));
      startSite(name);
    });
  const allDone = () =>
    coordinators.find((one) => one.session === lease)?.machine.phase === "finished" &&
    Object.keys(roster).every(
      (name) => leavers[name] !== undefined || machines.get(name)?.machine.phase === "finished",
    );
  while (queue.length > 0 && !allDone() && now < 120_000) {
    let first = 0;
    for (let i = 1; i < queue.length; i++)
      if (
        queue[i].time < queue[first].time ||
        (queue[i].time === queue[first].time && queue[i].order < queue[first].order)
      )
        first = i;
    const [next] = queue.splice(first, 1);
    now = Math.max(now, next.time);
    next.act();
  }
  const { shown, ended } = ledger;
  return {
    ...{ rows, disks, finished: allDone(), violations, crashes, attempts, said, shown, ended },
    ...{ removed, takeovers, time: now },
  };
}

const emptyRow: Row = {
  ...{ exchange: 0, attempt: 0, survivors: [], value: 0, mean: 0, meanPrice: 0, present: 0, position: 0 },
  ...{ void: true, census: false, without: [] },
};
