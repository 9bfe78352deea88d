// Rounds over samples of many sites: the two state machines with the real crypto in one process, and a toy for training. What is
// counted is what goes over the wire: messages, their bytes, the largest of them, uploads, and the coordinator's memory.

import { randomBytes } from "node:crypto";
import {
  type Addends,
  type CoordinatorEvent,
  coordinatorMachine,
  digest,
  encodeMessage,
  groupSum,
  type Identity,
  identityOf,
  type LedgerState,
  largestGroup,
  newDisk,
  parseToCoordinator,
  parseToSite,
  type Roster,
  realCrypto,
  siteMachine,
} from "@pliant/federation";

const group = 50;
const parameters = 1000;
const bound = 16;

interface Measured {
  readonly sample: number;
  readonly seconds: number;
  readonly messages: number;
  readonly messageMB: number;
  readonly largestMessageKB: number;
  readonly uploadMB: number;
  /** Beyond what there was before the round. */
  readonly heapMB: number;
  readonly sumIsExact: boolean;
}

/** One round of one exchange. */
function round(
  sites: number,
  sample: number,
  roster: Roster,
  identityFor: (site: string) => Identity,
): Measured {
  const draw = { sample, group };
  const summands = largestGroup(draw, sites);
  const spec = digest("spec");
  const shown = { step: 0, exchange: 0, model: digest("0"), meanPrice: 0, answers: [], past: digest("past") };
  const ledger: LedgerState = {
    exchange: 0,
    attempts: 0,
    counted: {},
    outcomes: [],
    shown,
    voids: 0,
    suspects: [],
  };
  const coordinator = coordinatorMachine(
    {
      ...{ run: "sampled", spec, roster, rounds: 1, least: 3, draw, plain: false },
      patience: { training: 1e9, answer: 1e9, again: 1e9, away: 1e9 },
    },
    ledger,
  );
  const machines = new Map<string, ReturnType<typeof siteMachine<number>>>();
  const uploads = new Map<string, Buffer>();
  let [messages, bytes, largest, events, exact] = [0, 0, 0, 0, false];
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  const wire = (text: string): string => {
    messages++;
    bytes += text.length;
    largest = Math.max(largest, text.length);
    return text;
  };
  const shareOf = (site: string): number => (Number.parseInt(digest(site).slice(0, 4), 16) - 32768) / 65536;
  const siteOf = (site: string) => {
    const known = machines.get(site);
    if (known) return known;
    const made = siteMachine<number>(
      {
        ...{ run: "sampled", site, session: "1", identity: identityFor(site), spec, roster, bound, least: 3 },
        ...{ draw, plain: false, random: randomBytes },
      },
      summands,
      newDisk(0),
    );
    machines.set(site, made);
    return made;
  };
  const queue: (() => void)[] = [];
  const toSite = (site: string, event: Parameters<ReturnType<typeof siteOf>["handle"]>[0]) => {
    for (const effect of siteOf(site).handle(event)) {
      if (effect.kind === "send") {
        const text = wire(encodeMessage(effect.message));
        queue.push(() =>
          toCoordinator({ kind: "message", from: site, message: parseToCoordinator(text), now: 0 }),
        );
      } else if (effect.kind === "train") {
        const values = new Float64Array(parameters).fill(shareOf(site));
        const prepared = { values, numbers: [0], next: 1 };
        queue.push(() => toSite(site, { kind: "trained", shown: effect.hash, prepared }));
      } else if (effect.kind === "upload") {
        const { exchange, attempt } = effect;
        const upload = digest(effect.bytes);
        uploads.set(upload, effect.bytes);
        queue.push(() => toSite(site, { kind: "stored", exchange, attempt, upload }));
      }
    }
  };
  const toCoordinator = (event: CoordinatorEvent) => {
    for (const effect of coordinator.handle(event)) {
      if (effect.kind === "send" && effect.message.kind !== "finished") {
        const text = wire(encodeMessage(effect.message));
        queue.push(() => toSite(effect.to, { kind: "message", message: parseToSite(text) }));
      } else if (effect.kind === "absorb") {
        exact = isExact(effect.addends);
        const done = { ...shown, step: 1 };
        queue.push(() =>
          toCoordinator({
            kind: "committed",
            ledger: { ...ledger, exchange: 1, outcomes: [effect.addends.outcome], shown: done },
            now: 0,
          }),
        );
      }
    }
    if (events++ % 500 === 0) most = Math.max(most, process.memoryUsage().heapUsed);
  };
  const isExact = ({ groups, uploads: hashes, reveals }: Addends): boolean =>
    groups.every((one) => {
      const sum = groupSum(one, { crypto: realCrypto, bound, clients: summands });
      for (const site of one.survivors) sum.add(site, uploads.get(hashes.get(site)!)!);
      const wanted = [...one.survivors].reduce((total, site) => total + shareOf(site), 0);
      return sum.open(reveals).values.every((value) => value === wanted);
    });
  const begun = performance.now();
  toCoordinator({ kind: "start", now: 0 });
  // What happens is in order; a list that is only read from its front would be copied for each.
  for (let i = 0; i < queue.length; i++) {
    queue[i]();
    queue[i] = () => {};
  }
  const mega = (count: number) => Number((count / 1e6).toFixed(2));
  return {
    ...{ sample, seconds: (performance.now() - begun) / 1000, messages, messageMB: mega(bytes) },
    largestMessageKB: Number((largest / 1e3).toFixed(1)),
    uploadMB: mega([...uploads.values()].reduce((sum, { length }) => sum + length, 0)),
    heapMB: mega(most - before),
    sumIsExact: exact,
  };
}

export async function measureSampled(sites: number) {
  const identities = Array.from({ length: sites }, (_, i) => identityOf(digest(`secret ${i}`)));
  const identityFor = (site: string): Identity => identities[Number(site.split("-")[1])];
  const names = Array.from({ length: sites }, (_, i) => `site-${i}`);
  const roster: Roster = Object.fromEntries(names.map((name) => [name, identityFor(name).key]));
  const samples = [250, 500, 1000].filter((sample) => sample <= sites);
  return {
    ...{ sites, group, parameters },
    rosterMB: Number((JSON.stringify(roster).length / 1e6).toFixed(2)),
    rounds: samples.map((sample) => {
      const measured = round(sites, sample, roster, identityFor);
      console.error(JSON.stringify(measured));
      return measured;
    }),
  };
}
