// The server's part of a communication round: it moves by the sum of what the participants sent, and sees nothing else.
import { type Backend, compile, leaves, NdArray, type Tensor, zipTrees } from "@pliant/engine";
import type { Arrays, Sums } from "./groups.js";
import { serverStep } from "./server.js";
import type { ServerOptimizer } from "./server-optimizer.js";
import type { Solver } from "./solvers.js";
import { plus, scaledBy } from "./stacked.js";

/** What the server's part of communication rounds follows from. */
export interface ServerRoundOptions {
  readonly solver: Solver;
  readonly server?: ServerOptimizer;
  readonly backend: Backend;
  /** C, of all clients. */
  readonly clients: number;
  /** Parameters of the right form. */
  readonly params: Arrays;
}

/** What the server shares with all clients. */
export interface Shared {
  readonly params: Arrays;
  /** The solver's second average, `{}` if it has none. */
  readonly shared: Arrays;
  /** What the server's optimiser remembers, which clients need not know; nothing without one. */
  readonly memory?: Arrays;
}

/** θ ← θ + factor · Σ_c update_c, and the solver's second average by (1/C) Σ_c of its changes. An optimiser is handed the sum times factor. */
export type ServerRound = (at: Shared, sums: Sums, factor: number) => Promise<Shared>;

/** Compiles the server's part. */
export function serverRound({ solver, server, backend, clients, params }: ServerRoundOptions): ServerRound {
  const dtype = (leaves(params)[0].leaf as NdArray).dtype;
  const advance = compile(serverStep<unknown>, { backend });
  const adapt = compile(
    (at: unknown, sum: unknown, factor: Tensor, before: unknown) => {
      const { step, memory } = server!.step(
        zipTrees((s: Tensor) => s.mul(factor), sum),
        before,
      );
      return { params: plus(at, step), memory };
    },
    { backend },
  );
  const share = compile((shared: unknown, sum: unknown) => plus(shared, scaledBy(sum, 1 / clients)), {
    backend,
  });
  return async (at, sums, factor) => {
    const by = [at.params, sums.update, scalar(factor, dtype)] as never[];
    const moved = server
      ? await adapt(by[0], by[1], by[2], at.memory as never)
      : { params: await advance(by[0], by[1], by[2]) };
    return {
      ...moved,
      shared: solver.shares ? await share(at.shared as never, sums.shared as never) : {},
    };
  };
}

const scalar = (value: number, dtype: string): NdArray =>
  new NdArray(dtype === "float64" ? Float64Array.of(value) : Float32Array.of(value), []);
