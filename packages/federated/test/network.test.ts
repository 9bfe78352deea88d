// Clients apart, each with its own pool and back end, and a server that is handed sums: the simulator's numbers, to the bit.
import { type Backend, NdArray, reference, zipTrees } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import {
  agnostic,
  average,
  type Contribution,
  constrained,
  errorRate,
  type Formulation,
  fedAvg,
  fedPd,
  fedProx,
  fedYogi,
  fixedAverage,
  fixedSums,
  fractionBits,
  fromWords,
  type LocalOptions,
  localAdam,
  maximumNorm,
  type NetworkOptions,
  networkClient,
  networkServer,
  planned,
  qFair,
  ratioLoss,
  relaxationCost,
  resilient,
  type ServerOptimizer,
  type Solver,
  type Sums,
  scaffold,
  simulate,
  toWords,
  unconstrained,
} from "@pliant/federated";
import { mlp } from "@pliant/learn";
import { afterAll, describe, expect, test } from "vitest";
import { distance, heterogeneous, numbersIn } from "./problems.js";

const native = await onnx();
afterAll(() => native.close());

const sizes = [24, 24, 24, 18, 24, 18, 24, 24, 18, 24];
const data = heterogeneous({ sizes, inputs: 6, classes: 3, dtype: "float32", seed: 2 });
const model = mlp({ inputs: 6, hidden: [5], outputs: 3 });
const local = { rate: 0.1, epochs: 2, batch: { stepsPerEpoch: 3 }, clip: 5, decay: 1e-3 };
const priced = resilient({ level: 0.01, dualRate: 30, cost: relaxationCost({ alpha: 2 }) });

interface Told {
  readonly formulation?: Formulation;
  readonly solver?: Solver;
  readonly timing?: "published" | "fresh";
  readonly communicationRounds?: number;
  readonly server?: ServerOptimizer;
  readonly local?: LocalOptions;
}

/** The data of one client by itself, as a site holds it. */
function own(c: number) {
  const rows = Array.from(data.clients[c].train);
  const { x, y } = data.train;
  const width = x.size / y.size;
  return {
    x: new NdArray(
      Float32Array.from(rows.flatMap((r) => Array.from(x.data.slice(r * width, (r + 1) * width)))),
      [rows.length, width],
    ),
    y: new NdArray(
      Int32Array.from(rows, (r) => y.data[r]),
      [rows.length],
    ),
  };
}

const plus = (a: unknown, b: unknown) =>
  zipTrees(
    (x: unknown, y: unknown) => {
      const [p, q] = [x as NdArray, y as NdArray];
      return new NdArray(
        Float32Array.from(p.data, (v, i) => v + q.data[i]),
        p.shape,
      ) as never;
    },
    a as never,
    b as never,
  );

/** A run of clients that meet in sums alone. */
async function apart(
  told: Told,
  rounds: number,
  { fixed, backends = [reference()] }: { fixed?: number; backends?: readonly Backend[] } = {},
) {
  const options: NetworkOptions<unknown> = {
    model: model as never,
    local: told.local ?? local,
    seed: 7,
    clients: sizes.length,
    serverRate: 1,
    formulation: told.formulation ?? unconstrained(),
    solver: told.solver ?? fedAvg(),
    timing: told.timing ?? "published",
    communicationRounds: told.communicationRounds ?? 5,
    server: told.server,
    backend: backends[0],
  };
  const clients = sizes.map((_, index) =>
    networkClient({ ...options, index, data: own(index), backend: backends[index % backends.length] }),
  );
  const server = networkServer(options);
  let states = clients.map((client) => client.init());
  let state = server.init();
  const losses: number[] = [];
  const weights: (number | undefined)[][] = [];
  while (state.step < rounds) {
    const sent: Contribution[] = [];
    for (const [c, client] of clients.entries()) sent.push((await client.contribute(states[c], state))!);
    const exact =
      sent[0].sums && fixed !== undefined
        ? fixedSums({ bound: fixed }, sizes.length, sent[0].sums)
        : undefined;
    for (const { sums } of sent) if (sums) await exact?.add(sums);
    const mean = fixed === undefined ? average : fixedAverage;
    state = await server.absorb(state, {
      sums: exact
        ? exact.sums()
        : sent[0].sums &&
          (sent.map(({ sums }) => sums as Sums).reduce((a, b) => plus(a, b) as never) as Sums),
      means: sent[0].numbers.map((_, k) => mean(sent.map(({ numbers }) => numbers[k]))),
      participants: sizes.length,
    });
    states = sent.map(({ next }) => next);
    if (state.exchange === 0) {
      losses.push(state.meanLoss!);
      weights.push(states.map(({ round }) => round?.weight));
    }
  }
  return { states, state, losses, weights: weights.flat() as number[] };
}

async function together(told: Told, rounds: number, more: object = {}) {
  const losses: number[] = [];
  const { state } = await simulate({
    model,
    data,
    local,
    seed: 7,
    together: 1,
    communicationRounds: 5,
    ...told,
    rounds,
    ...more,
    onRound: ({ meanLoss, judged }) => void losses.push(judged ? average(judged) : meanLoss),
  });
  return { state, losses };
}

function expectSame(a: Awaited<ReturnType<typeof apart>>, b: Awaited<ReturnType<typeof together>>) {
  expect(numbersIn(a.state.params)).toEqual(numbersIn(b.state.params));
  expect(a.states.map(({ price }) => price)).toEqual(Array.from(b.state.prices.data));
  expect(a.states.map(({ relaxation }) => relaxation)).toEqual(Array.from(b.state.relaxations.data));
  expect(a.losses).toEqual(b.losses);
}

