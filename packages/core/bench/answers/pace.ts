// npm run bench -- answers --pace: seconds to a certified answer beside Cooper, SLSQP and CVXPY, on six problems of this benchmark.
// Imports are not counted. Each library solves a problem once before it is timed; then the median of three, with CPU seconds beside, which
// other processes lengthen less. Pliant states nothing anew but traces and optimises each time; programs that its back end compiled for the
// first solve are found again (`first` has the time of that one). Cooper compiles nothing: it states the problem anew, and has the best of
// 24 settings for each problem, which no user knows beforehand; it runs until its objective and prices are as near to the exact answer,
// which it is given, as Pliant's certificate says. SLSQP and CVXPY run at their own accuracy. Without a Python that has them
// (PLIANT_PYTHON) Pliant runs alone.
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { solve } from "@pliant/core";
import type { NdArray } from "@pliant/engine";
import { classics } from "./classics.js";
import type { Answer, Case } from "./problem.js";
import { programmes } from "./programmes.js";

const python = process.env.PLIANT_PYTHON ?? "python3";
const chosen = [
  "QP, 2 equalities",
  "QP, rows over 1e6 (41)",
  "QP, 150 × 40",
  "QP, parameters in 1e0",
  "LP, 8 × 12",
  "entropy of a loaded die",
];
const peers = ["cooper", "slsqp", "cvxpy"] as const;
/** Cooper's settings end after so many iterations or seconds. */
const limits = { tolerance: 3e-3, limit: 20_000, seconds: 10 };
const runs = 3;

interface Paced {
  readonly seconds: number | null;
  /** Of one thread or several, which other processes do not lengthen. */
  readonly cpuSeconds?: number;
  readonly objective?: number | null;
  readonly iterations?: number;
  readonly settings?: string;
}

export async function paces(): Promise<Record<string, unknown>> {
  const all = [...programmes(), ...classics()];
  const cases = chosen.map((name) => {
    const found = all.find((one) => one.name === name);
    if (!found) throw new Error(`No problem is called ${name}.`);
    return found;
  });
  const modules = { cooper: "cooper", slsqp: "scipy", cvxpy: "cvxpy" };
  const have = peers.filter((peer) => spawnSync(python, ["-c", `import ${modules[peer]}`]).status === 0);
  for (const peer of peers)
    if (!have.includes(peer))
      console.error(`${python} has no ${modules[peer]}: it is left out of the table.`);
  const peer = have.length > 0 ? startPeer() : undefined;
  const rows = [];
  for (const one of cases) {
    const answer = one.answer as Answer;
    const row: Record<string, unknown> = { problem: one.name, pliant: await pliant(one) };
    for (const name of have) {
      const question = { peer: name, problem: numbersOf(one), start: startOf(one), ...limits };
      const prices = Object.values(answer.prices ?? {});
      row[name] = await peer!.ask({ ...question, answer: { objective: answer.objective, prices } });
    }
    rows.push(row);
    console.error(
      [one.name, ...["pliant", ...have].map((of) => `${of} ${shown(row[of] as Paced)}`)].join("  "),
    );
  }
  peer?.close();
  const faster = rows.filter(({ pliant: own, cooper }) => {
    const theirs = (cooper as Paced | undefined)?.seconds ?? Number.POSITIVE_INFINITY;
    return (own as Paced).seconds! < theirs;
  });
  return { limits, peers: have, fasterThanCooper: have.includes("cooper") ? faster.length : null, rows };
}

const shown = ({ seconds }: Paced): string =>
  seconds === null ? "not reached" : `${(1000 * seconds).toFixed(1)} ms`;

async function pliant({ task, data }: Case): Promise<Paced & { first: Paced; certified: boolean }> {
  const timed: { seconds: number; cpuSeconds: number }[] = [];
  let last: Awaited<ReturnType<typeof solve>> | undefined;
  for (let k = 0; k <= runs; k++) {
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    last = (await solve(task, { data } as never)) as never;
    const { user, system } = process.cpuUsage(cpu);
    timed.push({ seconds: (performance.now() - began) / 1000, cpuSeconds: (user + system) / 1e6 });
  }
  const [first, ...others] = timed;
  const median = others.sort((a, b) => a.seconds - b.seconds)[runs >> 1];
  const { certificate, report, steps } = last!;
  return { ...median, first, objective: report.objective, iterations: steps, certified: certificate.holds };
}

/** ½xᵀQx + cᵀx, Ax ≤ b, Ex = f; or the die. */
function numbersOf({ name, task, data }: Case): object {
  if (name.includes("die")) return { faces: [1, 2, 3, 4, 5, 6], mean: 4.5 };
  const { Q, c, A } = data as Record<string, NdArray>;
  const rows = A.toNested() as number[][];
  const asked = Object.values(
    task.requirements as unknown as Record<string, { sense: string; level: unknown }>,
  );
  const isEqual = asked.map(({ sense }) => sense === "equal to");
  const level = (i: number): number => Number(asked[i].level);
  const of = (equal: boolean): number[] => [...rows.keys()].filter((i) => isEqual[i] === equal);
  return {
    Q: Q.toNested(),
    c: c.toNested(),
    A: of(false).map((i) => rows[i]),
    b: of(false).map(level),
    E: of(true).map((i) => rows[i]),
    f: of(true).map(level),
  };
}

const startOf = ({ task }: Case): number[] =>
  Object.values(task.params as Record<string, NdArray>).flatMap(({ data }) => [...(data as Float64Array)]);

function startPeer() {
  const script = fileURLToPath(new URL("../../answers/pace.py", import.meta.url));
  const child = spawn(python, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ask: async (question: object): Promise<Paced> => {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error("The peers' process ended.");
      const answer = JSON.parse(value) as Paced & { error?: string };
      if (answer.error) throw new Error(`pace.py: ${answer.error}`);
      return answer;
    },
    close: () => child.stdin.end(),
  };
}
