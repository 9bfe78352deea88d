// node packages/engine/bench/dist/profile.js [--threads 1] A D …: where ONNX Runtime spends a step of each workload, by its own profiler:
// microseconds a step in each kind of operator and in the largest single ones, beside what a whole step takes.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loop, NdArray } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import ort from "onnxruntime-node";
import { createWorkload, type Workload } from "./workloads.js";

interface Event {
  cat: string;
  name: string;
  dur: number;
  args: { op_name?: string; input_type_shape?: Record<string, number[]>[] };
}

const { values: options, positionals: names } = parseArgs({
  options: { threads: { type: "string" } },
  allowPositionals: true,
});
const threads = options.threads === undefined ? undefined : Number(options.threads);
const steps = 50;
const folder = mkdtempSync(join(tmpdir(), "pliant-profile-"));

/** The runtime, its sessions profiled where they are asked for. */
const profiled = (name: string) => ({
  ...ort,
  InferenceSession: {
    create: (model: Uint8Array, options: object) =>
      ort.InferenceSession.create(model, {
        ...options,
        enableProfiling: true,
        profileFilePrefix: join(folder, name),
      }),
  },
});

async function trained(workload: Workload, name?: string): Promise<number> {
  const backend = await onnx({
    threads,
    ...(name === undefined ? {} : { runtime: profiled(name) as never }),
  });
  const train = loop(
    (s: Parameters<Workload["step"]>[0], d: Parameters<Workload["step"]>[1], _: unknown) =>
      workload.step(s, d),
    { backend },
  );
  const ticks = (n: number) => new NdArray(new Int32Array(n), [n]);
  const data = { x: workload.x, y: workload.y };
  let best = Infinity;
  for (let r = 0; r < (name === undefined ? 4 : 1); r++) {
    const from = process.hrtime.bigint();
    await train(workload.initial() as never, data as never, ticks(steps) as never);
    best = Math.min(best, Number(process.hrtime.bigint() - from) / 1e3 / steps);
  }
  await backend.close();
  return best;
}

const shapesOf = ({ input_type_shape = [] }: Event["args"]): string =>
  input_type_shape.map((typed) => `[${Object.values(typed)[0]}]`).join(" ");

interface Operator {
  readonly op: string;
  readonly what: string;
  /** The median over the steps: a step in which the machine did something else counts as any other. */
  readonly us: number;
}

function grouped<T>(list: readonly T[], of: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) groups.set(of(item), [...(groups.get(of(item)) ?? []), item]);
  return groups;
}

function operatorsOf(events: readonly Event[]): Operator[] {
  const named = grouped(events, ({ name }) => name);
  return [...named].map(([name, times]) => {
    const sorted = times.map(({ dur }) => dur).sort((a, b) => a - b);
    const { op_name: op = "?", ...args } = times[0].args;
    return {
      op,
      what: `${name.replace("_kernel_time", "")} ${shapesOf(args)}`,
      us: sorted[sorted.length >> 1],
    };
  });
}

for (const name of names) {
  const workload = createWorkload(name);
  const whole = await trained(workload);
  await trained(workload, `${name}-`);
  const kernels = readdirSync(folder)
    .filter((file) => file.startsWith(`${name}-`))
    .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as Event[])
    // The back end's own small sessions are profiled too.
    .reduce((a, b) => (b.length > a.length ? b : a))
    .filter(({ cat, name }) => cat === "Node" && name.endsWith("_kernel_time"));
  const operators = operatorsOf(kernels).sort((a, b) => b.us - a.us);
  const sum = (list: readonly Operator[]): number => list.reduce((total, { us }) => total + us, 0);
  console.log(
    `${name}: ${whole.toFixed(1)} µs a step, of which ${sum(operators)} µs in ${operators.length} operators`,
  );
  const kinds = [...grouped(operators, ({ op }) => op)].sort(([, a], [, b]) => sum(b) - sum(a));
  for (const [op, list] of kinds)
    console.log(`  ${String(sum(list)).padStart(8)} µs  ${String(list.length).padStart(3)} × ${op}`);
  console.log("  the largest:");
  for (const { what, us } of operators.slice(0, 12)) console.log(`  ${String(us).padStart(8)} µs  ${what}`);
}
rmSync(folder, { recursive: true });
