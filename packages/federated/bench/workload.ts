// The benchmark's federation: random pictures of Fashion-MNIST's size, the published local training.
import { type Backend, leaves, NdArray, random } from "@pliant/engine";
import {
  createSimulation,
  type FederatedData,
  type LocalOptions,
  relaxationCost,
  resilient,
} from "@pliant/federated";
import { convnet, keyed, type Model, mlp, type Params } from "@pliant/learn";

export type Name = "cnn" | "mlp";

export interface Workload {
  readonly name: Name;
  readonly clients: number;
  readonly samples: number;
  readonly model: Model<Params>;
  readonly data: FederatedData;
  readonly params: Params;
  readonly local: LocalOptions & { readonly epochs: number };
}

export interface Scale {
  readonly clients: number;
  readonly samples: number;
  readonly epochs: number;
  readonly batch: LocalOptions["batch"];
}

/** 438 samples a client: five batches of 87 and one of 3 in each of five epochs. */
export const published = { samples: 438, epochs: 5, batch: { stepsPerEpoch: 5 } } as const;

export function createWorkload(name: Name, { clients, samples, epochs, batch }: Scale): Workload {
  const model =
    name === "cnn"
      ? convnet({ channels: 1, size: 28 })
      : mlp({ inputs: 784, hidden: [128, 128], outputs: 10, activation: "leakyRelu" });
  const train = pictures(clients, samples);
  const rowsOf = (c: number) => ({ train: Int32Array.from({ length: samples }, (_, i) => c * samples + i) });
  return {
    name,
    clients,
    samples,
    model,
    data: { train, clients: Array.from({ length: clients }, (_, c) => rowsOf(c)) },
    params: model.init(keyed(random.key(3))),
    local: { rate: 0.05, epochs, batch, clip: 5, decay: 1e-3 },
  };
}

/** Noise, with two bright rows that tell the class. Drawn client by client: no draw is as large as the whole. */
function pictures(clients: number, samples: number): FederatedData["train"] {
  const [total, pixels] = [clients * samples, 28 * 28];
  const y = random.randint(random.key(2), [total], 0, 10);
  const x = new Float32Array(total * pixels);
  for (let c = 0; c < clients; c++) {
    const noise = random.uniform(random.foldIn(random.key(1), c), [samples * pixels]);
    x.set(noise.data, c * samples * pixels);
  }
  for (let i = 0; i < total; i++) {
    const first = i * pixels + y.data[i] * 56;
    x.fill(1, first, first + 56);
  }
  return { x: new NdArray(x, [total, 1, 28, 28]), y };
}

/** The order both sides go through a client's samples in: no generator to share. */
export const order = (_: number, epoch: number, n: number): Int32Array =>
  Int32Array.from({ length: n }, (_, i) => (i + epoch) % n);

export interface SimulationSetting {
  readonly backend: Backend;
  readonly communicationRounds: number;
  readonly together?: number;
  readonly trim?: boolean;
}

export const simulationOf = ({ model, data, params, local }: Workload, setting: SimulationSetting) =>
  createSimulation({
    model,
    data,
    params,
    local,
    order,
    formulation: resilient({ level: 0.01, dualRate: 2, cost: relaxationCost({ alpha: 2 }) }),
    ...setting,
  });

/** Arrays in the order the peer reads them: pictures, labels, then weight and bias of each layer. */
export const arraysOf = ({ data, params }: Workload): NdArray[] => [
  data.train.x,
  data.train.y,
  ...params.flatMap(({ weight, bias }) => [weight, bias]),
];

export const parametersOf = ({ params }: Workload): number =>
  leaves(params).reduce((sum, { leaf }) => sum + (leaf as NdArray).size, 0);
