// A load on one coordinator: seconds a round, its own processor time and memory, and whether anyone was lost.
import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Load, parametersOf, type Told } from "./load-problem.js";

interface Round extends Extract<Told, { kind: "round" }> {
  /** Of the process of all sites; in the first round with their start. */
  readonly sitesCpuSeconds: number;
}

export interface LoadResult {
  readonly sites: number;
  readonly parameters: number;
  /** Sites in a group with a secure sum of its own, at the least. */
  readonly group?: number;
  readonly droppedEachRound: number;
  readonly rounds: readonly Round[];
  readonly coordinatorMaxMemoryMB: number;
  /** Sites that were in no sum although they did not fall silent. */
  readonly lost: number;
  /** Attempts beyond one a round. */
  readonly repeated: number;
  readonly toldTheEnd: number;
}

export async function measureLoad(load: Load): Promise<LoadResult> {
  const out = mkdtempSync(join(tmpdir(), "pliant-load-"));
  mkdirSync(join(out, "blobs"));
  const script = (name: string) => new URL(`./${name}.js`, import.meta.url).pathname;
  const coordinator = fork(script("load-coordinator"), [JSON.stringify({ load, out })]);
  const rounds: Round[] = [];
  let sitesUsed = 0;
  let sites: ReturnType<typeof fork> | undefined;
  try {
    const done = await new Promise<Extract<Told, { kind: "done" }>>((resolve, reject) => {
      coordinator.on("exit", (code) => reject(new Error(`the coordinator ended with ${code}`)));
      coordinator.on("message", (told: Told) => {
        if (told.kind === "listening") {
          const { port, fingerprint } = told;
          sites = fork(script("load-sites"), [JSON.stringify({ load, port, fingerprint })]);
          sites.on("exit", (code) => code !== 0 && reject(new Error(`the sites ended with ${code}`)));
        } else if (told.kind === "round") {
          sites?.once("message", (used) => {
            const sitesCpuSeconds = Number(used) - sitesUsed;
            sitesUsed = Number(used);
            rounds.push({ ...told, sitesCpuSeconds });
            console.error(
              `round ${rounds.length}: ${told.seconds.toFixed(1)} s, processor time ${told.cpuSeconds.toFixed(1)} s of the coordinator and ${sitesCpuSeconds.toFixed(1)} s of the sites, ${told.survivors} sites`,
            );
          });
          sites?.send("cpu");
        } else {
          const whole = () => (rounds.length === load.rounds ? resolve(told) : setTimeout(whole, 50));
          whole();
        }
      });
    });
    const kept = load.sites - load.dropped;
    return {
      sites: load.sites,
      parameters: parametersOf(load),
      ...(load.group && { group: load.group }),
      droppedEachRound: load.dropped,
      rounds,
      coordinatorMaxMemoryMB: Math.round(done.maxMemoryMB),
      lost: rounds.reduce((sum, { survivors }) => sum + kept - survivors, 0),
      repeated: done.attempts - rounds.length,
      toldTheEnd: done.told,
    };
  } finally {
    sites?.kill("SIGKILL");
    coordinator.kill("SIGKILL");
    rmSync(out, { recursive: true, force: true });
  }
}
