// The server's part of a communication round: it moves by the sum of what the participants sent, and sees nothing else.
import { type Backend, compile, leaves, NdArray } from "@pliant/engine";
import type { Arrays, Sums } from "./groups.js";
import { serverStep } from "./server.js";
import type { Solver } from "./solvers.js";
import { plus, scaledBy } from "./stacked.js";

export interface ServerRoundOptions {
  readonly solver: Solver;
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
}

/** θ ← θ + factor · Σ_c update_c, and the solver's second average by (1/C) Σ_c of its changes. */
export type ServerRound = (at: Shared, sums: Sums, factor: number) => Promise<Shared>;

export function serverRound({ solver, backend, clients, params }: ServerRoundOptions): ServerRound {
  const dtype = (leaves(params)[0].leaf as NdArray).dtype;
  const advance = compile(serverStep<unknown>, { backend });
  const share = compile((shared: unknown, sum: unknown) => plus(shared, scaledBy(sum, 1 / clients)), {
    backend,
  });
  return async (at, sums, factor) => ({
    params: await advance(at.params as never, sums.update as never, scalar(factor, dtype) as never),
    shared: solver.shares ? await share(at.shared as never, sums.shared as never) : {},
  });
}

const scalar = (value: number, dtype: string): NdArray =>
  new NdArray(dtype === "float64" ? Float64Array.of(value) : Float32Array.of(value), []);
