// A site at work: the machine, its disk, its data and its model, with events taken one at a time.

import { InputError, PliantError } from "@pliant/core";
import { reference } from "@pliant/engine";
import {
  type ClientState,
  flattenSums,
  initialClientState,
  initialParams,
  networkClient,
  type Sums,
  zerosLike,
} from "@pliant/federated";
import type { Params } from "@pliant/learn";
import { randomBytes } from "../primitives.js";
import {
  encodeMessage,
  isAllFinite,
  newDisk,
  type Prepared,
  parseToSite,
  type ShownMessage,
  type SiteEffect,
  type SiteEvent,
  siteMachine,
} from "../protocol/index.js";
import {
  drawOf,
  hasHistogram,
  levelOf,
  networkOptions,
  privacyOf,
  specHash,
  summandsOf,
} from "../spec/spec.js";
import { type Agreed, isStaged, trainingStep } from "../spec/stages.js";
import { digest } from "../sums/index.js";
import {
  evaluationOf,
  lossesOf,
  type Measured,
  type MeasuredParts,
  measured,
  outputsOf,
} from "../tables/evaluation.js";
import { groupSums, rowFactors } from "../tables/group-prices.js";
import { personalHead } from "../tables/personal-head.js";
import { encodedTable, type Parts, poolOf } from "../tables/site-table.js";
import { type Anchor, checkModel, seedAnchor } from "./anchor.js";
import { checkAsked } from "./believable.js";
import { clock } from "./clock.js";
import { namedDraws } from "./draws.js";
import { binOf } from "./histogram.js";
import { decodeModel } from "./model-blob.js";
import { whenRoom } from "./room.js";
import { privacySpent, type TakePartOptions, type TookPart } from "./site-options.js";

/** How long a site asks for the final model, in ms. */
const modelPatience = 5_000;

