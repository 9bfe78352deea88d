// Trains the playground's problem a few steps at a time, beside the page, by the library's own solver. What changes on the
// page is taken up where training stands; at rest, it works out what each requirement would gain from giving way more.
import { perturbation, type SolverState, solve } from "@pliant/core";
import { type Description, type Name, names, optionsFor, problemOf } from "./problem.js";

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
  let relaxations: Readonly<Record<Name, number>> = { "sick missed": 0, "false alarms": 0 };

  async function train({ id, description, afresh }: Asked): Promise<void> {
    const task = problemOf(description);
    const options = optionsFor(description.points);
    const limit = options.steps ?? 0;
    if (afresh) state = undefined;
    let certified = false;
    for (let taken = 0; !certified && taken < limit; ) {
      const chunk = chunkAfter(taken);
      taken += chunk;
      const found = await solve(task, { ...options, steps: chunk, every: chunk, state });
      if (latest !== id) return;
      state = { ...found.state, step: 0 };
      certified = found.certificate.holds;
      const { objective, requirements } = found.report;
      relaxations = {
        "sick missed": requirements["sick missed"].relaxation,
        "false alarms": requirements["false alarms"].relaxation,
      };
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
        done: certified || taken >= limit,
      });
      await pause();
      if (latest !== id) return;
    }
    if (certified) for (const name of names) await sense({ id, description, name });
  }

  /** The price at relaxations around the equilibrium, where the requirement could then hold. */
  async function sense({
    id,
    description,
    name,
  }: {
    id: number;
    description: Description;
    name: Name;
  }): Promise<void> {
    const task = problemOf(description);
    const options = { ...optionsFor(description.points), state, steps: 1500, tolerance: 1e-3 };
    const found = new Map<number, number>();
    const centre = relaxations[name];
    for (const at of offsetsTried.map((offset) => centre + offset).filter((u) => u >= 0)) {
      const curve = await perturbation(task, name, [at], options);
      if (latest !== id) return;
      for (const point of [curve.equilibrium, ...curve.points])
        if (point.certificate.holds) found.set(point.at, Math.max(0, point.price));
      const inOrder = [...found].sort(([a], [b]) => a - b);
      tell({
        kind: "sensitivity",
        id,
        name,
        x: inOrder.map(([u]) => u),
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
