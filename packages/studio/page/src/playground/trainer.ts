// Trains the playground's problem a few steps at a time, beside the page, by the library's own solver. What changes on the
// page is taken up where training stands; at rest, it works out what each requirement would gain from giving way more.
import {
  afresh,
  type Certificate,
  createSolver,
  residualOf,
  type Solution,
  type Solver,
  type SolverState,
  solveWith,
} from "@pliant/core";
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

/** Of a curve that is drawn, less is asked than of numbers that are told. */
const settles = ({ certificate }: { certificate: Certificate }): boolean => residualOf(certificate) <= 1e-3;

/** Lets messages in. */
const pause = (): Promise<void> => new Promise((done) => setTimeout(done));

/** Answers to descriptions, of which the latest counts. `tell` hears of each few steps. */
export function createTrainer(tell: (message: Message) => void): (asked: Asked) => void {
  let latest = -1;
  let state: SolverState | undefined;

  async function train({ id, description, afresh: anew }: Asked): Promise<void> {
    if (anew) state = undefined;
    const solver = await createSolver(problemOf(description), optionsFor(description.points));
    try {
      await trainBy(solver, id);
    } finally {
      solver.release();
    }
  }

  async function trainBy(solver: Solver<Params, Name>, id: number): Promise<void> {
    if (latest !== id) return;
    let found = await solver.inspect(state ?? solver.initial);
    for (let done = false; !done; ) {
      if (!found.certificate.holds) found = await solver.next(found, chunkAfter(found.steps));
      if (latest !== id) return;
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
      if (latest !== id) return;
    }
    if (found.certificate.holds) for (const name of names) await sense({ id, name, solver, found });
  }

  /** The price at relaxations around the equilibrium, where the requirement could then hold: a slope of P*(u). */
  async function sense({
    id,
    name,
    solver,
    found: { state: equilibrium, report },
  }: {
    id: number;
    name: Name;
    solver: Solver<Params, Name>;
    found: Solution<Params, Name>;
  }): Promise<void> {
    const given = (of: Name): number => report.requirements[of].relaxation;
    const from = { ...afresh(solver, equilibrium), relaxations: solver.initial.relaxations };
    const prices = new Map([[given(name), report.requirements[name].price]]);
    for (const u of offsetsTried.map((offset) => given(name) + offset).filter((at) => at >= 0)) {
      const relaxed = Object.fromEntries(names.map((of) => [of, [of === name ? u : given(of)]]));
      const { certificate, report: there } = await solveWith(
        solver,
        { state: from, steps: 1500, every: 50, enough: settles },
        solver.terms({ relaxed, insist: names }),
      );
      if (latest !== id) return;
      if (settles({ certificate })) prices.set(u, Math.max(0, there.requirements[name].price));
      const inOrder = [...prices].sort(([a], [b]) => a - b);
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
