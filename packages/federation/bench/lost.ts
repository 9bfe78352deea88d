// Eight sites as processes, over loopback: rounds a minute with all of them, and from the moment on at which one is killed. The
// two legs take turns in one run, so that whatever else the machine does falls on both.
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { checkSpec, invite, serve } from "@pliant/federation";

const names = Array.from({ length: 8 }, (_, i) => `site-${i}`);
const lost = names[3];
const seconds = 20;
const turns = 3;

const spec = checkSpec({
  name: "lost",
  data: { features: ["a", "b"], label: "y", classes: ["no", "yes"] },
  sites: { number: names.length, loss: "mean + 0.05" },
  training: { rounds: 100_000, communicationRounds: 2, rate: 0.1 },
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export async function measureLost() {
  const folder = mkdtempSync(path(tmpdir(), "pliant-lost-"));
  const out = path(folder, "coordinator");
  const stop = new AbortController();
  const processes = new Map<string, ChildProcess>();
  const start = (name: string, code = "") => {
    const script = new URL("./lost-site.js", import.meta.url).pathname;
    processes.set(name, fork(script, [path(folder, `${name}.csv`), path(folder, name), code]));
  };
  let done = 0;
  let counted: readonly string[] = [];
  let listening = () => {};
  const listens = new Promise<void>((resolve) => {
    listening = resolve;
  });
  const coordinator = serve({
    ...{ spec, out, signal: stop.signal, onListening: () => listening() },
    onCommitted: ({ survivors }, rounds) => {
      [counted, done] = [survivors, rounds];
    },
  }).catch(() => {});
  try {
    await listens;
    for (const [i, name] of names.entries()) {
      const lines = Array.from(
        { length: 64 },
        (_, k) => `${Math.sin(k + i)},${Math.cos(3 * k)},${k % 2 ? "yes" : "no"}`,
      );
      writeFileSync(path(folder, `${name}.csv`), `a,b,y\n${lines.join("\n")}\n`);
      start(name, await invite(out, name));
    }
    while (done < 3) await pause(50);
    const leg = async (): Promise<number> => {
      const before = done;
      await pause(1000 * seconds);
      return ((done - before) * 60) / seconds;
    };
    const roundsAMinute = { undisturbed: [] as number[], lost: [] as number[] };
    for (let turn = 0; turn < turns; turn++) {
      roundsAMinute.undisturbed.push(await leg());
      processes.get(lost)!.kill("SIGKILL");
      roundsAMinute.lost.push(await leg());
      if (turn === turns - 1) break;
      start(lost);
      while (!counted.includes(lost)) await pause(50);
    }
    const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
    const share = total(roundsAMinute.lost) / total(roundsAMinute.undisturbed);
    return { sites: names.length, seconds, roundsAMinute, share };
  } finally {
    for (const one of processes.values()) one.kill("SIGKILL");
    stop.abort(new Error("measured"));
    await coordinator;
    rmSync(folder, { recursive: true, force: true });
  }
}
