// A client that is apart from the others. What it knows is its own: data, price λ_c, relaxation u_c, what its solver keeps.
// It answers what it is shown with numbers and an update to be summed, and with the state it would have if the sum is taken:
// the caller keeps the one it has until then, so that an exchange that fails leaves no trace.

import { InputError } from "@pliant/core";
import { type Backend, leaves, mapTree, NdArray, random, readAll } from "@pliant/engine";
import { keyed, type Model } from "@pliant/learn";
import { type Order, shuffled } from "../batches.js";
import { clientRound } from "../client-round.js";
import { checkData, type Pool } from "../data.js";
import { evaluator, meansOf, storePool } from "../evaluation.js";
import { type Duals, type Formulation, notJudged, type Told } from "../formulations/index.js";
import { type Arrays, type Sums, zerosLike } from "../groups.js";
import { checkLocal } from "../local.js";
import {
  checkTold,
  type Draw,
  noisedMean,
  nothingSpent,
  type Privacy,
  type Spent,
} from "../privacy/index.js";
import { checkStacking } from "../probe.js";
import { fairTerms } from "../server.js";
import type { Task } from "../task.js";
import { checkNetwork, type Exchanged, type PlanOptions, planned, type Riding } from "./plan.js";

/** What both sides of a network know. */
export interface NetworkOptions<P> extends PlanOptions, Task {
  readonly model: Model<P>;
  readonly seed: number;
  /** C, of all clients. */
  readonly clients: number;
  /** A larger loss counts as this, and so does one that is not finite. */
  readonly lossBound?: number;
  /** The longest update of a client, before it is weighted; a longer one is scaled down. */
  readonly updateClip?: number;
  readonly backend: Backend;
  /** The model to begin with; default: drawn from the seed. */
  readonly params?: P;
}

/** What a client in a network knows besides: its number, its data, its privacy. */
export interface NetworkClientOptions<P> extends NetworkOptions<P> {
  /** Its number in the federation, from 0. */
  readonly index: number;
  readonly data: Pool;
  readonly order?: Order;
  readonly chunk?: number;
  /** Of its records; `contribute` is then handed numbers that nobody can foresee. */
  readonly privacy?: Privacy;
}

/** All a client is between exchanges: plain data. */
export interface ClientState {
  readonly price: number;
  readonly relaxation: number;
  readonly own: Arrays;
  readonly sentWeight: number;
  /** What it met in the round it takes part in. */
  readonly round?: {
    readonly step: number;
    readonly loss: number;
    /** What the formulation judges it by, where that is not its loss. */
    readonly judged?: number;
    readonly weight?: number;
  };
}

/** What a client is shown. */
export interface Shown {
  /** Rounds done. */
  readonly step: number;
  /** Of the round's exchanges, from 0. */
  readonly exchange: number;
  readonly params: Arrays;
  readonly shared: Arrays;
  readonly meanPrice: number;
  /** How many clients the mean price is over, where some have left. */
  readonly present?: number;
  /** Averages that were asked for in this round so far. */
  readonly answers: readonly number[];
}

/** What a client gives to the sum, and what it becomes if the sum is taken. */
export interface Contribution {
  readonly sums?: Sums;
  readonly numbers: readonly number[];
  readonly next: ClientState;
  /** What it tells of its records, where they are private. */
  readonly spends: Spent;
}

/** A client that is apart from the others. */
export interface NetworkClient {
  init(): ClientState;
  /** Nothing where the client was not there when the round began, and waits for the next. */
  contribute(state: ClientState, shown: Shown, draw?: Draw): Promise<Contribution | undefined>;
}

/** The model that every side begins with: the given one, or the seed's. */
export const initialParams = <P>({ model, params, seed }: NetworkOptions<P>): P =>
  params ?? model.init(keyed(random.foldIn(random.key(seed), 0)));

/** What a client is before its first exchange. */
export const initialClientState = <P>(options: NetworkOptions<P>): ClientState => ({
  price: options.formulation.initialPrice,
  relaxation: 0,
  own: options.solver.keeps ? zerosLike(initialParams(options)) : {},
  sentWeight: 0,
});

