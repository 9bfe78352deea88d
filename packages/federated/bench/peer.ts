// The PyTorch side of the benchmark: a loop over the clients, from the same weights on the same data in the same order.
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { batchSizes } from "@pliant/federated";
import { arraysOf, type Workload } from "./workload.js";

const python = process.env.PLIANT_PYTHON ?? "python3";

/** The version of PyTorch that python3 has, if any. */
export function torchVersion(): string | undefined {
  const { status, stdout } = spawnSync(python, ["-c", "import torch; print(torch.__version__)"], {
    encoding: "utf8",
  });
  return status === 0 ? stdout.trim() : undefined;
}

export interface PeerResult {
  /** Of a communication round. */
  readonly seconds: number;
  /** Mean over all samples after the communication rounds before the clock was started. */
  readonly loss: number;
}

export interface PeerOptions {
  readonly device: string;
  /** Communication rounds before the loss is taken, and those timed after. */
  readonly before: number;
  readonly rounds: number;
}

/** Runs the loop in a process of its own, after the other side is done. */
export function runPeer(workload: Workload, { device, before, rounds }: PeerOptions): PeerResult {
  const folder = mkdtempSync(join(tmpdir(), "pliant-bench-"));
  try {
    const file = join(folder, "arrays.bin");
    const arrays = arraysOf(workload);
    const handle = openSync(file, "w");
    for (const { data } of arrays) writeSync(handle, data);
    closeSync(handle);
    const { local, clients, samples } = workload;
    const input = {
      file,
      shapes: arrays.map(({ shape }) => shape),
      clients,
      samples,
      batch: batchSizes(samples, local)[0],
      epochs: local.epochs,
      rate: local.rate,
      clip: local.clip,
      decay: local.decay,
      before,
      rounds,
      device,
      threads: cpus().length,
    };
    const script = fileURLToPath(new URL("../peer.py", import.meta.url));
    const { status, stdout, stderr } = spawnSync(python, [script], {
      input: JSON.stringify(input),
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`PyTorch's side failed: ${stderr.trim().split("\n").at(-1)}`);
    return JSON.parse(stdout) as PeerResult;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
