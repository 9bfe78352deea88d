// Ten sites on MNIST, in the open and with secure sums, beside Flower with and without SecAgg+: the same data, model, local steps and rounds.
import { fork, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dataFolder } from "@pliant/data";
import {
  certificateFingerprint,
  coordinate,
  digest,
  embeddedServer,
  fileLedger,
  folderBlobs,
  newCertificate,
} from "@pliant/federation";
import { accuracyOf, samples, sites, specOf } from "./flower-task.js";

export interface Measured {
  readonly roundsPerSecond: number;
  readonly firstRoundSeconds: number;
  readonly accuracy: number;
  readonly clients: number;
}

async function ours(rounds: number, kind: "secure" | "plain"): Promise<Measured> {
  const out = mkdtempSync(join(tmpdir(), "pliant-flower-"));
  const spec = specOf(rounds, kind);
  const ledger = fileLedger(join(out, "ledger.log"));
  const script = new URL("./flower-site.js", import.meta.url).pathname;
  const children = Array.from({ length: sites }, (_, site) =>
    fork(script, [JSON.stringify({ site, rounds, kind })]),
  );
  try {
    for (const [site, child] of children.entries()) {
      const { key } = await new Promise<{ key: string }>((resolve) =>
        child.once("message", (m) => resolve(m as { key: string })),
      );
      await ledger.invite(`site-${site}`, digest(`${site}`), Number.MAX_VALUE);
      await ledger.join(`site-${site}`, digest(`${site}`), key, 0);
    }
    const certificate = newCertificate();
    const blobs = folderBlobs(join(out, "blobs"));
    const server = await embeddedServer({
      run: "mnist",
      spec,
      ledger,
      blobs,
      certificate,
      host: "127.0.0.1",
      port: 0,
    });
    const fingerprint = certificateFingerprint(certificate.cert);
    for (const child of children)
      child.send({ host: "127.0.0.1", port: server.port, fingerprint, run: "mnist" });
    const roster = await server.roster();
    const begun = performance.now();
    const ends: number[] = [];
    let counted = 0;
    const { state } = await coordinate({
      run: "mnist",
      spec,
      roster,
      ledger,
      blobs,
      bus: server.bus,
      patience: { training: 300_000, answer: 120_000 },
      onCommitted: ({ survivors }) => {
        ends.push(performance.now());
        counted = survivors.length;
      },
    });
    await server.close();
    return {
      roundsPerSecond: (1000 * (rounds - 1)) / (ends.at(-1)! - ends[0]),
      firstRoundSeconds: (ends[0] - begun) / 1000,
      accuracy: await accuracyOf(state.params),
      clients: counted,
    };
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await ledger.close();
    rmSync(out, { recursive: true, force: true });
  }
}

function flower(python: string, rounds: number, kind: "plain" | "secaggplus"): Measured {
  const folder = mkdtempSync(join(tmpdir(), "pliant-flower-"));
  const file = join(folder, "result.json");
  const script = new URL("../flower.py", import.meta.url).pathname;
  const args = [script, join(dataFolder(), "mnist"), file, String(rounds), String(samples), kind];
  const { status, stderr } = spawnSync(python, args, {
    encoding: "utf8",
    env: { ...process.env, OMP_NUM_THREADS: "1", FLWR_TELEMETRY_ENABLED: "0" },
  });
  if (status !== 0) throw new Error(`Flower ended with ${status}: ${stderr.slice(-500)}`);
  const measured = JSON.parse(readFileSync(file, "utf8")) as Measured;
  rmSync(folder, { recursive: true });
  return measured;
}

export interface FlowerOptions {
  /** With flwr[simulation]; without it only ours is measured. */
  readonly python: string | undefined;
  readonly rounds: number;
  readonly only?: string;
}

export async function measureFlower({ python, rounds, only }: FlowerOptions) {
  const measured: Record<string, Measured> = {};
  const ways: Record<string, () => Measured | Promise<Measured>> = {
    pliantPlain: () => ours(rounds, "plain"),
    pliantSecure: () => ours(rounds, "secure"),
    ...(python !== undefined && {
      flowerPlain: () => flower(python, rounds, "plain"),
      flowerSecAggPlus: () => flower(python, rounds, "secaggplus"),
    }),
  };
  for (const [name, measure] of Object.entries(ways)) {
    if (only !== undefined && only !== name) continue;
    measured[name] = await measure();
    console.error(name, measured[name]);
  }
  return { sites, samples, rounds, model: "MLP 784-128-10", ...measured };
}
