// A coordinator at work: the machine, the ledger, the blobs and the bus, with events taken one at a time.

import { PliantError } from "@pliant/core";
import { type Backend, leaves, type NdArray, reference } from "@pliant/engine";
import {
  flatSize,
  networkServer,
  planned,
  type ServerState,
  type Sums,
  unflattenSums,
} from "@pliant/federated";
import type { Blobs } from "../ports/blobs.js";
import type { CoordinatorBus } from "../ports/bus.js";
import type { Ledger, LedgerRow } from "../ports/ledger.js";
import {
  type Addends,
  addUpload,
  type CoordinatorEffect,
  type CoordinatorEvent,
  type CoordinatorPhase,
  coordinatorMachine,
  decodeGiven,
  encodeMessage,
  type Given,
  type LedgerState,
  parseToCoordinator,
  plainSum,
  readSum,
  realCrypto,
  type ShownMessage,
  type ToSite,
} from "../protocol/index.js";
import { exchangesOf, type FederationSpec, hasHistogram, networkOptions } from "../spec/spec.js";
import type { Summand } from "../sums/index.js";
import { histogramIn } from "./histogram.js";
import { decodeModel, encodeModel } from "./model-blob.js";
import { type Picture, pictureOf } from "./picture.js";
import { whenRoom } from "./room.js";

/** How long sites may train, how long they may take to answer, and after how long they are asked again, in ms. */
export interface Patience {
  readonly training: number;
  readonly answer: number;
  readonly again: number;
}

/** What is coordinated, and over which ledger, blobs and bus. */
export interface CoordinateOptions {
  readonly run: string;
  readonly spec: FederationSpec;
  /** Sites and their identities, in the order of the clients. */
  readonly roster: Readonly<Record<string, string>>;
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  readonly bus: CoordinatorBus;
  readonly backend?: Backend;
  /** In ms. */
  readonly patience?: Partial<Patience>;
  readonly say?: (what: string) => void;
  /** With how many sites give way how far, where that is summed. */
  readonly onCommitted?: (row: LedgerRow, histogram: readonly number[] | undefined) => void;
  /** Whenever what it does, or whom it waits for, has changed. */
  readonly onPicture?: (picture: Picture) => void;
  /** Sites that are connected now, where that is known. */
  readonly connected?: () => readonly string[];
  /** In which phase the coordinator is, after each event and before what follows from it. */
  readonly onPhase?: (phase: CoordinatorPhase, exchange: number) => void;
  readonly signal?: AbortSignal;
}

/** What a run came to. */
export interface Coordinated {
  readonly state: ServerState;
  readonly rows: readonly LedgerRow[];
  /** Why it is over before its time, if so. */
  readonly ended: string | undefined;
  /** Sites that take part no more. */
  readonly left: readonly string[];
  /** Sites that know that it is over. */
  readonly told: readonly string[];
}

const defaultPatience: Patience = { training: 60_000, answer: 20_000, again: 2_000 };

