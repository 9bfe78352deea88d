// npm run bench -- engine [--json] [--device cpu|auto|cuda] [--only A,B32] [--alone]: training steps a second, beside PyTorch's in the
// same run, from the same weights on the same data. A ratio is printed only where the first losses agree. "auto" is for an XLA plugin
// for processors, which then runs beside ONNX Runtime.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { type Backend, loop, NdArray } from "@pliant/engine";
import { open } from "@pliant/engine/device";
import { Peer, torchVersion } from "./peer.js";
import { createWorkload, type Workload } from "./workloads.js";

interface Row {
  name: string;
  device: string;
  samplesPerSecond: number;
  ratioToPyTorch: number | null;
  losses: number[];
  pyTorchSamplesPerSecond: number | null;
  note?: string;
}

interface Plan {
  workload: string;
  precision: "tf32" | "bf16" | "float32";
  /** Steps in one call of the loop. */
  steps: number;
  rounds: number;
  /** Not beside PyTorch. */
  alone?: boolean;
}

type Measured = "cpu" | "auto" | "cuda";

const plans: Record<"cpu" | "cuda", Record<string, Plan>> = {
  cpu: {
    A: { workload: "A", precision: "float32", steps: 20, rounds: 7 },
    B32: { workload: "B32", precision: "float32", steps: 10, rounds: 7 },
    B28: { workload: "B28", precision: "float32", steps: 15, rounds: 7 },
    C: { workload: "C", precision: "float32", steps: 30, rounds: 7 },
    D: { workload: "D", precision: "float32", steps: 5000, rounds: 7 },
    F: { workload: "F", precision: "float32", steps: 1, rounds: 2 },
  },
  cuda: {
    A: { workload: "A", precision: "tf32", steps: 400, rounds: 5 },
    B32: { workload: "B32", precision: "tf32", steps: 400, rounds: 5 },
    "B32 bf16": { workload: "B32", precision: "bf16", steps: 400, rounds: 5 },
    "B32 batch 1000": { workload: "B32/1000", precision: "tf32", steps: 40, rounds: 5 },
    "B32 batch 1000 bf16": { workload: "B32/1000", precision: "bf16", steps: 40, rounds: 5 },
    B28: { workload: "B28", precision: "tf32", steps: 400, rounds: 5 },
    C: { workload: "C", precision: "tf32", steps: 400, rounds: 5 },
    D: { workload: "D", precision: "float32", steps: 2000, rounds: 5 },
    F: { workload: "F", precision: "tf32", steps: 20, rounds: 5 },
    "F bf16": { workload: "F", precision: "bf16", steps: 20, rounds: 5 },
    // In full precision: for the losses, which must be the CPU's.
    "A float32": { workload: "A", precision: "float32", steps: 20, rounds: 1, alone: true },
    "B32 float32": { workload: "B32", precision: "float32", steps: 20, rounds: 1, alone: true },
    "B32 batch 1000 float32": {
      workload: "B32/1000",
      precision: "float32",
      steps: 10,
      rounds: 1,
      alone: true,
    },
    "B28 float32": { workload: "B28", precision: "float32", steps: 20, rounds: 1, alone: true },
    "C float32": { workload: "C", precision: "float32", steps: 20, rounds: 1, alone: true },
    "F float32": { workload: "F", precision: "float32", steps: 5, rounds: 1, alone: true },
  },
};

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    device: { type: "string", default: "cpu" },
    only: { type: "string" },
    alone: { type: "boolean", default: false },
  },
});
/** Progress goes beside the JSON, not into it. */
const say = (text: string): void => (options.json ? console.error(text) : console.log(text));

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

/** One of our loops, ready to run: `round` takes n steps and answers with seconds a step. */
async function ours(workload: Workload, backend: Backend, steps: number) {
  const train = loop(
    (s: Parameters<Workload["step"]>[0], d: Parameters<Workload["step"]>[1], _: unknown) =>
      workload.step(s, d),
    { backend },
  );
  const data = { x: backend.put(workload.x), y: backend.put(workload.y) };
  const ticks = (n: number) => backend.put(new NdArray(new Int32Array(n), [n]));
  const initial = workload.initial();
  const start = {
    params: initial.params.map((p) => backend.put(p)),
    moments: initial.moments.map((m) => backend.put(m)),
  };
  const first = await train(start as never, data as never, ticks(5) as never);
  const losses = Array.from((await first.record.read()).data);
  const slices = ticks(steps);
  const round = async (): Promise<number> => {
    const from = process.hrtime.bigint();
    const { record } = await train(start as never, data as never, slices as never);
    await record.read();
    return Number(process.hrtime.bigint() - from) / 1e9 / steps;
  };
  await round();
  return { losses, round };
}

