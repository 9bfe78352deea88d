// Eight sites over loopback, each with a connection of its own: rounds a minute with all of them, and from the moment on at which
// one is lost.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { checkSpec, invite, join, serve } from "@pliant/federation";

const names = Array.from({ length: 8 }, (_, i) => `site-${i}`);
const seconds = 60;

async function roundsAMinute(loses: boolean): Promise<number> {
  const folder = mkdtempSync(path(tmpdir(), "pliant-lost-"));
  const spec = checkSpec({
    name: "lost",
    data: { features: ["a", "b"], label: "y", classes: ["no", "yes"] },
    sites: { number: names.length, loss: "mean + 0.05" },
    training: { rounds: 100_000, communicationRounds: 2, rate: 0.1 },
  });
  const out = path(folder, "coordinator");
  const stop = new AbortController();
  const gone = new AbortController();
  let done = 0;
  try {
    let listening = () => {};
    const listens = new Promise<void>((resolve) => {
      listening = resolve;
    });
    const ending = [
      serve({
        ...{ spec, out, signal: stop.signal, onListening: () => listening() },
        onCommitted: (_, rounds) => {
          done = rounds;
        },
      }),
    ].map((one) => one.catch(() => {}));
    await listens;
    for (const [i, name] of names.entries()) {
      const data = path(folder, `${name}.csv`);
      const lines = Array.from(
        { length: 64 },
        (_, k) => `${Math.sin(k + i)},${Math.cos(3 * k)},${k % 2 ? "yes" : "no"}`,
      );
      writeFileSync(data, `a,b,y\n${lines.join("\n")}\n`);
      const signal = i === 3 ? AbortSignal.any([stop.signal, gone.signal]) : stop.signal;
      ending.push(
        join({ code: await invite(out, name), data, out: path(folder, name), signal }).then(
          () => {},
          () => {},
        ),
      );
    }
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    while (done < 3) await pause(50);
    if (loses) gone.abort(new Error("lost"));
    const before = done;
    await pause(1000 * seconds);
    const rate = ((done - before) * 60) / seconds;
    stop.abort(new Error("measured"));
    await Promise.all(ending);
    return rate;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function measureLost() {
  const undisturbed = await roundsAMinute(false);
  const lost = await roundsAMinute(true);
  return { sites: names.length, seconds, undisturbed, lost, share: lost / undisturbed };
}
