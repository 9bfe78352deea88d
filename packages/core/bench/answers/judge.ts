// Solves a case and compares every number that its report states with the exact answer.
import { createSolver, type Solution, type Solver, type SolverState, solveWith } from "@pliant/core";
import { mapTree, NdArray } from "@pliant/engine";
import { type Answer, type Case, drawing } from "./problem.js";

export type Verdict =
  | "certified right"
  | "certified wrong"
  | "solved, not certified"
  | "not solved"
  | "refused";

export interface Judged {
  readonly name: string;
  readonly family: string;
  readonly verdict: Verdict;
  readonly steps: number;
  readonly seconds: number;
  readonly short: readonly string[];
  /** The largest true error of a stated number, in units of its size, and the number it is of. */
  readonly worst: number;
  readonly of: string;
  readonly kind?: string;
  readonly perturbed: Perturbed;
}

/** Points a little off the answer. */
export interface Perturbed {
  readonly points: number;
  readonly certified: number;
  readonly wrong: number;
  /** Estimated over true errors of stated numbers that are off by more than rounding and less than a tenth. */
  readonly ratios: readonly number[];
}

interface Stated {
  readonly what: string;
  readonly value: number;
  readonly truth: number;
  /** The error that the report states. */
  readonly error?: number;
  /** What the number is measured by where it is about 0. */
  readonly size: number;
}

/** True errors below this share of a number's size are rounding. */
const rounding = { float32: 1e-5, float64: 1e-9 };
/** Solved means that every number is within this share of its size. */
const solved = 1e-2;
/** Shares by which parameters, prices and relaxations are moved off the answer. */
const shares = [1e-4, 1e-3, 3e-3, 1e-2];
const none: Perturbed = { points: 0, certified: 0, wrong: 0, ratios: [] };

const off = ({ value, truth }: Stated): number => Math.abs(value - truth);
const share = (s: Stated): number => off(s) / s.size;

export async function judge(one: Case, steps = 2000): Promise<Judged> {
  const { task, data, options = {}, answer, name, family } = one;
  const { steps: own = steps, ...given } = options as { steps?: number };
  const began = performance.now();
  const solver = (await createSolver(task, { data, ...given } as never)) as Solver<never, string>;
  const seconds = (): number => (performance.now() - began) / 1000;
  try {
    const found = (await solveWith(solver, { steps: own })) as Solution<never, string>;
    const { certificate } = found;
    const base = {
      name,
      family,
      steps: found.steps,
      seconds: seconds(),
      short: certificate.short,
      kind: certificate.kind,
    };
    if ("refuse" in answer)
      return {
        ...base,
        verdict: certificate.holds ? "certified wrong" : "refused",
        worst: Number.NaN,
        of: "",
        perturbed: none,
      };
    const nothing = Math.max(rounding[dtypeOf(task.params)], one.precision ?? 0);
    const numbers = statedIn(found, answer, one.size ?? 0);
    const worst = numbers.reduce((a, s) => (share(s) > share(a) || Number.isNaN(share(s)) ? s : a));
    const isSolved = numbers.every((s) => share(s) <= solved);
    const isRight = !isWrong(numbers, certificate.tolerance, nothing);
    const isWhole = (options as { batch?: unknown }).batch === undefined;
    return {
      ...base,
      verdict: certificate.holds
        ? isRight
          ? "certified right"
          : "certified wrong"
        : isSolved
          ? "solved, not certified"
          : "not solved",
      worst: share(worst),
      of: worst.what,
      perturbed: isSolved && isWhole ? await perturb(solver, found, one, nothing) : none,
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      name,
      family,
      steps: 0,
      seconds: seconds(),
      verdict: "refuse" in answer ? "refused" : "not solved",
      short: [message],
      worst: Number.NaN,
      of: "",
      perturbed: none,
    };
  } finally {
    solver.release();
  }
}

/** No stated number may be off by more than twice its stated error; one without a stated error by no more than the tolerance. */
const isWrong = (numbers: readonly Stated[], tolerance: number, nothing: number): boolean =>
  numbers.some((s) => !(off(s) <= 2 * (s.error ?? (tolerance / 2) * s.size) + nothing * s.size));

async function perturb(
  solver: Solver<never, string>,
  { state }: Solution<never, string>,
  { name, answer, size = 0 }: Case,
  nothing: number,
): Promise<Perturbed> {
  const { normal } = drawing([...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 1));
  let [points, certified, wrong] = [0, 0, 0];
  const ratios: number[] = [];
  for (const by of shares) {
    const moved = <T>(tree: T): T =>
      mapTree(tree, ({ data, shape, dtype }: NdArray) => {
        const next = Array.from(data as ArrayLike<number>, (x) => x * (1 + by * normal()));
        return new NdArray(dtype === "float64" ? Float64Array.from(next) : Float32Array.from(next), shape);
      }) as T;
    const there: SolverState = {
      ...state,
      params: moved(state.params),
      prices: moved([...state.prices]),
      relaxations: moved([...state.relaxations]),
    };
    const found = (await solver.inspect(there)) as Solution<never, string>;
    const numbers = statedIn(found, answer as Answer, size);
    points++;
    if (found.certificate.holds) {
      certified++;
      if (isWrong(numbers, found.certificate.tolerance, nothing)) wrong++;
    }
    for (const s of numbers)
      if (s.error !== undefined && Number.isFinite(s.error) && share(s) > 10 * nothing && share(s) < 0.1)
        ratios.push(s.error / off(s));
  }
  return { points, certified, wrong, ratios };
}

const dtypeOf = (params: unknown): "float32" | "float64" =>
  (Object.values(params as Record<string, NdArray>)[0] as NdArray).dtype as "float32" | "float64";

function statedIn({ report }: Solution<never, string>, answer: Answer, size: number): Stated[] {
  const { objective, requirements, certificate } = report;
  const list: Stated[] = [
    {
      what: "objective",
      value: objective,
      truth: answer.objective,
      error: certificate.objectiveError,
      size: Math.max(Math.abs(answer.objective), size) || 1,
    },
  ];
  const largest = Math.max(0, ...Object.values(answer.prices ?? {}).map(Math.abs));
  for (const [name, truth] of Object.entries(answer.prices ?? {})) {
    const { price, errors } = requirements[name];
    list.push({
      what: `price of ${name}`,
      value: price,
      truth,
      error: errors?.price,
      size: Math.abs(truth) || 1e-2 * largest || 1,
    });
  }
  for (const [name, truth] of Object.entries(answer.relaxations ?? {})) {
    const { relaxation, errors, level, reached } = requirements[name];
    const own = Math.max(...[level].flat().map(Math.abs), Math.abs(reached));
    list.push({
      what: `relaxation of ${name}`,
      value: relaxation,
      truth,
      error: errors?.relaxation,
      size: Math.abs(truth) || own || 1,
    });
  }
  return list;
}
