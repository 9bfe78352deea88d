// Mistakes that types would show and plain JavaScript does not: each is a sentence that names what is wrong, never a problem other than
// the one that was meant.
import {
  adam,
  adamw,
  atMost,
  createSolver,
  insist,
  insistOnEach,
  measurePrice,
  minimise,
  newton,
  quadratic,
  sgd,
  solve,
} from "@pliant/core";
import { array, reference, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";

// biome-ignore lint/suspicious/noExplicitAny: what a program without types may say.
type Anything = any;

const statement: Anything = {
  params: { x: array([0, 0]) },
  forward: ({ x }: { x: Tensor }) => x,
  objective: (x: Tensor) => x.sub(3).pow(2).sum(),
};
const total = (x: Tensor): Tensor => x.sum();
const data = array([0]);

const problem = (
  changes: Anything = {},
  requirements: Anything = { a: atMost(1, total) },
  options: Anything = { cost: quadratic(1) },
): Anything => minimise({ ...statement, ...changes }).subjectTo(requirements, options);

const told = async (options: Anything, task: Anything = problem()): Promise<string> =>
  solve(task, options).then(
    () => "solved",
    (error: Error) => `${error.name}: ${error.message}`,
  );

describe("a name that is not known where it stands is refused with the nearest that is", () => {
  test.each([
    ["tolerence", 'InputError: "tolerence" is not an option of a solver; did you mean "tolerance"?'],
    ["tol", 'InputError: "tol" is not an option of a solver; did you mean "tolerance"?'],
    ["max_iter", 'InputError: "max_iter" is not an option of a solver; did you mean "steps"?'],
    ["stpes", 'InputError: "stpes" is not an option of a solver; did you mean "steps"?'],
  ])("solver: %s", async (name, sentence) => {
    expect(await told({ data, backend: reference(), [name]: 1 })).toContain(sentence);
  });
  test("every option that there is is known", async () => {
    const options = { steps: 0, every: 1, seed: 1, damping: 1, inner: 1 };
    expect(await told({ data, backend: reference(), ...options })).toBe("solved");
  });
  test.each<[string, string, () => unknown]>([
    [
      "of a requirement",
      "cost",
      () => problem({}, { a: atMost(1, total, { cots: quadratic(2) } as Anything) }),
    ],
    ["of a problem", "objective", () => problem({ objectve: total })],
    ["of subjectTo", "cost", () => problem({}, undefined, { cots: quadratic(2) })],
    ["of sgd", "momentum", () => sgd(0.1, { momentm: 0.9 } as Anything)],
    ["of adam", "betas", () => adam(0.1, { beta: [0.9, 0.99] } as Anything)],
    ["of adamw", "decay", () => adamw(0.1, { deacy: 0.1 } as Anything)],
    ["of adam, by its name elsewhere", "rate", () => adam({ lr: 0.1 } as Anything)],
    ["of sgd, by its name elsewhere", "decay", () => sgd(0.1, { weight_decay: 0.1 } as Anything)],
    ["of newton", "products", () => newton({ product: 3 } as Anything)],
  ])("%s", (_, meant, make) => {
    expect(make).toThrow(`did you mean "${meant}"?`);
  });
  test("options of a batch and of questions about a solution", async () => {
    expect(await told({ data, backend: reference(), batch: { sise: 1, size: 1 } })).toContain('mean "size"?');
    const solver = await createSolver(problem() as ReturnType<typeof stated>, { data, backend: reference() });
    const found = await solver.inspect(solver.initial);
    await expect(insist(solver, found, "a", { levle: 1 } as Anything)).rejects.toThrow('mean "level"?');
    await expect(insistOnEach(solver, found, { budgt: 1 } as Anything)).rejects.toThrow('mean "budget"?');
    const measured = measurePrice(solver, found, "a", { by: 0.1, stpes: 1 } as Anything);
    await expect(measured).rejects.toThrow('mean "steps"?');
    await expect(measurePrice(solver, found, "a", { by: 0 })).rejects.toThrow(
      "by must be a positive number, got 0.",
    );
  });
});

test.each([
  ["by default", {}],
  ["by adam", { optimizer: adam(0.1) }],
])("a square root at 0 is blamed on the square root: %s", async (_, options) => {
  const length = (x: Tensor): Tensor => x.pow(2).sum().sqrt();
  const task = problem({}, { long: atMost(1, length), a: atMost(1, total) });
  expect(await told({ data, backend: reference(), ...options }, task)).toBe(
    "DivergedError: At the start the gradient of long is not a finite number: sqrt has no finite slope there. Add a small number under the root, or state the square.",
  );
});

test("steps that need second derivatives say where there are none, and others go on", async () => {
  const task = problem({}, { a: atMost(1, (x: Tensor) => x.abs().pow(1.5).sum()) });
  expect(await told({ data, backend: reference() }, task)).toBe(
    "DivergedError: At the start a second derivative was not a finite number. Start elsewhere, or try adam, which needs no second derivatives.",
  );
  expect(await told({ data, backend: reference(), optimizer: adam(0.1) }, task)).toBe("solved");
});

test("a rate without a number is refused", () => {
  expect(() => adam({} as Anything)).toThrow("adam: the rate must be a positive number, got undefined.");
  expect(() => sgd(undefined as Anything)).toThrow("sgd: the rate must be a positive number, got undefined.");
});

test("parameters that are no arrays do not compile, and are refused where they are not compiled", () => {
  const forward = () => array([0]) as unknown as Tensor;
  const objective = (x: Tensor) => x.sum();
  const sentence = "must be an array, such as array([1, 2]), got the number";
  // @ts-expect-error a number
  expect(() => minimise({ params: { x: 0 }, forward, objective })).toThrow(`params.x ${sentence} 0`);
  // @ts-expect-error a number beside an array
  expect(() => minimise({ params: { x: array([0]), y: 1 }, forward, objective })).toThrow(
    `params.y ${sentence}`,
  );
  // @ts-expect-error a list of numbers
  expect(() => minimise({ params: { x: [1, 2] }, forward, objective })).toThrow(`params.x[0] ${sentence} 1`);
  // @ts-expect-error deeper
  expect(() => minimise({ params: { x: [{ w: 2 }] }, forward, objective })).toThrow(
    `params.x[0].w ${sentence}`,
  );
  expect(() => minimise({ params: { x: [{ w: array(0) }, array([1])] }, forward, objective })).not.toThrow();
});

/** For its type. */
const stated = () =>
  minimise({
    params: { x: array([0, 0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sum(),
  }).subjectTo({ a: atMost(1, total) });

describe("something else than what is needed is named", () => {
  test.each<[string, () => unknown]>([
    [
      "subjectTo takes named requirements, { name: atMost(level, loss), … }, got undefined.",
      () => minimise(statement).subjectTo(undefined as Anything),
    ],
    ["a must be a requirement, such as atMost(level, loss), got the number 3.", () => problem({}, { a: 3 })],
    [
      'The cost of the problem must be a cost, such as quadratic(1) or one made by customCost, got the text "quadratc".',
      () => problem({}, undefined, { cost: "quadratc" }),
    ],
    [
      "a: its cost must be a cost, such as quadratic(1) or one made by customCost, got a function.",
      () => problem({}, { a: atMost(1, total, { cost: quadratic as Anything }) }),
    ],
    [
      "a: its loss must be a function of model and data, got undefined.",
      () => problem({}, { a: atMost(1, undefined as Anything) }),
    ],
    [
      "params.x must be an array, such as array([1, 2]), got the number 0.",
      () => problem({ params: { x: 0 } }),
    ],
    [
      "params.x[0] must be an array, such as array([1, 2]), got the number 0.",
      () => problem({ params: { x: [0, 0] } }),
    ],
    ["params must be an array, such as array([1, 2]), got undefined.", () => problem({ params: undefined })],
    ["params has no arrays: there is nothing to be learnt.", () => problem({ params: {} })],
    [
      "params.x must start from finite numbers, but some of its values are not finite.",
      () => problem({ params: { x: array([0, Number.NaN]) } }),
    ],
    ["forward must be a function, got undefined.", () => problem({ forward: undefined })],
    ["objective must be a function, got the number 5.", () => problem({ objective: 5 })],
  ])("%s", (sentence, make) => {
    expect(make).toThrow(sentence);
  });
  const options = { data, backend: reference() };
  test.each<[string, Anything, Anything?]>([
    [
      "InputError: A solver needs data, in the form that the functions of the problem take: { data }.",
      undefined,
    ],
    ["InputError: A solver needs data, in the form that the functions of the problem take: { data }.", {}],
    [
      "InputError: The objective must be a tensor of one number, got the number 5.",
      options,
      { objective: () => 5 },
    ],
    [
      "InputError: The objective must be a tensor of one number, got a promise.",
      options,
      { objective: async (x: Tensor) => x.sum() },
    ],
    [
      "InputError: forward must return the value that the objective and the requirements use, got undefined; the parameters are: x.",
      options,
      { forward: ({ y }: Anything) => y },
    ],
    [
      "TypeError: forward: Cannot read properties of undefined (reading 'sum')",
      options,
      { forward: ({ y }: Anything) => y.sum() },
    ],
    [
      "DivergedError: At the start the objective and a were not finite numbers; perhaps a group has no examples, or the data has missing numbers.",
      { ...options, data: array([Number.NaN]) },
      { forward: ({ x }: Anything, d: Tensor) => x.add(d) },
    ],
  ])("%s", async (sentence, given, changes) => {
    expect(await told(given, problem(changes))).toBe(sentence);
  });
});
