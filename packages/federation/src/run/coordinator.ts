// A coordinator at work: the machine, the ledger, the blobs and the bus, with events taken one at a time.

import { PliantError } from "@pliant/core";
import { leaves, type NdArray, reference } from "@pliant/engine";
import {
  networkServer,
  planned,
  type ServerState,
  type Sums,
  unflattenSums,
  zerosLike,
} from "@pliant/federated";
import {
  type Addends,
  type CoordinatorEffect,
  type CoordinatorEvent,
  coordinatorMachine,
  encodeMessage,
  FailedSum,
  firstPast,
  type LedgerState,
  type Outcome,
  type Patience,
  pastAfter,
  type Roster,
  rosterHash,
  type SettledAttempt,
  type ShownMessage,
  type SumOf,
  type ToSite,
} from "../protocol/index.js";
import { drawOf, hasHistogram, networkOptions, specHash, summandsOf } from "../spec/spec.js";
import { type Agreed, exactSum, firstAgreed, isStaged, stageAfter, stepsOf } from "../spec/stages.js";
import type { Revealed } from "../sums/index.js";
import { type Evaluation, evaluationIn } from "../tables/evaluation.js";
import { nextPrices } from "../tables/group-prices.js";
import { agreedScale } from "../tables/survey.js";
import { askedUploads, groupNumbers } from "./asked-uploads.js";
import { clock } from "./clock.js";
import type { Coordinated, CoordinateOptions } from "./coordinator-options.js";
import { hearMessages } from "./heard.js";
import { histogramIn } from "./histogram.js";
import { checkMeans } from "./honest-means.js";
import { decodeModel, encodeModel } from "./model-blob.js";
import { pictureOf } from "./picture.js";
import { whenRoom } from "./room.js";
import { rowOf } from "./row.js";
import { sumInTheOpen, sumOfGroups } from "./summed.js";

const defaultPatience: Patience = { training: 60_000, answer: 20_000, again: 2_000, away: 5_000 };

/** How often the ledger is looked at for sites that joined or were removed, in ms. */
const rosterEvery = 500;

