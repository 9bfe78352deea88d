// A federation in a world of its own: a virtual clock, a network that drops, repeats, delays and reorders, disks that survive
// and processes that do not, all from one seed. What sites learn is a toy whose every sum can be checked.

import { PliantError } from "@pliant/core";
import { nextMeanPrice } from "@pliant/federated";
import {
  addUpload,
  type CoordinatorMachine,
  type Crypto,
  coordinatorMachine,
  decodeGiven,
  digest,
  encodeMessage,
  type Identity,
  type LedgerState,
  newDisk,
  type Prepared,
  parseToCoordinator,
  parseToSite,
  plainSum,
  readSum,
  type ShownMessage,
  type SiteDisk,
  type SiteMachine,
  type SiteOptions,
  type Summand,
  siteMachine,
} from "@pliant/federation";
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
}

export interface WorldOptions {
  readonly seed: number;
  readonly sites: number;
  readonly least: number;
  readonly exchanges: number;
  readonly crypto: Crypto;
  readonly identity: (site: string) => Identity;
  readonly plain?: boolean;
  /** Sums that each site may tell of private records; any number unless given. */
  readonly budgets?: readonly number[];
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
}

export function live(options: WorldOptions): World {
  const { seed, least, exchanges, crypto, faults, plain = false, budgets } = options;
  const chance = seededNumbers(`world ${seed}`);
  const names = Array.from({ length: options.sites }, (_, i) => `s${i}`);
  const identities = new Map(names.map((name) => [name, options.identity(name)]));
  const roster = Object.fromEntries(names.map((name) => [name, identities.get(name)!.key]));
  const violations: string[] = [];
  const said: string[] = [];
  const blobs = new Map<string, Buffer>();
  const disks = new Map(names.map((name) => [name, newDisk<Toy>({ counted: 0 })]));
  const rows: Row[] = [];
  const reveals = new Map<string, string>();
  /** What left each site, by what it is made of. */
  const told = new Map(names.map((name) => [name, new Set<string>()]));
  const budgetOf = (name: string) => budgets![names.indexOf(name)];
  const startShown = { step: 0, exchange: 0, model: digest("0"), meanPrice: 0, answers: [] };
  let ledger: LedgerState = { exchange: 0, attempts: 0, counted: {}, shown: startShown };
  let attempts = 0;
  let crashes = 0;
  let sessions = 0;
  let now = 0;

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
    const session = `${name}-${sessions++}`;
    const machine = siteMachine<Toy>(
      {
        run: "toy",
        site: name,
        session,
        identity: identities.get(name)!,
        roster,
        least,
        plain,
        random: seededBytes(`${seed} ${session}`),
        crypto,
        privacy: budgets && toyPrivacy(budgetOf(name)),
      },
      names.length,
      disks.get(name)!,
    );
    machines.set(name, { machine, session });
    feed(name, session, { kind: "connected" });
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
        const text = encodeMessage(effect.message);
        travel(() => hear(name, text));
      } else if (effect.kind === "train") {
        const { hash, state, shown } = effect;
        const exchange = shown.step * 2 + shown.exchange;
        const value = toyValue(name, exchange, state);
        const prepared: Prepared<Toy> = {
          values: Float64Array.of(value, -value),
          numbers: [value / 4, state.counted / 8, (state.counted + 1) / 8],
          next: { counted: state.counted + 1 },
          ...(budgets && {
            tells: { name: `${exchange} ${state.counted}`, spends: { steps: 1, losses: 0 } },
          }),
        };
        later(chance() * 50, () => feed(name, session, { kind: "trained", shown: hash, prepared }));
      } else if (effect.kind === "upload") {
        const upload = digest(effect.bytes);
        const { exchange, attempt, bytes } = effect;
        told.get(name)!.add(`${exchange} ${disks.get(name)!.state.counted}`);
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
  /** Of one site in one attempt never both secrets, and never two answers. */
  const watch = (
    name: string,
    {
      exchange,
      attempt,
      selves,
      masks,
    }: { exchange: number; attempt: number; selves: object; masks: object },
  ) => {
    const text = JSON.stringify([Object.keys(selves).sort(), Object.keys(masks).sort()]);
    const before = reveals.get(`${name} ${exchange} ${attempt}`);
    if (before !== undefined && before !== text)
      violations.push(`${name} revealed twice in ${exchange}.${attempt}`);
    reveals.set(`${name} ${exchange} ${attempt}`, text);
    for (const of of Object.keys(selves))
      for (const [at, other] of reveals)
        if (at.endsWith(` ${exchange} ${attempt}`) && (JSON.parse(other)[1] as string[]).includes(of))
          violations.push(`both secrets of ${of} went out in ${exchange}.${attempt}`);
  };

  let coordinator: { readonly machine: CoordinatorMachine; readonly session: number } | undefined;
  const startCoordinator = () => {
    const session = sessions++;
    const machine = coordinatorMachine(
      {
        run: "toy",
        roster,
        exchanges,
        least,
        bound,
        plain,
        patience: { training: 500, answer: 200, again: 60 },
        crypto,
      },
      ledger,
    );
    coordinator = { machine, session };
    act(session, { kind: "start", now });
    const tick = () => {
      if (coordinator?.session !== session) return;
      act(session, { kind: "tick", now });
      later(25, tick);
    };
    later(25, tick);
    // Sites find the coordinator again.
    for (const [name, site] of machines)
      later(chance() * 50, () => feed(name, site.session, { kind: "connected" }));
  };
  const act = (session: number, event: Parameters<CoordinatorMachine["handle"]>[0]) => {
    if (coordinator?.session !== session) return;
    for (const effect of coordinator.machine.handle(event)) {
      if (faulty() && chance() < faults.crash) {
        crashes++;
        coordinator = undefined;
        later(chance() * 200, startCoordinator);
        return;
      }
      if (effect.kind === "open") {
        attempts++;
        if (effect.attempt <= ledger.attempts && effect.exchange === ledger.exchange)
          violations.push(`attempt ${effect.attempt} of ${effect.exchange} was opened twice`);
        ledger = { ...ledger, attempts: effect.attempt };
      } else if (effect.kind === "send") {
        const text = encodeMessage(effect.message);
        const { to } = effect;
        travel(() => {
          const site = machines.get(to);
          if (site) feed(to, site.session, { kind: "message", message: parseToSite(text) });
        });
      } else if (effect.kind === "say") said.push(effect.what);
      else if (effect.kind === "left") {
        if (ledger.left?.some((site) => !effect.sites.includes(site)))
          violations.push("a site that left was forgotten");
        for (const site of effect.sites)
          if ((disks.get(site)!.spent?.all.steps ?? 0) < budgetOf(site))
            violations.push(`${site} left with something to spend`);
        ledger = { ...ledger, left: effect.sites };
      } else if (effect.kind === "end") ledger = { ...ledger, ended: effect.why };
      else if (effect.kind === "absorb") {
        const { addends } = effect;
        later(chance() * 20, () => {
          if (coordinator?.session !== session) return;
          const uploads = [...addends.uploads].map(([name, hash]) => [name, blobs.get(hash)!] as const);
          let found: ReturnType<typeof readSum>;
          try {
            if (plain)
              found = plainSum(
                new Map(uploads.map(([site, bytes]) => [site, decodeGiven(bytes)])),
                (value) => value,
              );
            else {
              let sum: Summand | undefined;
              for (const [site, bytes] of uploads) sum = addUpload(sum, site, bytes);
              crypto.unmask(sum!, addends, addends.reveals);
              found = readSum(sum!, addends.survivors.size, bound, names.length);
            }
          } catch (error) {
            if (!(error instanceof PliantError)) throw error;
            return act(session, { kind: "failed", reason: error.message, now });
          }
          const survivors = [...addends.uploads.keys()];
          const { exchange, attempt } = addends;
          const { present } = addends;
          const [mean, before, after] = found!.means;
          const { meanPrice: last, present: over = names.length } = ledger.shown;
          const changed = { before, after, participants: survivors.length, present };
          const meanPrice = nextMeanPrice({ meanPrice: last, over }, changed);
          rows.push({ exchange, attempt, survivors, value: found!.values[0], mean, meanPrice, present });
          const next = exchange + 1;
          const model = digest(`${ledger.shown.model} ${found!.values[0]}`);
          ledger = {
            ...ledger,
            exchange: next,
            attempts: 0,
            counted: {
              ...ledger.counted,
              ...Object.fromEntries(survivors.map((s) => [s, { exchange, attempt }])),
            },
            shown: { step: Math.floor(next / 2), exchange: next % 2, model, meanPrice, answers: [], present },
          };
          if (faulty() && chance() < faults.crash) {
            crashes++;
            coordinator = undefined;
            later(chance() * 200, startCoordinator);
            return;
          }
          act(session, { kind: "committed", ledger, now });
        });
      }
    }
  };
  const hear = (from: string, text: string) => {
    if (coordinator)
      act(coordinator.session, { kind: "message", from, message: parseToCoordinator(text), now });
  };

  for (const name of names) startSite(name);
  startCoordinator();
  const allDone = () =>
    coordinator?.machine.phase === "finished" &&
    names.every((name) => machines.get(name)?.machine.phase === "finished");
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
  return { rows, disks, finished: allDone(), violations, crashes, attempts, said, shown, ended };
}

