// The soft-margin SVM, one requirement and one price an example, for more and more examples: seconds a step and memory. Each
// size runs in a process of its own, since memory once taken is rarely given back.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { atLeast, linear, minimise, sgd, solve } from "@pliant/core";
import { NdArray, random, type Tensor } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";

const dimensions = 20;
const gamma = 1;
const steps = 200;
const every = 50;

export interface SvmRow {
  examples: number;
  steps: number;
  /** Over the fastest quarter of the steps; a look at the certificate included. */
  secondsPerStep: number;
  /** By how much the process grew at its largest, from before it had any data. */
  grownBytes: number;
  /** What each example more than in the row before adds to a step, and to memory: the same in all rows if both are linear. */
  nanosecondsPerExample: number | null;
  bytesPerExample: number | null;
}
type Measured = Pick<SvmRow, "examples" | "secondsPerStep" | "grownBytes">;

/** Two Gaussian clouds that overlap, in float32; drawn in parts, so that the drawing takes no memory to speak of. */
function clouds(n: number): { x: NdArray; y: NdArray } {
  const x = new Float32Array(n * dimensions);
  const y = Float32Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1 : -1));
  const part = 1000 * dimensions;
  for (let at = 0; at < x.length; at += part) {
    const noise = random.normal(random.foldIn(random.key(1), at), [Math.min(part, x.length - at)]).data;
    x.set(noise as Float32Array, at);
  }
  for (let i = 0; i < x.length; i++) {
    x[i] += (0.8 * y[Math.floor(i / dimensions)]) / (1 + (i % dimensions));
  }
  return { x: new NdArray(x, [n, dimensions]), y: new NdArray(y, [n]) };
}

async function measure(examples: number): Promise<Measured> {
  const backend = await onnx();
  const run = async (n: number): Promise<number> => {
    const task = minimise({
      params: { w: new NdArray(new Float32Array(dimensions), [dimensions]) },
      forward: ({ w }: { w: Tensor }, { x }: { x: Tensor; y: Tensor }) => ({
        w,
        score: x.matmul(w.reshape([dimensions, 1])).reshape([n]),
      }),
      objective: ({ w }) => w.pow(2).mul(0.5).sum(),
    }).subjectTo({ margin: atLeast(1, ({ score }, { y }) => score.mul(y)) }, { cost: linear(gamma) });
    const seconds: number[] = [];
    let from = 0;
    await solve(task, {
      data: clouds(n),
      backend,
      optimizer: sgd(1 / n),
      dualRate: 0.2,
      steps: steps + every,
      every,
      tolerance: 0,
      onProgress: () => {
        seconds.push((performance.now() - from) / 1000);
        globalThis.gc?.();
        from = performance.now();
      },
    });
    // The first steps compile and warm up; of the rest the fastest part, since other work on the machine only slows.
    return Math.min(...seconds.slice(1)) / every;
  };
  await run(1000); // what any run needs, whatever its size, is no growth
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const secondsPerStep = await run(examples);
  const grownBytes = Math.max(0, process.resourceUsage().maxRSS * 1024 - before);
  return { examples, secondsPerStep, grownBytes };
}

/** Times a fixed number of steps for each number of examples, on the onnx back end in float32. */
export async function svmScaling(
  sizes: readonly number[] = [2000, 20_000, 100_000, 200_000],
  say: (line: string) => void = console.log,
): Promise<SvmRow[]> {
  say(`Soft-margin SVM, one price an example, ${dimensions} features, float32 on onnx: ${steps} steps.`);
  const row = (cells: readonly (string | number)[]): void =>
    say(cells.map((cell, i) => String(cell).padStart([8, 12, 8, 19, 22][i])).join("  "));
  row(["examples", "seconds/step", "grown MB", "ns per example more", "bytes per example more"]);
  const rows: SvmRow[] = [];
  for (const size of sizes) {
    const child = fork(fileURLToPath(import.meta.url), ["--examples", String(size)], {
      // What is no longer in use goes at once: memory then shows what is.
      execArgv: ["--expose-gc", "--max-semi-space-size=1"],
    });
    const ended = once(child, "exit");
    const message = await Promise.race([once(child, "message"), ended]);
    const measured = message[0] as Measured | number | null;
    if (measured === null || typeof measured === "number") {
      throw new Error(`The SVM with ${size} examples ended with ${measured}.`);
    }
    await ended;
    const { examples, secondsPerStep, grownBytes } = measured;
    const last = rows.at(-1);
    const more = last ? examples - last.examples : 0;
    const bytesPerExample = last ? (grownBytes - last.grownBytes) / more : null;
    const nanosecondsPerExample = last ? (1e9 * (secondsPerStep - last.secondsPerStep)) / more : null;
    rows.push({ examples, steps, secondsPerStep, nanosecondsPerExample, grownBytes, bytesPerExample });
    row([
      examples,
      secondsPerStep.toPrecision(3),
      (grownBytes / 1e6).toFixed(1),
      nanosecondsPerExample?.toFixed(1) ?? "",
      bytesPerExample?.toFixed(0) ?? "",
    ]);
  }
  const [first, last] = [rows[0], rows[rows.length - 1]];
  const times = (of: (row: SvmRow) => number): string => (of(last) / of(first)).toPrecision(3);
  say(
    `${times((r) => r.examples)} times the examples take ${times((r) => r.secondsPerStep)} times the time and ` +
      `${times((r) => r.grownBytes)} times the memory.`,
  );
  return rows;
}

// As the process of one size.
if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.send(await measure(Number(process.argv[3])));
  process.disconnect();
}
