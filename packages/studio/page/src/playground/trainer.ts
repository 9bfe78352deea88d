// Trains the playground's problem a few steps at a time, beside the page, by the library's own solver. What changes on the
// page is taken up where training stands; at rest, it works out what each requirement would gain from giving way more.
import { createSolver, type Solution, type Solver, type SolverState, solveWith } from "@pliant/core";
import {
  type Description,
  mostSteps,
  type Name,
  names,
  optionsFor,
  type Params,
  problemOf,
} from "./problem.js";

export interface Asked {
  readonly id: number;
  readonly description: Description;
  /** Forgets what was learnt. */
  readonly afresh: boolean;
}

export interface Standing {
  readonly relaxation: number;
  readonly price: number;
  /** What is counted. */
  readonly strict: number;
  /** The loss that stands in for it. */
  readonly loss: number;
}

export interface Told {
  readonly kind: "trained";
  readonly id: number;
  readonly objective: number;
  readonly weights: readonly number[];
  readonly requirements: Readonly<Record<Name, Standing>>;
  readonly certified: boolean;
  /** Nothing more will be told of this but the sensitivities. */
  readonly done: boolean;
}

/** What one more unit of relaxation gains, at some relaxations. */
export interface Sensitivity {
  readonly kind: "sensitivity";
  readonly id: number;
  readonly name: Name;
  readonly x: readonly number[];
  readonly y: readonly number[];
}

export interface Failed {
  readonly kind: "failed";
  readonly id: number;
  readonly message: string;
}

export type Message = Told | Sensitivity | Failed;

/** Few steps at a time while the line is seen to move, more once it hardly does. */
const chunkAfter = (steps: number): number => (steps < 150 ? 10 : 100);

/** Lets messages in. */
const pause = (): Promise<void> => new Promise((done) => setTimeout(done));

/** Answers to descriptions, of which the latest counts. `tell` hears of each few steps. */
export function createTrainer(tell: (message: Message) => void): (asked: Asked) => void {
  let latest = -1;
  let state: SolverState | undefined;

  async function train({ id, description, afresh: anew }: Asked): Promise<void> {
    if (anew) state = undefined;
    const problem = problemOf(description);
    const options = optionsFor(description.points);
    const solver = await createSolver(problem, options);
    const found = await trainBy(solver, id).finally(() => solver.release());
    if (!found?.certificate.holds) return;
    // A drawn curve needs fewer digits than a printed number, and nobody watches its steps: the default ones are the fastest.
    const curves = await createSolver(problem, { data: options.data, tolerance: 1e-3 });
    try {
      for (const name of names) await sense({ id, name, solver: curves, found });
    } finally {
      curves.release();
    }
  }

  /** The last state, unless a newer description came in between. */
  async function trainBy(
    solver: Solver<Params, Name>,
    id: number,
  ): Promise<Solution<Params, Name> | undefined> {
    if (latest !== id) return undefined;
    let found = await solver.inspect(state ?? solver.initial);
    for (let done = false; !done; ) {
      if (!found.certificate.holds) found = await solver.next(found, chunkAfter(found.steps));
      if (latest !== id) return undefined;
      state = { ...found.state, step: 0 };
      const certified = found.certificate.holds;
      done = certified || found.steps >= mostSteps;
      const { objective, requirements } = found.report;
      const standing = (name: Name): Standing => {
        const { relaxation, price, reached, strict = Number.NaN, ...more } = requirements[name];
        return { relaxation, price, strict, loss: "loss" in more ? Number(more.loss) : reached };
      };
      tell({
        kind: "trained",
        id,
        objective,
        weights: Array.from(found.params.weights.data),
        requirements: { "sick missed": standing("sick missed"), "false alarms": standing("false alarms") },
        certified,
        done,
      });
      await pause();
      if (latest !== id) return undefined;
    }
    return found;
  }

  /** The price at relaxations around the equilibrium, where the requirement could then hold: a slope of P*(u). */
  async function sense({
    id,
    name,
    solver,
    found: {
      state: { params, prices },
      report,
    },
  }: {
    id: number;
    name: Name;
    solver: Solver<Params, Name>;
    found: Solution<Params, Name>;
  }): Promise<void> {
    const given = (of: Name): number => report.requirements[of].relaxation;
    const state = { ...solver.initial, params, prices };
    const found = new Map([[given(name), report.requirements[name].price]]);
    for (const u of offsetsTried.map((offset) => given(name) + offset).filter((at) => at >= 0)) {
      const relaxed = Object.fromEntries(names.map((of) => [of, [of === name ? u : given(of)]]));
      const { certificate, report: there } = await solveWith(
        solver,
        { state },
        solver.terms({ relaxed, insist: names }),
      );
      if (latest !== id) return;
      if (certificate.holds) found.set(u, Math.max(0, there.requirements[name].price));
      const inOrder = [...found].sort(([a], [b]) => a - b);
      tell({
        kind: "sensitivity",
        id,
        name,
        x: inOrder.map(([at]) => at),
        y: inOrder.map(([, price]) => price),
      });
      await pause();
      if (latest !== id) return;
    }
  }

  return (asked) => {
    latest = asked.id;
    train(asked).catch((reason) => {
      if (latest === asked.id)
        tell({ kind: "failed", id: asked.id, message: String(reason?.message ?? reason) });
    });
  };
}

/** Around the equilibrium, where the curve bends, the nearest first, so that it shows early. */
const offsetsTried = [0.02, -0.02, 0.05, -0.05, 0.01, -0.01, 0.1, -0.1, 0.035, 0.2, -0.2];