/** Everything the fault table promises of a world, as sentences about what it broke. */
export function broken(
  { rows, disks, finished, violations, said, ended }: World,
  { exchanges, least, plain, budgets }: WorldOptions,
): string[] {
  const wrong = [...violations];
  if (!finished)
    wrong.push(`the run did not finish: ${rows.length} of ${exchanges}, ${said.slice(-3).join(" | ")}`);
  const spent = [...disks.values()].filter((disk, i) => disk.spent?.all.steps === budgets?.[i]).length;
  if (ended !== undefined && disks.size - spent >= least)
    wrong.push(`it ended although ${disks.size - spent} sites have something left`);
  if (finished && ended === undefined && rows.length !== exchanges)
    wrong.push(`it finished after ${rows.length} of ${exchanges}`);
  const counted = new Map([...disks.keys()].map((name) => [name, 0]));
  for (const [i, row] of rows.entries()) {
    if (row.exchange !== i) wrong.push(`row ${i} is of exchange ${row.exchange}`);
    if (row.survivors.length < least) wrong.push(`exchange ${i} was summed over ${row.survivors.length}`);
    const values = row.survivors.map((name) => toyValue(name, i, { counted: counted.get(name)! }));
    const sum = values.reduce((a, b) => a + b, 0);
    if (Math.abs(sum - row.value) > (plain ? 1e-12 : 0))
      wrong.push(`exchange ${i} is ${row.value}, not ${sum}`);
    const mean = values.reduce((a, b) => a + b / 4, 0) / values.length;
    if (Math.abs(mean - row.mean) > 1e-12)
      wrong.push(`the mean of exchange ${i} is ${row.mean}, not ${mean}`);
    for (const name of row.survivors) counted.set(name, counted.get(name)! + 1);
    // A census wherever the roster is another than before, and whenever all that are present took part.
    const before = rows[i - 1] ?? { meanPrice: 0, present: disks.size };
    const prices = row.survivors.map((name) => counted.get(name)! / 8);
    const priced =
      row.present !== before.present || row.present === row.survivors.length
        ? prices.reduce((a, b) => a + b, 0) / prices.length
        : before.meanPrice + row.survivors.length / 8 / row.present;
    if (Math.abs(priced - row.meanPrice) > 1e-12)
      wrong.push(`the mean price after ${i} is ${row.meanPrice}, not ${priced}`);
    if (row.survivors.length > row.present) wrong.push(`exchange ${i} counts sites that have left`);
  }
  for (const [name, disk] of disks)
    if (finished && disk.state.counted !== counted.get(name))
      wrong.push(`${name} moved ${disk.state.counted} times and was counted ${counted.get(name)} times`);
  return wrong;
}
