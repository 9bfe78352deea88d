// A federation on one machine. A round is one dual step and the communication rounds that go with it; the state between
// rounds is plain data, so a run that is saved and resumed gives the same numbers to the bit.

import { InputError } from "@pliant/core";
import { type Backend, leaves, mapTree, NdArray, random, reference } from "@pliant/engine";
import { keyed } from "@pliant/learn";
import { lossDraws } from "./augmentation.js";
import { shuffled } from "./batches.js";
import { classWeightsOf } from "./class-weights.js";
import { communicator, type Learnt } from "./communication.js";
import { checkData, classesOf } from "./data.js";
import { checkProgress, checkWeights, type LastRound } from "./divergence.js";
import { evaluator, meansOf, type PerClient, storePool, testMeans, union } from "./evaluation.js";
import { fixedAverage } from "./fixed-point.js";
import { type Duals, type Formulation, notJudged, unconstrained } from "./formulations/index.js";
import { sizeOf, zerosLike } from "./groups.js";
import { checkLocal, type LocalOptions } from "./local.js";
import { checkOptions, type SimulationOptions } from "./options.js";
import { chooseParticipants, participantCount, participations } from "./participation.js";
import { type Personalised, personalise } from "./personalise.js";
import { keptDraws, privateFederation } from "./privacy/index.js";
import { checkLabels, checkStacking } from "./probe.js";
import { average as floatAverage } from "./server.js";
import { fedAvg } from "./solvers.js";
import type { RoundMetrics, SimulationState, TestMeans } from "./state.js";
import { clientsTogether } from "./together.js";
import { sharesOf } from "./weighting.js";

/** A federation on one machine, advanced round by round. */
export interface Simulation<P> {
  init(): SimulationState<P>;
  /** A dual step and its communication rounds. */
  round(state: SimulationState<P>): Promise<{ state: SimulationState<P>; metrics: RoundMetrics }>;
  /** As the requirements see them: augmented where the losses that drive the duals are. */
  evaluateTrain(state: SimulationState<P>): Promise<PerClient>;
  /** Nothing where there is no test pool. */
  evaluateTest(state: SimulationState<P>): Promise<TestMeans | undefined>;
  /** Of the models that clients make of this one by local steps of their own. */
  evaluatePersonalised(state: SimulationState<P>, local: LocalOptions): Promise<Personalised>;
  /** ε that each client has spent, where records are private. */
  epsilon(state: SimulationState<P>): number[] | undefined;
  /** How many clients advance at once. */
  readonly together: number;
}

