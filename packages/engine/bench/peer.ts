// The PyTorch side of the benchmark: a Python process that runs the same step from the same weights and data.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Workload } from "./workloads.js";

type Answer = { error?: string } & Record<string, unknown>;

export const python = process.env.PLIANT_PYTHON ?? "python3";

/** The version of PyTorch that python3 has, if any. */
export function torchVersion(): string | undefined {
  const { status, stdout } = spawnSync(python, ["-c", "import torch; print(torch.__version__)"], {
    encoding: "utf8",
  });
  return status === 0 ? stdout.trim() : undefined;
}

export class Peer {
  private readonly process: ChildProcess;
  private readonly answers: AsyncIterator<string>;
  private readonly folder = mkdtempSync(join(tmpdir(), "pliant-bench-"));
  threads = availableParallelism();

  constructor() {
    const script = fileURLToPath(new URL("../peer.py", import.meta.url));
    // Waiting threads that spin would take the core from the other side of the comparison.
    const env = { ...process.env, OMP_WAIT_POLICY: "PASSIVE" };
    this.process = spawn(python, [script], { stdio: ["pipe", "pipe", "inherit"], env });
    this.answers = createInterface({ input: this.process.stdout! })[Symbol.asyncIterator]();
  }

  private async ask(message: object): Promise<Answer> {
    this.process.stdin!.write(`${JSON.stringify(message)}\n`);
    const { value, done } = await this.answers.next();
    if (done) throw new Error("PyTorch's process ended");
    const answer = JSON.parse(value) as Answer;
    if (answer.error) throw new Error(`PyTorch: ${answer.error}`);
    return answer;
  }

  /** Loads a workload and takes the fastest of PyTorch's ways to run it. */
  async setup({ kind, params, x, y, rate }: Workload, device: string, bf16: boolean): Promise<string> {
    const file = join(this.folder, "arrays.bin");
    const arrays = [
      { name: "x", ...x, data: x.data },
      { name: "y", ...y, data: y.data },
    ];
    for (const [i, p] of params.entries()) arrays.push({ name: `p${i}`, ...p, data: p.data });
    writeFileSync(
      file,
      Buffer.concat(arrays.map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength))),
    );
    const manifest = arrays.map(({ name, shape, dtype }) => ({ name, shape, dtype }));
    const answer = await this.ask({
      cmd: "setup",
      workload: kind,
      device,
      threads: this.threads,
      file,
      manifest,
      lr: rate,
      autocast: bf16,
    });
    return JSON.stringify(answer.variant);
  }

  async losses(steps: number): Promise<number[]> {
    const { losses } = await this.ask({ cmd: "losses", steps });
    return (losses as (number | number[])[]).map((l) =>
      Array.isArray(l) ? l.reduce((a, b) => a + b, 0) : l,
    );
  }

  /** Seconds a step over a number of steps. */
  async time(steps: number, threads: number, warmup: number): Promise<number> {
    const { seconds } = await this.ask({ cmd: "time", steps, threads, warmup });
    return (seconds as number) / steps;
  }

  close(): void {
    this.process.stdin!.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
