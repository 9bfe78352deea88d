// Two views of the compromise. The price curve: how relaxations and prices move as relaxing gets dearer. The perturbation
// function P*(u): the best objective once the levels are relaxed by u and must then hold, with the equilibrium on it.

import type { Certificate } from "../certificate/certificate.js";
import { onNumbers } from "../costs/numbers.js";
import { PliantError, positive, unknownName } from "../errors.js";
import { onItsSide } from "../layout/overrides.js";
import type { Problem } from "../problem/problem.js";
import type { SolveOptions } from "../solver/options.js";
import { afresh, solveWith } from "../solver/solve.js";
import { createSolver } from "../solver/solver.js";
import type { SolverState } from "../solver/state.js";

/** One solution on the price curve; numbers of a requirement on every example are sums, as in a report. */
export interface PricePoint<Names extends string, Params = unknown> {
  /** What the problem's costs were multiplied by. */
  readonly factor: number;
  readonly objective: number;
  readonly relaxations: Readonly<Record<Names, number>>;
  readonly prices: Readonly<Record<Names, number>>;
  readonly certificate: Certificate;
  readonly params: Params;
  /** Steps from the solution before. */
  readonly steps: number;
}

/**
 * Solves the problem with its costs times each factor in turn, each from the solution before: with the cost quadratic(1)
 * a sweep over α. `steps` is the most for one point. Neighbouring factors cost the fewest steps.
 */
export async function priceCurve<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  factors: readonly number[],
  options: SolveOptions<D, P>,
): Promise<PricePoint<N, P>[]> {
  const solver = await createSolver(task, options);
  const points: PricePoint<N, P>[] = [];
  let state = options.state;
  for (const factor of factors) {
    positive("priceCurve: a factor", factor);
    const from = state && afresh(solver, state);
    const found = await solveWith(solver, { ...options, state: from }, solver.terms({ factor }));
    const { objective, requirements, certificate } = found.report;
    const each = (key: "relaxation" | "price") => mapRecord(requirements, (r) => r[key]);
    points.push({
      factor,
      objective,
      relaxations: each("relaxation"),
      prices: each("price"),
      certificate,
      params: found.params,
      steps: found.steps,
    });
    state = found.state;
  }
  return points;
}

/** How far the levels of some requirements are moved by one unit along the line. */
export type Direction<Names extends string> = Readonly<Partial<Record<Names, number>>>;

/** A point of P* along the line. It is P* only where the certificate holds; where it does not, u may be out of reach. */
export interface PerturbationPoint {
  /** Where on the line: the relaxation of the one requirement, or the distance from the equilibrium along a direction. */
  readonly at: number;
  /** P*(u). */
  readonly objective: number;
  /** −dP*: what the objective gains from a little more relaxation along the line. Non-increasing. */
  readonly price: number;
  /** h(u), and its slope along the line. Non-decreasing; the equilibrium is where it meets the price. */
  readonly cost: number;
  readonly costSlope: number;
  readonly certificate: Certificate;
}

/** P*(u) along a line of relaxations, as measured: the paper's first figure of a problem. */
export interface PerturbationCurve {
  readonly points: readonly PerturbationPoint[];
  /** The resilient equilibrium, on the same line. */
  readonly equilibrium: PerturbationPoint;
}

/**
 * P* on a line through the resilient equilibrium u*. For the name of a requirement the grid holds its relaxations, the
 * others keeping theirs; for a direction d it holds t in u = u* + t·d. A point is solved with its levels relaxed by u and
 * nothing more to give, starting from its neighbour on the side of the equilibrium; of an equality it is P* as far as its price
 * keeps its sign.
 */
