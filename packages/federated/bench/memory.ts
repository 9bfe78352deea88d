// How much memory ten thousand clients take.
import { open } from "@pliant/engine/device";
import { createWorkload, parametersOf, simulationOf } from "./workload.js";

export interface MemoryOptions {
  readonly device: "cpu" | "cuda";
  readonly threads?: number;
  readonly clients: number;
  readonly rounds: number;
  readonly say: (text: string) => void;
}

export interface MemoryResult {
  readonly clients: number;
  readonly samples: number;
  readonly rounds: number;
  readonly parameters: number;
  readonly seconds: number;
  readonly peakGiB: number;
}

/** Communication rounds of one epoch, in batches of ten, for clients of 50 samples each. */
export async function measureMemory({
  device,
  threads,
  clients,
  rounds,
  say,
}: MemoryOptions): Promise<MemoryResult> {
  const samples = 50;
  const workload = createWorkload("mlp", { clients, samples, epochs: 1, batch: 10 });
  const backend = await open(device, { threads });
  const from = performance.now();
  const seconds = () => (performance.now() - from) / 1000;
  const peakGiB = () => process.resourceUsage().maxRSS / 2 ** 20;
  try {
    const simulation = simulationOf(workload, { backend, communicationRounds: 1 });
    let state = simulation.init();
    for (let r = 1; r <= rounds; r++) {
      const done = await simulation.round(state);
      state = done.state;
      say(
        `round ${r}/${rounds}, mean loss ${done.metrics.meanLoss.toFixed(4)}, ${seconds().toFixed(0)} s, peak ${peakGiB().toFixed(2)} GiB`,
      );
    }
    return {
      clients,
      samples,
      rounds,
      parameters: parametersOf(workload),
      seconds: seconds(),
      peakGiB: peakGiB(),
    };
  } finally {
    await backend.close();
  }
}
