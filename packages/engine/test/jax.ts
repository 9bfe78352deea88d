// Runs StableHLO text with Python JAX on the CPU, where that is installed: a check of the emission that needs no GPU.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Data, type DType, NdArray, type Program } from "@pliant/engine";
import { afterAll } from "vitest";

const python = process.env.PLIANT_JAX_PYTHON ?? "python3";

interface Request {
  module: string;
  inputs: readonly NdArray[];
  outputs: Program["outputs"];
}

/** A Python process that answers one program after another, until the tests of the file that asks are over; absent without JAX. */
export async function openJax(name = "jax_run.py"): Promise<Jax | undefined> {
  const script = fileURLToPath(new URL(name, import.meta.url));
  const started = spawn(python, [script], { stdio: ["pipe", "pipe", "ignore"] });
  const answers = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  // Its first line says that there is JAX. Without Python there is no process.
  const hasJax = await Promise.race([
    answers.next().then(({ done }) => !done),
    once(started, "spawn").then(
      () => new Promise<never>(() => {}),
      () => false,
    ),
  ]);
  if (!hasJax) {
    console.log("Skipped: python3 has no jax here (pip install jax), so no StableHLO is run.");
    return undefined;
  }
  afterAll(() => void started.stdin.end());
  return new Jax(started, answers);
}

export class Jax {
  constructor(
    private readonly process: ChildProcess,
    private readonly answers: AsyncIterator<string>,
  ) {}

  async ask<T>(question: object): Promise<T> {
    this.process.stdin!.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await this.answers.next();
    if (done) throw new Error("JAX ended without an answer");
    return JSON.parse(value) as T;
  }

  async run({ module, inputs, outputs }: Request): Promise<NdArray[]> {
    const encoded = inputs.map(({ data, shape, dtype }) => ({
      dtype,
      shape,
      data: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64"),
    }));
    const answer = await this.ask<{ error?: string; outputs: { dtype: DType; data: string }[] }>({
      module,
      inputs: encoded,
    });
    if (answer.error) throw new Error(`${answer.error}\n${module}`);
    return answer.outputs.map(({ dtype, data }, i) => {
      const bytes = Uint8Array.from(Buffer.from(data, "base64"));
      const arrays = { float32: Float32Array, float64: Float64Array, int32: Int32Array, bool: Uint8Array };
      return new NdArray(new arrays[dtype](bytes.buffer) as Data, outputs[i].shape, dtype);
    });
  }
}
