// npm run bench -- federated [--device cpu|cuda] [--only cnn,mlp] [--clients N] [--rounds N] [--together N] [--threads N] [--trim] [--precision tf32|bf16|float32] [--alone] [--memory] [--json]
// Client updates a second of the simulator, beside a straightforward PyTorch loop over the clients in the same run.
import { parseArgs } from "node:util";
import { open } from "@pliant/engine/device";
import { measureMemory } from "./memory.js";
import { runPeer, torchVersion } from "./peer.js";
import { createWorkload, type Name, published, simulationOf, type Workload } from "./workload.js";

interface Row {
  name: Name;
  device: string;
  clients: number;
  samples: number;
  /** Clients that advance at once. */
  together: number;
  clientUpdatesPerSecond: number;
  communicationRoundsPerSecond: number;
  /** Mean over all samples after the first round. */
  loss: number;
  /** Without a ratio where the losses differ: then it was other work. */
  pyTorch: { clientUpdatesPerSecond: number; loss: number; ratio: number | null } | null;
}

const { values: options } = parseArgs({
  options: {
    device: { type: "string", default: "cpu" },
    only: { type: "string", default: "cnn,mlp" },
    clients: { type: "string" },
    rounds: { type: "string" },
    together: { type: "string" },
    threads: { type: "string" },
    trim: { type: "boolean" },
    precision: { type: "string", default: "tf32" },
    alone: { type: "boolean", default: false },
    memory: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
/** Progress goes beside the JSON, not into it. */
const say = (text: string): void => (options.json ? console.error(text) : console.log(text));

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

function whole(name: "clients" | "rounds" | "together" | "threads", otherwise: number): number {
  const value = Number(options[name] ?? otherwise);
  if (!(Number.isInteger(value) && value >= 1)) refuse(`--${name} is a whole number of at least 1.`);
  return value;
}

if (options.device !== "cpu" && options.device !== "cuda")
  refuse(`--device is cpu or cuda, not ${options.device}.`);
const device = options.device;
const precision = options.precision as "tf32" | "bf16" | "float32";
if (!["tf32", "bf16", "float32"].includes(precision))
  refuse(`--precision is tf32, bf16 or float32, not ${precision}.`);
const names = options.only.split(",") as Name[];
for (const name of names)
  if (name !== "cnn" && name !== "mlp") refuse(`--only is cnn, mlp or both, not ${name}.`);

/** A communication round of the CNN takes a CPU about a second a client. */
const clients = whole("clients", device === "cuda" ? 100 : 8);
const rounds = whole("rounds", device === "cuda" ? 4 : 1);
/** As published; on a CPU one, to be done. */
const communicationRounds = device === "cuda" ? 5 : 1;
const together = options.together === undefined ? undefined : whole("together", 1);
/** Of ONNX Runtime; default: all cores. */
const threads = options.threads === undefined ? undefined : whole("threads", 1);

/** Seconds a communication round, the losses of a dual round included, and the loss after the first dual round. */
async function ours(workload: Workload) {
  const backend = await open(device, { threads, precision });
  try {
    const setting = { backend, communicationRounds, together, trim: options.trim };
    const simulation = simulationOf(workload, setting);
    // Nothing is priced in the first round: its weights are 1, as the peer's are.
    let { state } = await simulation.round(simulation.init());
    const { loss } = await simulation.evaluateTrain(state);
    const from = performance.now();
    for (let r = 0; r < rounds; r++) state = (await simulation.round(state)).state;
    // What a round leaves behind is done once its model has been read.
    await simulation.evaluateTrain(state);
    return {
      together: simulation.together,
      seconds: (performance.now() - from) / 1000 / (rounds * communicationRounds),
      loss: loss.reduce((a, b) => a + b, 0) / loss.length,
    };
  } finally {
    await backend.close();
  }
}

async function measure(name: Name, torch: string | undefined): Promise<Row> {
  const workload = createWorkload(name, { clients, ...published });
  const { together, seconds, loss } = await ours(workload);
  const theirs = torch
    ? runPeer(workload, { device, before: communicationRounds, rounds: Math.min(2, rounds) })
    : undefined;
  return {
    name,
    device,
    clients,
    samples: workload.samples,
    together,
    clientUpdatesPerSecond: clients / seconds,
    communicationRoundsPerSecond: 1 / seconds,
    loss,
    pyTorch: theirs
      ? {
          clientUpdatesPerSecond: clients / theirs.seconds,
          loss: theirs.loss,
          ratio: Math.abs(loss - theirs.loss) <= 2e-3 * theirs.loss ? theirs.seconds / seconds : null,
        }
      : null,
  };
}

if (options.memory) {
  const found = await measureMemory({
    device,
    threads,
    clients: whole("clients", 10_000),
    rounds: whole("rounds", 20),
    say,
  });
  console.log(
    options.json ? JSON.stringify(found, null, 2) : `peak resident memory ${found.peakGiB.toFixed(2)} GiB`,
  );
} else {
  const torch = options.alone ? undefined : torchVersion();
  say(
    options.alone
      ? "not beside PyTorch, as asked"
      : torch
        ? `beside PyTorch ${torch}, one client after another`
        : "python3 has no PyTorch here, so there are no ratios (pip install torch)",
  );
  const rows: Row[] = [];
  for (const name of names) {
    const row = await measure(name, torch);
    rows.push(row);
    const theirs = row.pyTorch;
    say(
      `${name}  ${row.clients} clients × ${row.samples} samples × ${published.epochs} epochs, ${row.together} together: ${row.clientUpdatesPerSecond.toFixed(1)} client updates/s, ${row.communicationRoundsPerSecond.toFixed(3)} rounds/s` +
        (theirs
          ? `; ${theirs.ratio?.toFixed(2) ?? "no ratio"} × PyTorch's ${theirs.clientUpdatesPerSecond.toFixed(1)}; loss after the first round ${row.loss.toFixed(5)} here, ${theirs.loss.toFixed(5)} there`
          : ""),
    );
  }
  if (options.json)
    console.log(JSON.stringify({ torch: torch ?? null, node: process.version, workloads: rows }, null, 2));
}