/** A federation, ready to run: its data lies on the device, its steps are compiled when first taken. */
export function createSimulation<P>(options: SimulationOptions<P>): Simulation<P> {
  const { model, data, local, formulation = unconstrained(), solver = fedAvg() } = options;
  const {
    communicationRounds = 5,
    timing = "published",
    weighting = "clients",
    seed = 0,
    backend = reference(),
  } = options;
  const { augmentation, fixedPoint } = options;
  const task = { loss: options.loss, metric: options.metric };
  checkData(data, task);
  checkLocal(local);
  const clients = data.clients.length;
  const count = participantCount(options.participation ?? clients, clients);
  const absent = count < clients || Boolean(options.availability ?? options.stragglers);
  checkOptions(options, { formulation, solver, communicationRounds, absent });

  const initial = options.params ?? model.init(keyed(random.foldIn(random.key(seed), 0)));
  const average = fixedPoint ? fixedAverage : floatAverage;
  // In fixed point each client's update is rounded by itself.
  const wanted = fixedPoint ? 1 : (options.together ?? clientsTogether(backend, sizeOf(initial), clients));
  const together = options.privacy ? 1 : Math.min(count, wanted);
  const pool = storePool(data.train, backend);
  const testPool = data.test && storePool(data.test, backend);
  const rows = data.clients.map(({ train }) => train);
  const classes = classesOf(data.train);
  /** What guessing costs, where that is known. */
  const guessing = options.loss ? Infinity : Math.log(classes);
  const evaluate = evaluator(model, {
    backend,
    chunk: options.chunk ?? defaultChunk(backend),
    augmentation,
    ...task,
  });
  const classWeights =
    formulation.classWeighting &&
    classWeightsOf(model, data.train, pool, formulation.classWeighting, backend);
  const privately =
    options.privacy &&
    privateFederation({
      ...{ privacy: options.privacy, rounds: options.rounds, local, communicationRounds },
      samples: rows.map(({ length }) => length),
    });
  const takenBy = participations((round) =>
    chooseParticipants(clients, count, seed, round, options.availability),
  );
  const epsilonAfter = (step: number) => privately?.epsilons(takenBy(step, clients));
  const training = {
    model,
    loss: options.loss,
    backend,
    pool,
    trim: options.trim ?? true,
    order: options.order ?? shuffled(seed),
    augmentation,
    seed,
    params: initial,
  };
  const communicate = communicator({
    ...training,
    solver,
    local,
    rows,
    together,
    stragglers: options.stragglers,
    privacy: privately?.privacy,
    serverRate: options.serverRate ?? 1,
    server: options.server,
    fairness: formulation.fairness,
    average,
    fixedPoint,
  });
  /** What travels in one direction: the model, and what the solver shares beside it. */
  const modelNumbers = sizeOf(initial).parameters * (solver.shares ? 2 : 1);
  const modelBytes = modelNumbers * ((leaves(initial)[0].leaf as NdArray).dtype === "float64" ? 8 : 4);
  let labelled: Promise<void> | undefined;
  let stacking: Promise<void> | undefined;
  /** What the latest round showed; of use if the next begins where it ended. */
  let latest: (LastRound & { readonly reached: SimulationState<P> }) | undefined;

  /** One number a client, NaN for those not asked. */
  const spread = (values: readonly number[], of: readonly number[]): number[] => {
    const all: number[] = Array(clients).fill(NaN);
    for (const [i, c] of of.entries()) all[c] = values[i];
    return all;
  };
  /** With what was found of each of these clients' samples. */
  const trainMeans = async (
    { params, step }: SimulationState<P>,
    of: readonly number[],
  ): Promise<{ readonly train: PerClient; readonly losses: readonly ArrayLike<number>[] }> => {
    const augmenting = augmentation?.losses ? lossDraws(augmentation, seed, step, pool.samples) : undefined;
    const lists = of.map((c) => rows[c]);
    const found = await evaluate(params, pool, union(lists, pool.samples), augmenting);
    const means = meansOf(found, lists);
    const train = {
      loss: spread(means.loss, of),
      accuracy: spread(means.accuracy, of),
      ...(means.metric && { metric: spread(means.metric, of) }),
    };
    return { train, losses: lists.map((held) => Float64Array.from(held, (row) => found.loss[row])) };
  };

  const round: Simulation<P>["round"] = async (state) => {
    if (state.prices.size !== clients)
      throw new InputError(`The state is of ${state.prices.size} clients, but there are ${clients}.`);
    if (!task.loss) labelled ??= checkLabels(model, data, initial);
    await labelled;
    if (together > 1 || privately) stacking ??= checkStacking(model, data.train, initial, task);
    await stacking;
    const participants = chooseParticipants(clients, count, seed, state.step, options.availability);
    if (participants.length === 0) return nobodyThere(state);
    const those = (values: ArrayLike<number>): number[] => participants.map((c) => values[c]);
    const epsilon = epsilonAfter(state.step + 1);
    const draws = keptDraws(seed);
    const { train, losses: each } = await trainMeans(state, participants);
    const losses = privately
      ? participants.map((c, i) => privately.tell(c, each[i], draws(c, state.step * communicationRounds)))
      : those(train.loss);
    const meanLoss = average(losses);
    const judged = formulation.judged ? judgedBy(formulation, train, participants) : losses;
    const last = latest?.reached === state ? latest : undefined;
    checkProgress(participants, losses, meanLoss, guessing, state, last);

    const before: Duals = { prices: those(state.prices.data), relaxations: those(state.relaxations.data) };
    const shares = sharesOf(
      weighting,
      participants.map((c) => rows[c].length),
    );
    const told = { clients, participants: participants.length, shares, average };
    const meanPrice = average(Array.from(state.prices.data));
    const after = formulation.update(before, judged, { ...told, meanPrice });
    const prices = replaced(state.prices, participants, after.prices);
    const relaxations = replaced(state.relaxations, participants, after.relaxations);
    const weights =
      timing === "published"
        ? formulation.weigh(before, judged, { ...told, meanPrice })
        : formulation.weigh(after, judged, { ...told, meanPrice: average(Array.from(prices.data)) });
    checkWeights(weights, solver, state);

    const classWeighting = await classWeights?.(state.params);
    let learnt: Learnt = { params: state.params, solver: state.solver };
    let [counted, late] = [0, 0];
    for (let k = 0; k < communicationRounds; k++) {
      const number = state.step * communicationRounds + k;
      const done = await communicate(learnt, {
        number,
        participants,
        weights,
        losses,
        classes: classWeighting,
        before: state,
        drawOf: privately && draws,
      });
      learnt = { params: done.params, solver: done.solver };
      counted += done.counted;
      late += participants.length - done.inTime;
    }
    const next = { step: state.step + 1, ...learnt, prices, relaxations } as SimulationState<P>;
    latest = { reached: next, meanLoss, weights, before: state };
    return {
      state: next,
      metrics: {
        round: next.step,
        communicationRounds: next.step * communicationRounds,
        participants,
        meanLoss,
        bytes: {
          down: participants.length * communicationRounds * modelBytes,
          up: counted * (fixedPoint ? 4 * modelNumbers : modelBytes),
        },
        late,
        ...(epsilon && { epsilon }),
        train,
        ...(formulation.judged && { judged: spread(judged, participants) }),
        weights: spread(weights, participants),
        prices: Array.from(prices.data),
        relaxations: Array.from(relaxations.data),
      },
    };
  };

  /** Nothing is learnt and no price moves where nobody can be reached. */
  function nobodyThere(state: SimulationState<P>): { state: SimulationState<P>; metrics: RoundMetrics } {
    const step = state.step + 1;
    const epsilon = epsilonAfter(step);
    return {
      state: { ...state, step },
      metrics: {
        round: step,
        communicationRounds: step * communicationRounds,
        participants: [],
        meanLoss: NaN,
        bytes: { down: 0, up: 0 },
        late: 0,
        ...(epsilon && { epsilon }),
        train: { loss: spread([], []), accuracy: spread([], []) },
        weights: spread([], []),
        prices: Array.from(state.prices.data),
        relaxations: Array.from(state.relaxations.data),
      },
    };
  }

  return {
    together,
    round,
    epsilon: ({ step }) => epsilonAfter(step),
    init: () => ({
      step: 0,
      params: mapTree(initial, (p: NdArray) => backend.put(p)) as P,
      prices: new NdArray(new Float64Array(clients).fill(formulation.initialPrice), [clients]),
      relaxations: new NdArray(new Float64Array(clients), [clients]),
      solver: {
        own: solver.keeps ? zerosLike(initial, [clients]) : {},
        shared: solver.shares ? zerosLike(initial) : {},
        sentWeights: new NdArray(new Float64Array(clients), [clients]),
        ...(options.server && { server: options.server.init(initial) }),
      },
    }),
    evaluateTrain: async (state) => {
      const everyone = rows.map((_, c) => c);
      return (await trainMeans(state, everyone)).train;
    },
    evaluatePersonalised: ({ params }, own) =>
      personalise(
        {
          ...training,
          evaluate,
          rows: new Map(rows.entries()),
          test: testPool && { pool: testPool, rows: data.clients.map(({ test = [] }) => test) },
        },
        params,
        own,
      ),
    evaluateTest: async ({ params }) => {
      if (!testPool || !data.test) return undefined;
      const everything = Int32Array.from({ length: testPool.samples }, (_, i) => i);
      const found = await evaluate(params, testPool, everything);
      const lists = data.clients.map(({ test = [] }) => test);
      return testMeans(found, lists, data.test, classes);
    },
  };
}

/** What each participant is judged by, of its own numbers. */
function judgedBy(
  { name, judged }: Formulation,
  { loss, accuracy, metric }: PerClient,
  participants: readonly number[],
): number[] {
  return participants.map((c) => {
    const found = judged!({ loss: loss[c], accuracy: accuracy[c], metric: metric?.[c] ?? NaN });
    if (Number.isFinite(found)) return found;
    throw new InputError(notJudged(name, `client ${c}`));
  });
}

/** A vector with new numbers at the participants' places. */
function replaced(old: NdArray, participants: readonly number[], values: readonly number[]): NdArray {
  const data = Float64Array.from(old.data);
  for (const [i, c] of participants.entries()) data[c] = values[i];
  return new NdArray(data, old.shape);
}

/** Enough samples to keep the device busy, and few enough for its memory or caches. */
const defaultChunk = ({ name }: Backend): number => (name === "xla" ? 4096 : 256);