/** PyTorch at its better thread count. */
async function theirs(
  peer: Peer,
  steps: number,
  rounds: number,
  round: () => Promise<number>,
  device: string,
) {
  const counts = device === "cuda" ? [1] : [...new Set([1, availableParallelism()])];
  const best = new Map<number, number>();
  let mine = Infinity;
  for (let r = 0; r < rounds; r++) {
    mine = Math.min(mine, await round());
    for (const threads of counts) {
      best.set(
        threads,
        Math.min(best.get(threads) ?? Infinity, await peer.time(steps, threads, r === 0 ? 2 : 1)),
      );
    }
  }
  return { mine, theirs: Math.min(...best.values()) };
}

const agree = (a: readonly number[], b: readonly number[], tolerance: number): boolean =>
  a.every((v, i) => Math.abs(v - b[i]) <= tolerance * Math.max(1, Math.abs(b[i])));

async function measure(name: string, plan: Plan, device: Measured, peer?: Peer): Promise<Row> {
  const backend = await open(device, { precision: plan.precision });
  const workload = createWorkload(plan.workload);
  const { losses, round } = await ours(workload, backend, plan.steps);
  const rate = (seconds: number) => workload.samples / seconds;
  const alone = async (note?: string): Promise<Row> => {
    let best = Infinity;
    for (let r = 0; r < plan.rounds; r++) best = Math.min(best, await round());
    return {
      name,
      device,
      samplesPerSecond: rate(best),
      ratioToPyTorch: null,
      losses,
      pyTorchSamplesPerSecond: null,
      note,
    };
  };
  try {
    if (!peer || plan.alone) return await alone();
    const variant = await peer.setup(workload, device === "cuda" ? "cuda" : "cpu", plan.precision === "bf16");
    const tolerance = plan.precision === "float32" ? 1e-4 : plan.precision === "tf32" ? 1e-3 : 2e-2;
    if (!agree(losses, await peer.losses(5), tolerance))
      return await alone("the first losses differ from PyTorch's");
    const both = await theirs(peer, plan.steps, plan.rounds, round, device);
    return {
      name,
      device,
      samplesPerSecond: rate(both.mine),
      ratioToPyTorch: both.theirs / both.mine,
      losses,
      pyTorchSamplesPerSecond: rate(both.theirs),
      note: variant,
    };
  } finally {
    await backend.close();
  }
}

const { device } = options;
if (device !== "cpu" && device !== "auto" && device !== "cuda")
  refuse(`--device is cpu, auto or cuda, not ${device}.`);
const all = plans[device === "cuda" ? "cuda" : "cpu"];
const names = options.only?.split(",") ?? Object.keys(all);
for (const name of names)
  if (!all[name])
    refuse(`There is no workload ${name} on ${device}; there are ${Object.keys(all).join(", ")}.`);
const torch = options.alone ? undefined : torchVersion();
say(
  options.alone
    ? "not beside PyTorch, as asked"
    : torch
      ? `beside PyTorch ${torch}`
      : "python3 has no PyTorch here, so there are no ratios (pip install torch)",
);
const peer = torch ? new Peer() : undefined;
const rows: Row[] = [];
for (const name of names) {
  const row = await measure(name, all[name], device, peer);
  rows.push(row);
  const ratio =
    row.ratioToPyTorch === null
      ? "no ratio"
      : `${row.ratioToPyTorch.toFixed(2)} × PyTorch's ${Math.round(row.pyTorchSamplesPerSecond!).toLocaleString("en")}`;
  say(
    `${row.name.padEnd(24)} ${Math.round(row.samplesPerSecond).toLocaleString("en").padStart(14)} samples/s   ${ratio}   ${row.note ?? ""}`,
  );
}
peer?.close();
if (options.json)
  console.log(JSON.stringify({ torch: torch ?? null, node: process.version, workloads: rows }, null, 2));