export async function perturbation<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  line: N | Direction<N>,
  grid: readonly number[],
  options: SolveOptions<D, P>,
): Promise<PerturbationCurve> {
  const direction = directionOf(task, line);
  const solver = await createSolver(task, options);
  const { arranged } = solver;
  if (typeof line === "string" && arranged.sizes[line] !== 1) {
    throw new PliantError(
      `${line} has ${arranged.sizes[line]} relaxations; move them together with the direction { ${line}: 1 }.`,
    );
  }
  const centre = await solveWith(solver, options);
  const resilient = arranged.owned(centre.state.relaxations);
  const pulls = arranged.owned(centre.state.prices, "prices");
  /** An equality on the side that it gave way to. */
  const sided = (amounts: Record<N, number[]>): Record<N, number[]> =>
    mapRecord(amounts, (own, name) => onItsSide(task.requirements[name], pulls[name], own));
  const start = typeof line === "string" ? centre.report.requirements[line].relaxation : 0;

  const relaxed = (at: number): Record<N, number[]> =>
    mapRecord(resilient, (u, name) =>
      u.map((x) => (name === line ? at : x + (typeof line === "string" ? 0 : at * (direction[name] ?? 0)))),
    );
  const along = (at: number, state: SolverState) => {
    const there = relaxed(at);
    const u = arranged.vectors((name) => there[name].map((x) => x / (task.requirements[name].unit ?? 1)));
    const costs = arranged.costs.map((cost) => onNumbers(cost));
    const slopes = costs.map((cost, i) => ({ data: cost.gradient(u[i].data as Float64Array) }));
    return {
      at,
      price: dot(direction, sided(arranged.owned(state.prices, "prices"))),
      cost: costs.reduce((total, cost, i) => total + cost.value(u[i].data as Float64Array), 0),
      costSlope: dot(direction, arranged.owned(slopes, "prices")),
    };
  };
  const solveAt = async (at: number, from: SolverState) => {
    const terms = solver.terms({
      relaxed: sided(relaxed(at)),
      insist: Object.keys(task.requirements) as N[],
    });
    const found = await solveWith(solver, { ...options, state: afresh(solver, from) }, terms);
    const { objective, certificate } = found.report;
    return { state: found.state, point: { ...along(at, found.state), objective, certificate } };
  };

  const points = new Map<number, PerturbationPoint>();
  const upward = grid.filter((at) => at >= start).sort((a, b) => a - b);
  const downward = grid.filter((at) => at < start).sort((a, b) => b - a);
  for (const side of [upward, downward]) {
    let from: SolverState = { ...centre.state, relaxations: arranged.vectors(() => 0) };
    for (const at of side) {
      const { state, point } = await solveAt(at, from);
      points.set(at, point);
      // Prices of levels out of reach only grow: no place to start from.
      if (point.certificate.holds) from = state;
    }
  }
  const { objective, certificate } = centre.report;
  return {
    points: grid.map((at) => points.get(at)!),
    equilibrium: { ...along(start, centre.state), objective, certificate },
  };
}

function directionOf<P, D, M, N extends string>(
  { requirements }: Problem<P, D, M, N>,
  line: N | Direction<N>,
): Direction<N> {
  const direction = typeof line === "string" ? ({ [line]: 1 } as Direction<N>) : line;
  const known = Object.keys(requirements);
  for (const name of Object.keys(direction))
    if (!known.includes(name)) throw unknownName("a requirement", name, known);
  return direction;
}

function mapRecord<N extends string, A, B>(
  record: Readonly<Record<N, A>>,
  f: (a: A, name: N) => B,
): Record<N, B> {
  return Object.fromEntries(
    Object.entries<A>(record).map(([name, value]) => [name, f(value, name as N)]),
  ) as Record<N, B>;
}

/** Σ over names of dᵢ times the sum of what the name has. */
const dot = <N extends string>(
  direction: Direction<N>,
  values: Readonly<Record<N, readonly number[]>>,
): number =>
  Object.entries<number | undefined>(direction).reduce(
    (total, [name, d = 0]) => total + d * values[name as N].reduce((a, b) => a + b, 0),
    0,
  );
