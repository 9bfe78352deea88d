// State and data lie on the device: what travels between there and the host is counted, by a back end whose arrays only it can read.

import { atMost, createSolver, minimise, quadratic, sgd, solve, solveWith } from "@pliant/core";
import { type Backend, NdArray, reference, type Stored, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";

/** Numbers of arrays that went there and came back. */
interface Travelled {
  up: number;
  down: number;
}

class There {
  readonly dtype: NdArray["dtype"];
  readonly shape: NdArray["shape"];
  readonly size: number;
  constructor(
    readonly inside: NdArray,
    readonly travelled: Travelled,
  ) {
    ({ dtype: this.dtype, shape: this.shape, size: this.size } = inside);
  }
  async read(): Promise<NdArray> {
    this.travelled.down += this.size;
    return this.inside;
  }
}

/** Plain TypeScript behind a wall. */
function remote() {
  const plain = reference();
  const travelled: Travelled = { up: 0, down: 0 };
  const store = (value: Stored): Stored => new There(value as NdArray, travelled) as unknown as Stored;
  const bring = (x: Stored): NdArray => {
    if (x instanceof There) return x.inside;
    travelled.up += (x as NdArray).size;
    return x as NdArray;
  };
  const sliceOf = ({ data, shape, dtype }: NdArray, i: number): NdArray => {
    const each = shape.slice(1).reduce((a, b) => a * b, 1);
    return new NdArray(data.slice(i * each, (i + 1) * each) as never, shape.slice(1), dtype);
  };
  const stacked = (list: readonly NdArray[]): NdArray => {
    const data = list.flatMap((x) => Array.from(x.data, Number));
    return new NdArray(Float64Array.from(data), [list.length, ...list[0].shape]);
  };
  const backend: Backend = {
    name: "remote",
    put: (value) => {
      travelled.up += value.size;
      return store(value);
    },
    compile: async (program, options) => {
      const made = await plain.compile(program, options);
      return {
        run: async (inputs) => (await made.run(inputs.map(bring))).map(store),
        release: () => made.release(),
      };
    },
    compileLoop: async (program, steps, options) => {
      const made = await plain.compile(program, options);
      return {
        run: async ({ states, constants, sliced }) => {
          const [fixed, changing] = [constants.map(bring), sliced.map(bring)];
          let state: Stored[] = states.map(bring);
          const records: NdArray[][] = [];
          for (let i = 0; i < steps; i++) {
            const out = await made.run([...state, ...fixed, ...changing.map((x) => sliceOf(x, i))]);
            state = out.slice(0, program.states);
            records.push(out.slice(program.states) as NdArray[]);
          }
          const each = records[0].map((_, k) => stacked(records.map((list) => list[k])));
          return { states: state.map(store), records: each.map(store) };
        },
        release: () => made.release(),
      };
    },
    close: () => plain.close(),
  };
  return { backend, travelled };
}

const [rows, columns] = [500, 200];
const drawn = (n: number, of: (i: number) => number) => Float64Array.from({ length: n }, (_, i) => of(i));
const given = {
  x: new NdArray(
    drawn(rows * columns, (i) => Math.sin(i * i)),
    [rows, columns],
  ),
  y: new NdArray(
    drawn(rows, (i) => Math.cos(3 * i)),
    [rows],
  ),
};
type Rows = { x: Tensor; y: Tensor };
const task = minimise({
  params: { w: new NdArray(new Float64Array(columns), [columns]) },
  forward: ({ w }: { w: Tensor }, { x }: Rows) => x.matmul(w),
  objective: (z, { y }) => z.sub(y).pow(2).mean(),
}).subjectTo(
  {
    first: atMost(0.2, (z, { y }) =>
      z
        .sub(y)
        .pow(2)
        .slice([[0, 50]])
        .mean(),
    ),
  },
  { cost: quadratic(1) },
);

test("data is put there once, and a check moves a few vectors of parameters", async () => {
  const { backend, travelled } = remote();
  const options = { data: given, optimizer: sgd(0.05), tolerance: 0, backend };
  const solver = await createSolver(task, options);
  let found = await solveWith(solver, { steps: 25 });
  const before = { ...travelled };
  const looks = 10;
  for (let i = 0; i < looks; i++) found = await solver.next(found, 25);
  const [up, down] = [travelled.up - before.up, travelled.down - before.down].map((n) => n / looks);
  // Up go the rate, the number and the key of each step, and the vectors of the check: none of the data.
  expect(up).toBeLessThan(100 * columns);
  // Down comes each parameter, a gradient and a product once a check that is not near.
  expect(down).toBeGreaterThanOrEqual(columns);
  expect(down).toBeLessThan(100 * columns);
});

test("to go on from where it lies, or from what was read of it, is the same to the bit", async () => {
  const { backend } = remote();
  const options = { data: given, optimizer: sgd(0.05, { momentum: 0.5 }), tolerance: 0 };
  const there = await solve(task, { ...options, backend, steps: 75 });
  const here = await solve(task, { ...options, steps: 75 });
  const solver = await createSolver(task, { ...options, backend });
  const half = await solveWith(solver, { steps: 50 });
  const copied = await solveWith(solver, { steps: 25, state: structuredCopy(half.state) });
  expect(there.state).toEqual(here.state);
  expect(copied.state).toEqual(here.state);
});

/** As a checkpoint would bring it back. */
const structuredCopy = <T>(tree: T): T => {
  if (tree instanceof NdArray) return new NdArray(tree.data.slice() as never, tree.shape) as T;
  if (Array.isArray(tree)) return tree.map(structuredCopy) as T;
  if (typeof tree === "object" && tree !== null)
    return Object.fromEntries(Object.entries(tree).map(([k, v]) => [k, structuredCopy(v)])) as T;
  return tree;
};