/** Until the last round is done and all sites know, or patience ends. Goes on where the ledger ends. */
export async function coordinate(options: CoordinateOptions): Promise<Coordinated> {
  const { run, spec, roster, ledger, blobs, bus, backend = reference(), say = () => {} } = options;
  const patience = { ...defaultPatience, ...options.patience };
  const told = networkOptions(spec, backend);
  const server = networkServer(told);
  const plan = planned(told);
  const plain = spec.sums.kind === "plain";
  const clients = spec.sites.number;

  let state = server.init();
  const form: Sums = { update: state.params, shared: state.shared };
  const double = (leaves(state.params)[0].leaf as NdArray).dtype === "float64";
  const ended = await ledger.value("ended");
  const left = JSON.parse((await ledger.value("left")) ?? "[]") as string[];
  let kept = await ledger.state();
  if (!kept) {
    await ledger.begin(await shownBy(state));
    kept = (await ledger.state())!;
  } else {
    const { shown } = kept;
    const { update, shared } = decodeModel(await blobs.get(shown.model), form);
    const rows = await ledger.rows();
    state = { ...shown, params: update, shared, meanLoss: rows.at(-1)?.meanLoss ?? undefined };
  }

  let models = [kept.shown.model];
  const machine = coordinatorMachine(
    {
      run,
      roster,
      exchanges: exchangesOf(spec, told),
      least: spec.sites.least,
      bound: spec.sums.bound,
      plain,
      patience,
    },
    { ...kept, ended, left },
  );
  const queue: CoordinatorEvent[] = [];
  const doneSites = new Set(JSON.parse((await ledger.value("told")) ?? "[]") as string[]);
  let wake = () => {};
  const put = (event: CoordinatorEvent) => {
    queue.push(event);
    wake();
  };
  bus.listen((from, text) => {
    try {
      const message = parseToCoordinator(text);
      put({ kind: "message", from, message, now: Date.now() });
    } catch (error) {
      say(`${from}: ${(error as Error).message}`);
    }
  });
  let shown = "";
  const show = () => {
    if (!options.onPicture) return;
    const picture = pictureOf(machine, options.connected?.());
    const text = JSON.stringify(picture);
    if (text !== shown) options.onPicture(picture);
    shown = text;
  };
  const ticking = setInterval(() => put({ kind: "tick", now: Date.now() }), 50);
  let over = 0;
  let lastSent: ToSite | undefined;
  let lastText = "";
  try {
    put({ kind: "start", now: Date.now() });
    for (;;) {
      options.signal?.throwIfAborted();
      const event = queue.shift();
      if (!event) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const effects = machine.handle(event);
      options.onPhase?.(machine.phase, machine.ledger.exchange);
      for (const effect of effects) await carryOut(effect);
      if (event.kind === "tick") show();
      if (machine.phase !== "finished") continue;
      if (event.kind === "message" && event.message.kind === "done" && event.message.run === run)
        await tell(event.from);
      over ||= Date.now();
      const everyone = Object.keys(roster).every((site) => doneSites.has(site));
      if (everyone || Date.now() - over > patience.answer) break;
    }
  } finally {
    clearInterval(ticking);
    show();
  }
  return {
    state,
    rows: await ledger.rows(),
    ended: machine.ledger.ended,
    left: [...machine.left],
    told: [...doneSites],
  };

  /** Who knows that it is over is not asked again by a coordinator that is started again. */
  async function tell(site: string): Promise<void> {
    if (doneSites.has(site)) return;
    doneSites.add(site);
    await roomFor(() => ledger.setValue("told", JSON.stringify([...doneSites])));
  }

  /** One message to many is encoded once. */
  function encoded(message: ToSite): string {
    if (message !== lastSent) [lastSent, lastText] = [message, encodeMessage(message)];
    return lastText;
  }

  async function carryOut(effect: CoordinatorEffect): Promise<void> {
    if (effect.kind === "send") bus.send(effect.to, encoded(effect.message));
    else if (effect.kind === "open") {
      // Nobody was asked for anything of this attempt yet: what there is besides models is of those before it.
      await blobs.keepOnly(models);
      await roomFor(() => ledger.open(effect.exchange, effect.attempt));
    } else if (effect.kind === "finished") await blobs.keepOnly(models);
    else if (effect.kind === "say") say(effect.what);
    else if (effect.kind === "left")
      await roomFor(() => ledger.setValue("left", JSON.stringify(effect.sites)));
    else if (effect.kind === "end") await roomFor(() => ledger.setValue("ended", effect.why));
    else if (effect.kind === "absorb") await absorb(effect.addends);
  }

  function roomFor<T>(act: () => Promise<T>): Promise<T> {
    return whenRoom(act, say, options.signal);
  }

  async function shownBy({ params, shared, ...rest }: ServerState): Promise<ShownMessage> {
    const model = await roomFor(() => blobs.put(encodeModel({ update: params, shared })));
    const { step, exchange, meanPrice, answers, present } = rest;
    return { step, exchange, model, meanPrice, answers: [...answers], ...(present && { present }) };
  }

  /** The sum, the server's step, the row; then the event that says so. */
  async function absorb(addends: Addends): Promise<void> {
    const { exchange, attempt, survivors, uploads, spent } = addends;
    try {
      let sum: ReturnType<typeof readSum>;
      if (plain) {
        const given = new Map<string, Given>();
        for (const [site, hash] of uploads) given.set(site, decodeGiven(await blobs.get(hash)));
        sum = plainSum(given, double ? (value) => value : Math.fround);
      } else {
        // One upload at a time: a thousand of them need not be in memory at once.
        let masked: Summand | undefined;
        for (const [site, hash] of uploads) masked = addUpload(masked, site, await blobs.get(hash));
        realCrypto.unmask(masked!, addends, addends.reveals);
        sum = readSum(masked!, survivors.size, addends.bound, clients);
      }
      if (!sum) return put({ kind: "saturated", now: Date.now() });
      const { means, histogram } = hasHistogram(spec)
        ? histogramIn(sum.means, survivors.size)
        : { means: sum.means, histogram: undefined };
      const { communication, numbers } = plan[state.exchange];
      const size = communication === undefined ? 0 : flatSize(form.update) + flatSize(form.shared);
      if (sum.values.length !== size || means.length !== numbers.length)
        throw new PliantError("The uploads do not have the shape that this exchange asks for.");
      const next = await server.absorb(state, {
        sums: communication === undefined ? undefined : unflattenSums(sum.values, form),
        means,
        participants: survivors.size,
        present: addends.present,
      });
      const row: LedgerRow = {
        exchange,
        attempt,
        survivors: [...uploads.keys()],
        shown: await shownBy(next),
        meanLoss: next.meanLoss ?? null,
        ...(spent.size > 0 && { spent: Object.fromEntries(spent) }),
      };
      await roomFor(() => ledger.commit(row));
      state = next;
      // A site may still be reading the model before the one that is shown.
      if (row.shown.model !== models.at(-1)) models = [...models, row.shown.model].slice(-2);
      options.onCommitted?.(row, histogram);
      put({ kind: "committed", ledger: (await ledger.state()) as LedgerState, now: Date.now() });
    } catch (error) {
      if (!(error instanceof PliantError)) throw error;
      put({ kind: "failed", reason: error.message, now: Date.now() });
    }
  }
}