const notFinite =
  "This site's update has numbers that are not finite; it counts as zeros. Nobody else is told. Try a smaller local rate, or clip the gradients.";

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Until the federation is finished. Goes on where the disk says. */
export async function takePart(options: TakePartOptions): Promise<TookPart> {
  const { run, spec, site, identity, roster, store, bus, blobs, backend = reference() } = options;
  const { say = () => {}, signal } = options;
  const table = "encoded" in options.data ? options.data : encodedTable(options.data);
  const told = networkOptions(spec, backend, site);
  const index = options.index ?? Object.keys(roster).indexOf(site);
  if (!Object.hasOwn(roster, site)) throw new InputError(`${site} is not on the roster.`);
  const privacy = privacyOf(spec, table.rows);
  const outputs = outputsOf(told.model, backend);
  const params = initialParams(told);
  const form: Sums = { update: params, shared: told.solver.shares ? zerosLike(params) : {} };
  const machine = siteMachine<ClientState>(
    {
      run,
      site,
      session: randomBytes(8).toString("hex"),
      identity,
      roster,
      spec: specHash(spec),
      bound: spec.sums.bound,
      least: Math.max(spec.sites.least, options.least ?? 0),
      plain: spec.sums.kind === "plain",
      draw: drawOf(spec),
      random: randomBytes,
      privacy,
    },
    summandsOf(spec),
    store.load() ?? newDisk(initialClientState(told)),
  );

  const queue: SiteEvent<ClientState>[] = [];
  let wake = () => {};
  const put = (event: SiteEvent<ClientState>) => {
    queue.push(event);
    wake();
  };
  let ended: Error | undefined;
  let model: string | undefined;
  let found: Omit<Measured, "rows"> | undefined;
  let more: Pick<TookPart, "test" | "personalised"> = {};
  let encoded: { readonly by: string; readonly parts: Parts } | undefined;
  let client: { readonly by: string; readonly trains: ReturnType<typeof clientOn> } | undefined;
  let training = Promise.resolve();
  /** What it was shown last, by its hash. */
  let shownLast = "";
  let anchor: Anchor | undefined;
  /** Of the latest round whose losses were summed. */
  let meanLoss: number | undefined;
  let lastCounted = machine.disk.counted?.exchange;
  bus.listen({
    message: (text) => {
      try {
        put({ kind: "message", message: parseToSite(text) });
      } catch (error) {
        say((error as Error).message);
      }
    },
    connected: () => put({ kind: "connected" }),
    ended: (why) => {
      ended = new InputError(why);
      wake();
    },
  });
  options.onRoster?.((next) => put({ kind: "roster", roster: next }));
  const stop = () => wake();
  signal?.addEventListener("abort", stop);
  try {
    while (model === undefined) {
      if (ended) throw ended;
      signal?.throwIfAborted();
      const event = queue.shift();
      if (!event) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const effects = machine.handle(event);
      for (const effect of effects) await carryOut(effect);
      options.onPhase?.(machine.phase, machine.disk.counted?.exchange ?? -1);
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    ended ??= new PliantError("The site has stopped.");
  }
  const { price, relaxation, round } = machine.disk.state;
  return {
    ...{ price, relaxation, lossBefore: round?.loss },
    ...impliedPrice(),
    ...found,
    ...more,
    ...{ model, privacy: privacySpent(privacy, machine.disk) },
  };

  function impliedPrice(): { readonly impliedPrice?: number } {
    const { loss, cost } = spec.sites;
    if (!found || meanLoss === undefined || loss === undefined || cost === "hard") return {};
    return { impliedPrice: cost.alpha * Math.max(0, found.loss - meanLoss - levelOf(spec, site)) };
  }

  async function carryOut(effect: SiteEffect<ClientState>): Promise<void> {
    if (effect.kind === "send") {
      if (effect.message.kind === "refuse") say(effect.message.reason);
      bus.send(encodeMessage(effect.message));
    } else if (effect.kind === "save") {
      const { counted } = effect.disk;
      await whenRoom(() => store.save(effect.disk), say, signal);
      if (counted && counted.exchange !== lastCounted) options.onCounted?.(effect.disk, counted.exchange);
      lastCounted = counted?.exchange;
    } else if (effect.kind === "train") {
      shownLast = effect.hash;
      [meanLoss = meanLoss] = effect.shown.answers;
      training = training
        .then(() => train(effect))
        .catch((error: Error) => {
          ended = error;
          wake();
        });
    } else if (effect.kind === "upload") {
      const { exchange, attempt, bytes } = effect;
      void persistently(
        () => blobs.put(bytes),
        () => machine.phase === "uploaded",
      )
        .then((upload) => upload && put({ kind: "stored", exchange, attempt, upload }))
        .catch(() => {});
    } else {
      await takeModel(effect.model);
      model = effect.model;
    }
  }

  /** The final model and what it comes to here, while the coordinator still has it. */
  async function takeModel(hash: string): Promise<void> {
    const until = clock() + modelPatience;
    const bytes = await persistently(
      () => blobs.get(hash),
      () => clock() < until,
    );
    if (!bytes) return say("The final model could not be had any more; the coordinator's folder has it.");
    const { update, agreed } = decodeModel(bytes, form, isStaged(spec));
    const parts = partsBy(agreed);
    const { train, test } = await measured(outputs, update, parts, spec.data, agreed?.scale);
    const { rows: _, ...own } = train;
    found = own;
    const personalised = await personal(update as Params, agreed);
    more = { ...(test && { test }), ...(personalised && { personalised }) };
    options.onModel?.(update as Params, agreed);
  }

  /** Again and again while it is wanted; a connection may be down for a while. */
  async function persistently<T>(act: () => Promise<T>, wanted: () => boolean): Promise<T | undefined> {
    for (let wait = 100; wanted() && !ended && !signal?.aborted; wait = Math.min(2 * wait, 2000)) {
      try {
        return await act();
      } catch {
        await pause(wait);
      }
    }
    return undefined;
  }

  /** After a restart the model is read again, by its hash; if the coordinator does not have it any more, the seed's is there. */
  async function anchored(): Promise<Anchor> {
    const seed = seedAnchor(form);
    const { tentative: last } = machine.disk;
    if (!last) return seed;
    const { exchange, step, part, model: hash } = last;
    const here = { exchange, step, part, hash };
    try {
      const model = decodeModel(await blobs.get(hash), form, isStaged(spec));
      return { ...here, model, of: exchange };
    } catch {
      return { ...seed, ...here };
    }
  }

  async function train({
    hash,
    shown,
    state,
    exchange,
  }: SiteEffect<ClientState> & { kind: "train" }): Promise<void> {
    // A model that was not read in time is gone; what is shown by then is another.
    const bytes = await persistently(
      () => blobs.get(shown.model),
      () => shownLast === hash,
    );
    if (!bytes) return;
    let model: ReturnType<typeof decodeModel>;
    try {
      model = decodeModel(bytes, form, isStaged(spec));
      checkAsked(spec, shown, model.agreed);
      anchor ??= await anchored();
      checkModel(spec, run, exchange, shown, model, form, anchor);
      const { step, exchange: part, model: named } = shown;
      anchor = { exchange, step, part, hash: named, model, of: exchange };
    } catch (error) {
      if (!(error instanceof PliantError)) throw error;
      return put({ kind: "failed", shown: hash, reason: error.message });
    }
    // From here on its own rows decide what happens: whatever fails is told to this site's operator and to nobody else.
    put({ kind: "trained", shown: hash, prepared: await prepare(model, shown, hash, state) });
  }
  /** Its rows, encoded by the scale that was agreed. */
  function partsBy(agreed: Agreed | undefined): Parts {
    const by = JSON.stringify(agreed?.scale);
    if (encoded?.by !== by || !encoded) encoded = { by, parts: table.encoded(agreed?.scale) };
    return encoded.parts;
  }

  /** Its rows, weighted by the prices of their groups. */
  function clientOn(agreed: Agreed | undefined) {
    const { train } = partsBy(agreed);
    const data = poolOf(train, spec.data, agreed?.groups && rowFactors(agreed.groups, train));
    return { ...networkClient({ ...told, index, data, privacy }), draws: namedDraws(run, identity, data) };
  }

  async function personal(update: Params, agreed: Agreed | undefined): Promise<MeasuredParts | undefined> {
    if (!spec.training.personalise) return undefined;
    const parts = partsBy(agreed);
    const own = await personalHead(told.model, update, parts.train, spec, backend);
    return measured(outputs, own, parts, spec.data, agreed?.scale);
  }

  /** What it gives to the sum of an exchange, and what it becomes if that counts it. */
  async function prepare(
    { update, shared, agreed }: ReturnType<typeof decodeModel>,
    shown: ShownMessage,
    hash: string,
    state: ClientState,
  ): Promise<Prepared<ClientState> | undefined> {
    const scale = agreed?.scale && digest(JSON.stringify(agreed.scale));
    const only = (numbers: readonly number[]) => ({
      values: new Float64Array(),
      numbers,
      next: state,
      scale,
    });
    if (agreed?.stage === "survey") return { ...only(table.survey()), once: agreed.stage };
    const parts = partsBy(agreed);
    if (agreed?.stage === "evaluation") {
      const own = await personal(update as Params, agreed);
      return { ...only(await evaluationOf(outputs, update, parts, spec, own)), once: agreed.stage };
    }
    const by = JSON.stringify([agreed?.scale, agreed?.groups]);
    if (client?.by !== by) client = { by, trains: clientOn(agreed) };
    const { name, draw } = client.trains.draws(hash, state);
    const seen = { ...shown, step: trainingStep(spec, shown.step), params: update, shared };
    const done = await client.trains.contribute(state, seen, draw);
    if (!done) return undefined;
    let whole = false;
    let numbers = [...done.numbers, ...(hasHistogram(spec) ? binOf(done.next.relaxation) : [])];
    const { groups } = spec.data;
    if (agreed?.groups && groups && shown.exchange === 0) {
      whole = true;
      // Its loss without the prices of groups, which weight the rows it trains on.
      const losses = await lossesOf(outputs, update, parts.train, spec);
      const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
      numbers = [mean, ...numbers.slice(1), ...groupSums(losses, parts.train, groups)];
    }
    const given = { values: done.sums ? flattenSums(done.sums) : new Float64Array(), numbers, whole, scale };
    const tells = privacy && { tells: { name, spends: done.spends } };
    if (isAllFinite(given)) return { ...given, next: done.next, ...tells };
    say(notFinite);
    const { own, sentWeight } = state;
    return { ...given, next: { ...done.next, own, sentWeight }, ...tells };
  }
}