describe("ten clients apart equal the simulator to the bit", () => {
  const cases: [string, Told][] = [
    ["resilient", { formulation: priced }],
    ["constrained", { formulation: constrained({ level: 0, dualRate: 10, cap: 2 }) }],
    ["resilient, fresh prices", { formulation: priced, timing: "fresh" }],
    ["one communication round", { formulation: priced, communicationRounds: 1 }],
    [
      "explicit relaxations",
      {
        formulation: resilient({
          level: 0.01,
          dualRate: 9,
          relaxationRate: 3,
          cost: relaxationCost({ alpha: 2 }),
        }),
      },
    ],
    ["agnostic, FedProx", { formulation: agnostic({ dualRate: 0.5 }), solver: fedProx({ mu: 0.1 }) }],
    [
      "agnostic in two communication rounds",
      { formulation: agnostic({ dualRate: 0.5 }), communicationRounds: 2 },
    ],
    ["q-fair", { formulation: qFair({ q: 1 }), communicationRounds: 1 }],
    ["SCAFFOLD", { formulation: priced, solver: scaffold() }],
    ["unconstrained", {}],
    [
      "judged by error rates",
      {
        formulation: resilient({ level: 0, dualRate: 9, cost: relaxationCost({ alpha: 2 }), of: errorRate }),
      },
    ],
    [
      "FedYogi, local Adam",
      {
        formulation: priced,
        server: fedYogi({ rate: 0.05 }),
        local: { ...local, rate: 0.01, optimizer: localAdam() },
      },
    ],
  ];
  test.each(cases)("%s, 8 rounds", async (_, told) => {
    const [a, b] = [await apart(told, 8), await together(told, 8)];
    expectSame(a, b);
    if (told.formulation === priced) expect(Math.max(...b.state.prices.data)).toBeGreaterThan(0);
  });

  test("on ONNX Runtime, resilient", async () => {
    const told = { formulation: priced };
    expectSame(await apart(told, 8, { backends: [native] }), await together(told, 8, { backend: native }));
  });
});

describe("sums in fixed point", () => {
  const wild: Told = { formulation: constrained({ level: 0, dualRate: 150 }) };
  test("equal the simulator's to the bit, negative weights included, and are near the floats", async () => {
    const a = await apart(wild, 4, { fixed: 16 });
    expect(Math.min(...a.weights)).toBeLessThan(0);
    expectSame(a, await together(wild, 4, { together: undefined, fixedPoint: { bound: 16 } }));
    const floats = await together(wild, 4);
    const apartBy = distance(a.state.params, floats.state.params);
    expect(apartBy).toBeGreaterThan(0);
    expect(apartBy).toBeLessThan(1e-6);
  });

  test("beyond the bound are scaled down to it: no coordinate moves further", async () => {
    const bounded = (bound: number) =>
      together({ formulation: priced }, 1, { together: undefined, fixedPoint: { bound } });
    const [{ state: tight }, { state: tighter }] = [await bounded(1e-4), await bounded(5e-5)];
    // Beyond both bounds: the same directions, half as far.
    expect(distance(tight.params, tighter.params)).toBeGreaterThan(0);
    expect(distance(tight.params, tighter.params)).toBeLessThan(5 * 1e-4);
    const small = fractionBits(10, 1e-4);
    expect(toWords([1, -1, 1e-5, Number.NaN], small, 10).saturated).toBe(3);
    expect(fromWords(toWords([-0.25], 20, 10).words, 20)[0]).toBe(-0.25);
  });
});

describe("methods that need more than sums are refused with a sentence", () => {
  const base = { solver: fedAvg(), communicationRounds: 5, timing: "published" as const };
  const attempt = (more: object) => () =>
    networkServer({
      ...base,
      model: model as never,
      local,
      seed: 7,
      clients: 10,
      serverRate: 1,
      backend: reference(),
      formulation: priced,
      ...more,
    });
  test.each([
    [{ formulation: ratioLoss() }, "needs samples of every class at the server"],
    [
      { formulation: resilient({ level: 0, dualRate: 1, cost: maximumNorm(1) }) },
      "asks all clients for up to 400 averages",
    ],
    [{ formulation: { ...priced, revising: undefined } }, "does not say which averages it asks for"],
    [{ solver: fedPd({ eta: 1 }) }, "but a site may be away"],
    [{ formulation: qFair({ q: 1 }) }, "set communicationRounds to 1"],
  ])("%#", (more, sentence) => {
    expect(attempt(more)).toThrow(sentence);
  });
});

test("the loss rides with the first exchange, prices with the next", () => {
  const plan = planned({
    formulation: priced,
    communicationRounds: 5,
    timing: "published",
  });
  expect(plan.map(({ communication, numbers }) => [communication, numbers.length])).toEqual([
    [0, 1],
    [1, 2],
    [2, 0],
    [3, 0],
    [4, 0],
  ]);
});

test("a client that was away when the round began waits for the next", async () => {
  const options = {
    model: model as never,
    local,
    seed: 7,
    clients: 10,
    serverRate: 1,
    backend: reference(),
    formulation: priced,
    solver: fedAvg(),
    communicationRounds: 5,
    timing: "published" as const,
  };
  const client = networkClient({ ...options, index: 0, data: own(0) });
  const server = networkServer(options);
  expect(
    await client.contribute(client.init(), { ...server.init(), exchange: 1, answers: [1] }),
  ).toBeUndefined();
});
