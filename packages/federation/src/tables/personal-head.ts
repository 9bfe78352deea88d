// A head of a site's own: the last layer of the final model, trained further on the site's rows. It never leaves the site.
import { type Backend, constant, type NdArray, readAll } from "@pliant/engine";
import { clientRound, type LocalOptions, type Solver, shuffled, storePool } from "@pliant/federated";
import type { Model, Params } from "@pliant/learn";
import type { FederationSpec } from "../spec/spec.js";
import { lossFor } from "./loss.js";
import { poolOf, type Rows } from "./site-table.js";

/** Hands over the model that local steps end with. */
const keeping: Solver = {
  name: "fine-tuning",
  keeps: false,
  shares: false,
  finish: ({ params }) => ({ update: params }),
};

interface Layer {
  readonly weight: NdArray;
  readonly bias: NdArray;
}

/** The model with its last layer trained on these rows. */
export async function personalHead(
  model: Model<Params>,
  params: Params,
  rows: Rows,
  { data, training, seed }: FederationSpec,
  backend: Backend,
): Promise<Params> {
  const layers = params as unknown as readonly Layer[];
  const [body, head] = [layers.slice(0, -1), layers.slice(-1)];
  const { epochs, rate = training.rate } = training.personalise!;
  const local: LocalOptions = {
    rate,
    epochs,
    batch: training.batch,
    clip: training.clip,
    decay: training.decay,
  };
  const headModel: Model<unknown> = {
    ...(model as Model<unknown>),
    init: () => head,
    apply: (own, x) => {
      const fixed = body.map(({ weight, bias }) => ({ weight: constant(weight), bias: constant(bias) }));
      return model.apply([...fixed, ...(own as unknown[])] as never, x);
    },
  };
  const pool = poolOf(rows, data);
  const train = clientRound({
    ...{ model: headModel, loss: lossFor(data), solver: keeping, local, backend, seed },
    pool: storePool(pool, backend),
    rows: new Map([[0, Int32Array.from(rows.labels, (_, row) => row)]]),
    ...{ stacked: false, trim: true, norms: false, order: shuffled(seed), params: head },
  });
  const asked = { number: 0, group: [0], weights: [1], sentWeights: [0] };
  const done = await train({ ...asked, server: head as never, shared: {}, own: {} });
  return [...body, ...((await readAll(done.sums.update)) as unknown as Layer[])] as unknown as Params;
}