/** A client with data of its own, asked exchange by exchange. */
export function networkClient<P>(options: NetworkClientOptions<P>): NetworkClient {
  const { model, solver, local, formulation, backend, seed, index, data, clients, privacy } = options;
  checkNetwork(options);
  if (privacy) checkTold(options, formulation);
  checkLocal(local);
  const rows = Int32Array.from({ length: data.y.shape[0] }, (_, i) => i);
  const task = { loss: options.loss, metric: options.metric };
  checkData({ train: data, clients: [{ train: rows }] }, task);
  const plan = planned(options);
  const initial = initialParams(options);
  const pool = storePool(data, backend);
  const evaluate = evaluator(model, { backend, chunk: options.chunk ?? 256, ...task });
  const train = clientRound({
    model,
    loss: options.loss,
    solver,
    local,
    backend,
    pool,
    rows: new Map([[index, rows]]),
    stacked: false,
    trim: true,
    order: options.order ?? shuffled(seed),
    seed,
    norms: formulation.fairness !== undefined,
    params: initial,
    privacy,
  });
  let stacks: Promise<void> | undefined;
  const measure = async (
    params: Arrays,
    draw: Draw | undefined,
  ): Promise<{ loss: number; judged?: number }> => {
    const losses = await evaluate(params, pool, rows);
    const means = meansOf(losses, [rows]);
    const loss = privacy
      ? noisedMean(losses.loss, privacy.lossClip, privacy.lossNoise, draw!)
      : boundedLoss(means.loss[0], options.lossBound);
    if (!Number.isFinite(loss))
      throw new InputError(
        "The loss on this site's data is not a finite number; try a smaller local rate, or clip the gradients.",
      );
    const judged = formulation.judged?.({
      loss,
      accuracy: means.accuracy[0],
      metric: means.metric?.[0] ?? NaN,
    });
    if (judged !== undefined && !Number.isFinite(judged))
      throw new InputError(notJudged(formulation.name, "this site"));
    return { loss, judged };
  };

  return {
    init: () => initialClientState(options),
    contribute: async (known, { step, exchange, params: server, shared, meanPrice, answers }, draw) => {
      // A second average of zeros begins anew, as after others joined or left: so does what clients keep for it.
      const anew = solver.shares && isZero(shared);
      const state = anew ? { ...known, own: zerosLike(initial) as Arrays, sentWeight: 0 } : known;
      if (privacy && !draw)
        throw new InputError("A client whose records are private needs numbers nobody can foresee.");
      if (privacy) {
        stacks ??= checkStacking(model, data, initial);
        await stacks;
      }
      const told: Told = { clients, participants: clients, meanPrice };
      const { communication, numbers: riding } = plan[exchange];
      if (exchange > 0 && state.round?.step !== step) return undefined;
      const { loss, judged } = exchange === 0 ? await measure(server, draw) : state.round!;
      const met = judged ?? loss;
      const weighed = exchange === 0 ? undefined : state.round!.weight;

      const before: Duals = { prices: [state.price], relaxations: [state.relaxation] };
      const weight =
        weighed ?? (communication === undefined ? undefined : formulation.weigh(before, [met], told)[0]);
      if (weight !== undefined && weight < 0 && solver.refusesNegativeWeights)
        throw new InputError(`This site has the weight ${weight}: ${solver.refusesNegativeWeights}.`);
      let next: ClientState = {
        ...state,
        round: { step, loss, ...(judged !== undefined && { judged }), weight },
      };
      let sums: Sums | undefined;
      let square = 0;
      if (communication !== undefined) {
        const number = step * options.communicationRounds + communication;
        const done = await train({
          number,
          group: [index],
          weights: [weight!],
          sentWeights: [state.sentWeight],
          server: mapTree(server, (p: NdArray) => backend.put(p)),
          shared,
          own: state.own,
          draw,
        });
        sums = clipped(
          (await readAll(done.sums)) as unknown as Sums,
          options.updateClip,
          weight!,
          solver.shares,
        );
        next = { ...next, own: await readAll(done.own), sentWeight: weight! };
        if (done.squaredNorms) square = (await readAll([done.squaredNorms]))[0].data[0];
      }

      const revision = revised(formulation, before, met, told, answers);
      const after = revision.duals;
      if (after && asksPrices(plan[exchange]))
        next = { ...next, price: after.prices[0], relaxation: after.relaxations[0] };
      const value = (what: Riding): number => {
        if (typeof what === "object") return revision.asked![0];
        if (what === "loss") return loss;
        if (what === "price before") return state.price;
        if (what === "price after") return after!.prices[0];
        return fairTerms(formulation.fairness!, [loss], [square], local.rate)[0];
      };
      const spends = privacy
        ? { steps: sums ? privacy.steps : 0, losses: Number(exchange === 0) }
        : nothingSpent;
      return { sums, numbers: riding.map(value), next, spends };
    },
  };
}

/** A loss that is not finite counts as the bound, where there is one: a refusal would tell others something of this client's data. */
export const boundedLoss = (loss: number, bound = Number.NaN): number =>
  Number.isNaN(bound) ? loss : loss < bound ? Math.max(loss, -bound) : bound;

/** ‖w·Δ‖ ≤ |w|·clip; a solver with a second average does not weight its update. */
function clipped(sums: Sums, clip: number | undefined, weight: number, unweighted: boolean): Sums {
  if (clip === undefined) return sums;
  let square = 0;
  for (const { leaf } of leaves(sums.update))
    for (const value of (leaf as NdArray).data) square += value * value;
  const most = clip * (unweighted ? 1 : Math.abs(weight));
  if (!(Math.sqrt(square) > most)) return sums;
  const factor = most / Math.sqrt(square);
  const shorter = (leaf: NdArray) =>
    new NdArray(
      leaf.data.map((value) => value * factor),
      leaf.shape,
    );
  return { ...sums, update: mapTree(sums.update, shorter) as Arrays };
}

const isZero = (tree: Arrays): boolean =>
  leaves(tree).every(({ leaf }) => (leaf as NdArray).data.every((value: number) => value === 0));

const asksPrices = ({ numbers }: Exchanged): boolean => numbers.includes("price after");

/** How far a client's revision of its duals comes with the answers there are. */
function revised(
  { revising }: Formulation,
  before: Duals,
  met: number,
  told: Told,
  answers: readonly number[],
): { readonly asked?: readonly number[]; readonly duals?: Duals } {
  const asking = revising!.revise(before, [met], told);
  let next = asking.next();
  for (const answer of answers) if (!next.done) next = asking.next(answer);
  return next.done ? { duals: next.value } : { asked: next.value };
}
