// How good the model is for each client once that client has trained it a little further on samples of its own. What a client so
// makes of the model stays with it.
import { type ClientRoundOptions, clientRound } from "./client-round.js";
import { type Evaluate, meansOf, type PerClient, type StoredPool } from "./evaluation.js";
import { checkLocal, type LocalOptions } from "./local.js";
import type { Solver } from "./solvers.js";

/** Of the clients' own models. */
export interface Personalised {
  readonly train: PerClient;
  /** Of clients that have test samples; NaN of the others. */
  readonly test?: PerClient;
}

/** A client hands over the model it ends with. */
const handing: Solver = {
  name: "fine-tuning",
  keeps: false,
  shares: false,
  finish: ({ params }) => ({ update: params }),
};

export interface PersonaliseOptions<P>
  extends Omit<ClientRoundOptions<P>, "solver" | "local" | "stacked" | "norms"> {
  readonly evaluate: Evaluate;
  readonly test?: { readonly pool: StoredPool; readonly rows: readonly ArrayLike<number>[] };
}

/** Each client's own steps from the server's model on, and its means after them; clients one by one. */
export async function personalise<P>(
  { evaluate, test, ...options }: PersonaliseOptions<P>,
  params: unknown,
  local: LocalOptions,
): Promise<Personalised> {
  checkLocal(local);
  const train = clientRound({ ...options, solver: handing, local, stacked: false, norms: false });
  const means: Record<"train" | "test", PerClient[]> = { train: [], test: [] };
  for (const [client, rows] of options.rows) {
    const asked = { number: 0, group: [client], weights: [1], sentWeights: [0] };
    const { sums } = await train({ ...asked, server: params, shared: {}, own: {} });
    const look = async (pool: StoredPool, held: ArrayLike<number>) =>
      meansOf(await evaluate(sums.update, pool, held), [held]);
    means.train.push(await look(options.pool, rows));
    if (test) means.test.push(await look(test.pool, test.rows[client]));
  }
  return { train: sideBySide(means.train), ...(test && { test: sideBySide(means.test) }) };
}

/** Means of one client each, as those of all. */
const sideBySide = (each: readonly PerClient[]): PerClient => ({
  loss: each.map(({ loss }) => loss[0]),
  accuracy: each.map(({ accuracy }) => accuracy[0]),
  ...(each[0].metric && { metric: each.map(({ metric }) => metric![0]) }),
});