/** Until the last round is done and all sites know, or patience ends. Goes on where the ledger ends. */
export async function coordinate(options: CoordinateOptions): Promise<Coordinated> {
  const { run, spec, ledger, blobs, bus, backend = reference(), say = () => {} } = options;
  const patience = { ...defaultPatience, ...options.patience };
  const told = networkOptions(spec, backend);
  const server = networkServer(told);
  const plan = planned(told);
  const plain = spec.sums.kind === "plain";
  const summands = summandsOf(spec);

  let state = server.init();
  let [pricedOver, lastRoster]: (string | undefined)[] = [];
  let agreed = firstAgreed(spec);
  const at = () => ({ stage: agreed?.stage ?? ("training" as const), exchange: state.exchange });
  const form: Sums = { update: state.params, shared: state.shared };
  const asked = askedUploads(spec, form, blobs);
  const double = (leaves(state.params)[0].leaf as NdArray).dtype === "float64";
  const ended = await ledger.value("ended");
  const left = JSON.parse((await ledger.value("left")) ?? "[]") as string[];
  let kept = await ledger.state();
  if (!kept) {
    await ledger.begin(await shownBy(state, firstPast(run)));
    kept = (await ledger.state())!;
  } else {
    const { shown } = kept;
    const found = decodeModel(await blobs.get(shown.model), form, isStaged(spec));
    const { update, shared } = found;
    ({ agreed } = found);
    const rows = await ledger.rows();
    state = { ...shown, params: update, shared, meanLoss: rows.at(-1)?.meanLoss ?? undefined };
    // Whose prices the mean price is over: the roster of the last row that summed them.
    const priced = (i: number) => plan[rows[i - 1]?.shown.exchange ?? 0].numbers.includes("price after");
    lastRoster = rows.findLast((row) => row.roster !== undefined)?.roster;
    pricedOver = rows.findLast((row, i) => row.roster !== undefined && priced(i))?.roster;
  }

  let models = [kept.shown.model];
  const settled = kept.settled === undefined ? undefined : await settledIn(kept.settled);
  const machine = coordinatorMachine(
    {
      ...{ run, spec: specHash(spec), roster: options.roster, rounds: stepsOf(spec) },
      ...{ least: spec.sites.least, draw: drawOf(spec), plain, patience },
      exact: (steps, part) => exactSum(spec, steps, part),
    },
    { ...kept, settled, ended, left },
  );
  const queue: CoordinatorEvent[] = [];
  const doneSites = new Set(JSON.parse((await ledger.value("told")) ?? "[]") as string[]);
  let wake = () => {};
  const put = (event: CoordinatorEvent) => {
    queue.push(event);
    wake();
  };
  let rosterText = JSON.stringify(Object.entries(options.roster));
  let lastSeen: Roster | undefined;
  if (options.admission)
    Object.assign(options.admission, {
      expects: (site: string) =>
        machine.phase === "uploading" && machine.waitsFor(site)
          ? {
              bytes: asked.length(at(), machine.parts),
              attempt: `${machine.ledger.exchange}.${machine.ledger.attempts}`,
            }
          : undefined,
      reads: (hash: string) => models.includes(hash),
    });
  hearMessages(bus, say, (from, message) => put({ kind: "message", from, message, now: clock() }));
  let shown = "";
  const show = () => {
    if (!options.onPicture) return;
    const picture = pictureOf(machine, options.connected?.());
    const text = JSON.stringify(picture);
    if (text !== shown) options.onPicture(picture);
    shown = text;
  };
  const ticking = setInterval(
    () => put({ kind: "tick", now: clock(), connected: options.connected?.() }),
    50,
  );
  let looked = clock();
  let over = 0;
  let lastSent: ToSite | undefined;
  let lastText = "";
  try {
    put({ kind: "start", now: clock() });
    for (;;) {
      options.signal?.throwIfAborted();
      const event = queue.shift();
      if (!event) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const fault = await faultIn(event);
      const effects = machine.handle(fault ?? event);
      options.onPhase?.(machine.phase, machine.ledger.exchange);
      for (const effect of effects) await carryOut(effect);
      if (event.kind === "tick") show();
      if (event.kind === "tick" && event.now - looked >= rosterEvery) {
        looked = event.now;
        await lookAtRoster();
      }
      if (machine.phase !== "finished") continue;
      if (event.kind === "message" && event.message.kind === "done" && event.message.run === run)
        await tell(event.from);
      over ||= clock();
      const everyone = Object.keys(machine.roster).every((site) => doneSites.has(site));
      if (everyone || clock() - over > patience.answer) break;
    }
  } finally {
    clearInterval(ticking);
    show();
  }
  return {
    state,
    agreed,
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
    if (effect.kind === "aborted" || effect.kind === "void" || effect.kind === "remove")
      options.onFault?.(effect);
    if (effect.kind === "send") bus.send(effect.to, encoded(effect.message));
    else if (effect.kind === "open") {
      // Nobody was asked for anything of this attempt yet: what there is besides models is of those before it.
      await blobs.keepOnly(models);
      await roomFor(() => ledger.open(effect.exchange, effect.attempt));
      // An attempt that is finished is over the roster of its entry: with another it begins anew at once.
      await lookAtRoster();
    } else if (effect.kind === "settle") await keepSettled(effect.settled);
    else if (effect.kind === "void") await giveUp(effect);
    else if (effect.kind === "remove") {
      await roomFor(() => ledger.remove(effect.site, effect.reason));
      await lookAtRoster();
    } else if (effect.kind === "finished") await blobs.keepOnly(models);
    else if (effect.kind === "say") say(effect.what);
    else if (effect.kind === "left")
      await roomFor(() => ledger.setValue("left", JSON.stringify(effect.sites)));
    else if (effect.kind === "end") await roomFor(() => ledger.setValue("ended", effect.why));
    else if (effect.kind === "absorb") await absorb(effect.addends);
  }

  /** An upload that no honest site sends is known before it is summed, and by whom it is. */
  async function faultIn(event: CoordinatorEvent): Promise<CoordinatorEvent | undefined> {
    if (event.kind !== "message" || event.message.kind !== "uploaded") return undefined;
    const { from: site, message, now } = event;
    const { exchange, attempt, upload } = message;
    const { ledger: current } = machine;
    if (machine.phase !== "uploading" || exchange !== current.exchange || attempt !== current.attempts)
      return undefined;
    if (!machine.waitsFor(site)) return undefined;
    const reason = await asked.fault(upload, at(), machine.parts);
    // Not there, or not yet: it is asked for again.
    if (reason === "missing") return { kind: "tick", now };
    return reason === undefined ? undefined : { kind: "blamed", site, reason, now };
  }

  /** Others may have joined or been removed, here or by another process. */
  async function lookAtRoster(): Promise<void> {
    const roster = await ledger.roster();
    if (roster === lastSeen) return;
    lastSeen = roster;
    const text = JSON.stringify(Object.entries(roster));
    if (text === rosterText || Object.keys(roster).length === 0) return;
    rosterText = text;
    options.onRoster?.(roster);
    put({ kind: "roster", roster, now: clock() });
  }

  /** All that a sum is opened with is on the disk before any site is asked to reveal. */
  async function keepSettled(
    attempt: SettledAttempt,
    reveals?: ReadonlyMap<string, Revealed>,
  ): Promise<void> {
    const bytes = Buffer.from(JSON.stringify({ ...attempt, reveals: reveals && [...reveals] }));
    const blob = await roomFor(() => blobs.put(bytes));
    await roomFor(() => ledger.settle(attempt.exchange, attempt.attempt, blob));
  }
  async function settledIn(blob: string): Promise<SettledAttempt> {
    return JSON.parse((await blobs.get(blob)).toString()) as SettledAttempt;
  }

  /** The next round begins with the model that this one began its failed exchange with. */
  async function giveUp({
    exchange,
    attempt,
    reason,
    suspects,
    outcome,
  }: CoordinatorEffect & { kind: "void" }): Promise<void> {
    const next = { ...state, step: state.step + 1, exchange: 0, answers: [] };
    const shown = await shownBy(next, after(outcome));
    const { meanLoss = null } = next;
    const { statement } = outcome;
    const row = { exchange, attempt, survivors: [], shown, meanLoss, statement };
    await roomFor(() => ledger.commit({ ...row, void: { reason, suspects } }));
    state = next;
    await done();
  }

  /** The row is written. */
  async function done(): Promise<void> {
    const { settled: _, ...kept } = (await ledger.state())!;
    put({ kind: "committed", ledger: kept as LedgerState, now: clock() });
  }

  function roomFor<T>(act: () => Promise<T>): Promise<T> {
    return whenRoom(act, say, options.signal);
  }

  function after(outcome: Outcome): string {
    return pastAfter(machine.ledger.shown.past, outcome);
  }

  async function shownBy(
    { params, shared, ...rest }: ServerState,
    past: string,
    told = agreed,
  ): Promise<ShownMessage> {
    const model = await roomFor(() => blobs.put(encodeModel({ update: params, shared }, told)));
    const { step, exchange, meanPrice, answers, present } = rest;
    return { step, exchange, model, meanPrice, answers: [...answers], ...(present && { present }), past };
  }

  /** The sum, the server's step, the row; then the event that says so. */
  async function absorb(addends: Addends): Promise<void> {
    const { exchange, survivors, uploads, outcome } = addends;
    const { settled: kept } = machine.ledger;
    if (kept) await keepSettled(kept, addends.reveals);
    try {
      const sum = plain
        ? await sumInTheOpen(uploads, blobs, double)
        : await sumOfGroups(addends, blobs, {
            spec,
            clients: summands,
            shape: asked.shape(at()),
            check: checkHonest,
          });
      const shape = asked.shape(at());
      if (sum.values.length !== shape.values || sum.means.length !== shape.numbers)
        throw new PliantError("The uploads do not have the shape that this exchange asks for.");
      const { next, told: later, histogram, evaluation } = await taken(sum, addends);
      const row = rowOf(addends, {
        plain,
        shown: await shownBy(next, after(outcome), later),
        meanLoss: next.meanLoss ?? null,
        scaled: sum.scaled,
        evaluation,
      });
      if (sum.scaled > 0)
        say(
          `Exchange ${exchange}: ${sum.scaled} of ${survivors.size} updates were scaled down to sums.bound, ${spec.sums.bound}, or were not finite and count as zeros. A larger bound, or a smaller rate, would not.`,
        );
      await roomFor(() => ledger.commit(row));
      state = next;
      agreed = later;
      // A site may still be reading the model before the one that is shown.
      if (row.shown.model !== models.at(-1)) models = [...models, row.shown.model].slice(-2);
      options.onCommitted?.(row, histogram);
      await done();
    } catch (error) {
      if (!(error instanceof PliantError)) throw error;
      const failed = error instanceof FailedSum ? error.failed : undefined;
      put({ kind: "failed", reason: error.message, failed, now: clock() });
    }
  }

  function checkHonest(means: readonly number[]): void {
    if (at().stage === "training") checkMeans(spec, state.exchange, plan[state.exchange].numbers, means);
  }

  /** What a sum means in its stage. */
  async function taken(
    { values, means: all }: SumOf,
    { survivors, roster, present }: Addends,
  ): Promise<{ next: ServerState; told?: Agreed; histogram?: readonly number[]; evaluation?: Evaluation }> {
    const { stage } = at();
    const steps = state.step + 1 - machine.ledger.voids;
    const onwards = { ...state, step: state.step + 1 };
    const after = agreed && { ...agreed, stage: stageAfter(spec, steps) };
    if (stage === "survey")
      return { next: onwards, told: { ...after!, scale: agreedScale(all, survivors.size, spec.data) } };
    if (stage === "evaluation") {
      const evaluation = evaluationIn(all, survivors.size, spec, agreed!.scale);
      return { next: onwards, told: after, evaluation };
    }
    const byGroup = groupNumbers(spec, state.exchange);
    const ours = all.slice(0, all.length - byGroup);
    const groups =
      byGroup === 0
        ? agreed?.groups
        : nextPrices(agreed!.groups!, all.slice(ours.length), survivors.size, spec.data.groups!);
    const { means, histogram } = hasHistogram(spec)
      ? histogramIn(ours, survivors.size)
      : { means: ours, histogram: undefined };
    const { communication, numbers } = plan[state.exchange];
    if (plain) checkMeans(spec, state.exchange, numbers, means);
    const summed = await server.absorb(state, {
      sums: communication === undefined ? undefined : unflattenSums(values, form),
      means,
      participants: survivors.size,
      present,
      census: pricedOver !== undefined && pricedOver !== rosterHash(roster),
    });
    if (numbers.includes("price after")) pricedOver = rosterHash(roster);
    // A second average has what each site gave to it: with other sites it begins anew, here and at every site.
    const anew = told.solver.shares && lastRoster !== undefined && lastRoster !== rosterHash(roster);
    lastRoster = rosterHash(roster);
    return {
      next: anew ? { ...summed, shared: zerosLike(state.params) } : summed,
      told: agreed && {
        ...agreed,
        ...(groups && { groups }),
        ...(summed.exchange === 0 && { stage: after!.stage }),
      },
      histogram,
    };
  }
}
