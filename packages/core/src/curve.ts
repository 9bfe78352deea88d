// Two views of the compromise. The price curve: how relaxations and prices move as relaxing gets dearer. The perturbation
// function P*(u): the best objective once the levels are relaxed by u and must then hold, with the equilibrium on it.
import { array, constant, reference } from "@pliant/engine";
import type { Certificate } from "./certificate.js";
import { hard } from "./costs/linear.js";
import { onNumbers } from "./costs/numbers.js";
import { scaled } from "./costs/scaled.js";
import { PliantError } from "./errors.js";
import { type Layout, layoutOf } from "./layout.js";
import { type Problem, type Requirement, slackOf } from "./problem.js";
import { type SolveOptions, type SolverState, solve } from "./solver.js";

/** One solution on the price curve; numbers of a requirement on every example are sums, as in a report. */
export interface PricePoint<Names extends string> {
  /** What the problem's costs were multiplied by. */
  readonly factor: number;
  readonly objective: number;
  readonly relaxations: Readonly<Record<Names, number>>;
  readonly prices: Readonly<Record<Names, number>>;
  readonly certificate: Certificate;
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
  options: SolveOptions<D>,
): Promise<PricePoint<N>[]> {
  const points: PricePoint<N>[] = [];
  let state = options.state;
  for (const factor of factors) {
    const found = await solve(withCostsTimes(task, factor), { ...options, state: state && fromHere(state) });
    const { objective, requirements, certificate } = found.report;
    const each = (key: "relaxation" | "price") => mapRecord(requirements, (r) => r[key]);
    points.push({
      factor,
      objective,
      relaxations: each("relaxation"),
      prices: each("price"),
      certificate,
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

export interface PerturbationCurve {
  readonly points: readonly PerturbationPoint[];
  /** The resilient equilibrium, on the same line. */
  readonly equilibrium: PerturbationPoint;
}

/**
 * P* on a line through the resilient equilibrium u*. For the name of a requirement the grid holds its relaxations, the
 * others keeping theirs; for a direction d it holds t in u = u* + t·d. A point is solved with its levels relaxed by u and
 * nothing more to give, starting from its neighbour on the side of the equilibrium.
 */
export async function perturbation<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  line: N | Direction<N>,
  grid: readonly number[],
  options: SolveOptions<D>,
): Promise<PerturbationCurve> {
  const direction = directionOf(task, line);
  const layout = await layoutOf(task, options.data, options.backend ?? reference());
  if (typeof line === "string" && layout.sizes[line] !== 1) {
    throw new PliantError(
      `${line} has ${layout.sizes[line]} relaxations; move them together with the direction { ${line}: 1 }.`,
    );
  }
  const centre = await solve(task, options);
  const resilient = byName(layout, centre.state.relaxations);
  const prices = (state: SolverState) => byName(layout, state.prices);
  const start = typeof line === "string" ? centre.report.requirements[line].relaxation : 0;

  const relaxed = (at: number): Record<N, number[]> =>
    mapRecord(resilient, (u, name) =>
      u.map((x) => (name === line ? at : x + (typeof line === "string" ? 0 : at * (direction[name] ?? 0)))),
    );
  const along = (at: number, state: SolverState) => {
    const u = inGroups(layout, relaxed(at));
    const costs = layout.costs.map((cost) => onNumbers(cost));
    const slopes = inNames(
      layout,
      costs.map((cost, i) => cost.gradient(u[i])),
    );
    return {
      at,
      price: dot(direction, prices(state)),
      cost: costs.reduce((total, cost, i) => total + cost.value(u[i]), 0),
      costSlope: dot(direction, slopes),
    };
  };
  const solveAt = async (at: number, from: SolverState) => {
    const found = await solve(insisting(task, relaxed(at)), { ...options, state: fromHere(from) });
    const { objective, certificate } = found.report;
    return { state: found.state, point: { ...along(at, found.state), objective, certificate } };
  };

  const points = new Map<number, PerturbationPoint>();
  const upward = grid.filter((at) => at >= start).sort((a, b) => a - b);
  const downward = grid.filter((at) => at < start).sort((a, b) => b - a);
  for (const side of [upward, downward]) {
    let from: SolverState = { ...centre.state, relaxations: layout.vectors(() => 0) };
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
  for (const name of Object.keys(direction)) {
    if (!(name in requirements))
      throw new PliantError(
        `There is no requirement "${name}" to relax; there are ${Object.keys(requirements).join(", ")}.`,
      );
  }
  return direction;
}

const fromHere = (state: SolverState): SolverState => ({ ...state, step: 0 });

/** Requirements that bend share their groups as before, so a state of one problem is a state of the other. */
const withCostsTimes = <P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  factor: number,
): Problem<P, D, M, N> => ({
  ...task,
  cost: scaled(task.cost, factor),
  requirements: mapRecord(task.requirements, (r) => (r.cost ? { ...r, cost: scaled(r.cost, factor) } : r)),
});

/** The problem with its levels relaxed by u, each of which must then hold; grouped as before. */
const insisting = <P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  u: Readonly<Record<N, readonly number[]>>,
): Problem<P, D, M, N> => ({
  ...task,
  cost: hard,
  requirements: mapRecord(task.requirements, (r: Requirement<M, D>, name): Requirement<M, D> => {
    const { cost, hard: own } = r;
    return {
      ...r,
      sense: "at most",
      level: 0,
      loss: (model, data) => {
        const slack = slackOf(r, r.loss(model, data));
        return slack.sub(constant(array([...u[name]], { dtype: slack.dtype as "float32" | "float64" })));
      },
      hard: Boolean(cost || own),
    };
  }),
});

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

type Groups<N extends string> = Pick<Layout<unknown, unknown, N>, "groups" | "sizes">;

/** A vector a group, cut into what each name has. */
function inNames<N extends string>(
  { groups, sizes }: Groups<N>,
  vectors: readonly ArrayLike<number>[],
): Record<N, number[]> {
  const parts = {} as Record<N, number[]>;
  for (const [i, { names }] of groups.entries()) {
    let from = 0;
    for (const name of names) {
      parts[name] = Array.from(vectors[i]).slice(from, from + sizes[name]);
      from += sizes[name];
    }
  }
  return parts;
}

const byName = <N extends string>(layout: Groups<N>, vectors: SolverState["prices"]) =>
  inNames(
    layout,
    vectors.map(({ data }) => data),
  );

const inGroups = <N extends string>(
  { groups }: Groups<N>,
  parts: Readonly<Record<N, readonly number[]>>,
): number[][] => groups.map(({ names }) => names.flatMap((name) => [...parts[name]]));
