// A decay chosen from the training rows, where no others are kept for it: the one whose model, fitted without requirements to four
// fifths of them, has the least loss on the rest. Of a linear model they are what a prior of weights of about 1 comes to, 1/(2n), and
// parts and multiples of it.
import { atMost, createSolver, free, minimise, solveWith } from "@pliant/core";
import { type Backend, full } from "@pliant/engine";
import { isAsked } from "../decision/question.js";
import { meanLoss } from "../problem/objective.js";
import type { Training } from "../problem/prepare.js";
import type { Spec } from "../spec/spec.js";
import { everyFor } from "./budget.js";
import type { Capacity } from "./capacity.js";
import { canFold, foldOf, folds, scorer, seenOnly, takeExamples } from "./cross-fit.js";
import { lossesOf } from "./press.js";
import { solverOptions } from "./solving.js";

/** From much to little; of those as good as any to a thousandth the largest is taken. */
const decaysFor = (model: Spec["model"]["kind"], rows: number): number[] =>
  model === "linear" ? [50, 5, 0.5, 0.05].map((times) => times / rows) : [0.03, 0.01, 3e-3, 1e-3, 3e-4];

/** Checks of a network: enough to see where the loss ends. */
const looks = 8;

/** Losses of fewer held-out rows cannot tell decays apart. */
const enoughHeldOut = 1000;
const foldsFor = (rows: number): number => Math.min(folds, Math.ceil((folds * enoughHeldOut) / rows));

/** Whether a decay is chosen so: of decisions that are learnt and of a baseline, where neither a decay nor validation rows are given. */
export const isFolded = (spec: Spec, { prepared, task }: Training): boolean =>
  spec.objective.decay === undefined &&
  !prepared.validation &&
  !prepared.images &&
  prepared.target.kind === "class" &&
  [undefined, "cross-entropy"].includes(spec.objective.loss) &&
  (isAsked(task.stated, spec, prepared) || task.stated.length === 0) &&
  canFold(prepared.train);

export async function foldedDecay(
  spec: Spec,
  { task, prepared }: Training,
  { backend, show }: { backend: Backend; show(line: string): void },
): Promise<Capacity> {
  const { train, target } = prepared;
  const { params, forward, objective } = task.problem;
  const plain = minimise({ params, forward, objective }).subjectTo({
    loss: atMost(0, (made, seen) => meanLoss(spec)(made, seen), { cost: free }),
  });
  // Stratified by class only: requirements on groups must not change the model without requirements.
  const fold = foldOf(train, [], spec.seed);
  const parts = Array.from({ length: foldsFor(train.count) }, (_, k) => ({
    fittedTo: fold.map((own) => Number(own !== k)),
    held: takeExamples(
      train,
      Array.from(fold.keys()).filter((i) => fold[i] === k),
    ),
  }));
  const classes = target.kind === "class" ? target.classes.length : 1;
  const score = scorer(task, prepared, backend);
  const every = spec.model.kind === "linear" ? everyFor(spec) : 2 * everyFor(spec);
  const folded: { decay: number; loss: number }[] = [];
  for (const decay of decaysFor(spec.model.kind, train.count)) {
    const seen = { ...(await task.solvedOn(decay)), decay: full([], decay) };
    let [sum, rows] = [0, 0];
    for (const { fittedTo, held } of parts) {
      const solver = await createSolver(plain, {
        ...solverOptions(spec, seenOnly(seen, fittedTo), backend),
        ...(spec.model.kind !== "linear" && { tolerance: 1e-2 }),
      });
      const found = await solveWith(solver, { steps: looks * every, every });
      solver.release();
      const losses = lossesOf({ scores: await score(found.params, held), examples: held, classes });
      sum += losses.reduce((a, b) => a + b, 0);
      rows += losses.length;
    }
    const loss = sum / rows;
    folded.push({ decay, loss });
    show(`decay ${Number(decay.toPrecision(2))}: loss ${loss.toFixed(4)} on held-out rows`);
    // Past the best, less decay only overfits more.
    if (folded.length > 2 && loss > 1.02 * Math.min(...folded.map((one) => one.loss))) break;
  }
  const { decay } = folded.reduce((a, b) => (b.loss < a.loss * 0.999 ? b : a));
  return { decay, folded };
}
