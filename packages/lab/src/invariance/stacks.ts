// Which runs train as one program. A stack is M kinds by G places: a place is a variant and a seed, whose images all kinds read;
// a kind is a method with its cost. Runs of one kind differ in their images, their level and α, which enter as data.

import type { CostName } from "../choices.js";
import type { Run } from "./names.js";
import { type Method, type Recipe, type Variant, variants } from "./recipe.js";

export interface Kind {
  readonly method: Method;
  readonly cost: CostName;
}

export interface Stack<R extends Run = Run> {
  /** Settings that all its runs share. */
  readonly recipe: Recipe;
  readonly kinds: readonly Kind[];
  readonly places: readonly { readonly variant: Variant; readonly seed: number }[];
  /** Run m·G + g is of kind m at place g. */
  readonly runs: readonly R[];
}

export const isRequired = ({ method }: Pick<Recipe, "method">): boolean =>
  method === "constrained" || method === "resilient";

/** Settings that runs of one program must share. Methods with requirements differ in their dual step only. */
function programOf(recipe: Recipe): string {
  const { variant: _, alpha: __, level: ___, cost: ____, method, ...rest } = recipe;
  return JSON.stringify({ ...rest, method: isRequired(recipe) ? "required" : method });
}

const kindOf = ({ method, cost }: Recipe): Kind => ({
  method,
  cost: method === "resilient" ? cost : "quadratic",
});

/** Images that a step of one run evaluates the model on, of each image of its batch. */
const copiesOf = (recipe: Recipe): number =>
  isRequired(recipe) ? 1 + 3 * recipe.samples : recipe.method === "augerino" ? recipe.samples : 1;

/**
 * Runs in stacks that evaluate the model on no more than `copies` copies of a batch at a step, the runs of one seed together
 * where they do not all fit. `at` says how far a run has come: only runs that stand at the same step can go on together.
 */
export function stacksOf<R extends Run>(
  runs: readonly R[],
  { copies, at = () => 0 }: { copies: number; at?: (run: R) => number },
): Stack<R>[] {
  const programs = grouped(runs, (run) => `${programOf(run.recipe)} ${at(run)}`);
  return programs.flatMap((own) => {
    // A place once a kind: the same method twice at a place, with another α, is another kind.
    const counts = new Map<string, number>();
    const kinds = grouped(own, (run) => {
      const kind = JSON.stringify(kindOf(run.recipe));
      const key = `${kind} ${placeKey(run)}`;
      const times = (counts.get(key) ?? 0) + 1;
      counts.set(key, times);
      return `${kind} ${times}`;
    }).map((list) => list.toSorted(byPlace));
    const alike = grouped(kinds, (list) => list.map(placeKey).join());
    return alike.flatMap((group) => chunks(group, copies));
  });
}

const placeKey = ({ recipe, seed }: Run): string => `${recipe.variant} ${seed}`;
const byPlace = (a: Run, b: Run): number =>
  a.seed - b.seed || variants.indexOf(a.recipe.variant) - variants.indexOf(b.recipe.variant);

/** Kinds at the same places, cut into stacks of nearly equal size. */
function chunks<R extends Run>(kinds: readonly (readonly R[])[], copies: number): Stack<R>[] {
  const { length: places } = kinds[0];
  const copiesPerRun = copiesOf(kinds[0][0].recipe);
  const most = Math.max(1, Math.floor(copies / (copiesPerRun * kinds.length)));
  if (most * copiesPerRun * kinds.length > copies && kinds.length > 1)
    return kinds.flatMap((kind) => chunks([kind], copies));
  const count = Math.ceil(places / most);
  const size = Math.ceil(places / count);
  return Array.from({ length: count }, (_, i) => {
    const part = kinds.map((kind) => kind.slice(i * size, (i + 1) * size));
    return {
      recipe: part[0][0].recipe,
      kinds: part.map(([{ recipe }]) => kindOf(recipe)),
      places: part[0].map(({ recipe, seed }) => ({ variant: recipe.variant, seed })),
      runs: part.flat(),
    };
  });
}

function grouped<T>(list: readonly T[], key: (value: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const value of list) {
    const k = key(value);
    groups.set(k, [...(groups.get(k) ?? []), value]);
  }
  return [...groups.values()];
}
