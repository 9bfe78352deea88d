// What finished invariance runs show beside the paper: accuracies, relaxations and prices, claims, and why they may differ.
import { type Published, publishedMeanPrice, publishedRelaxations } from "../invariance/paper.js";
import { networkOf, type Recipe, transformations } from "../invariance/recipe.js";
import type { SeedResult } from "../invariance/results.js";
import { labelOf } from "../invariance/tables.js";
import { mean } from "../statistics.js";
import { over } from "./claim.js";
import type { Claim, Comparison } from "./item.js";

/** Runs that differ in their seed alone. */
export interface Setting {
  readonly recipe: Recipe;
  readonly results: readonly SeedResult[];
}

const describe = (run: Recipe): string =>
  `${run.dataset}, ${run.variant}, ${labelOf({ recipe: run })}, ${run.model}`;

/** The accuracy beside a cell of one of the tables. */
export const accuracyBeside =
  (published: (run: Recipe) => Published | undefined) =>
  ({ recipe, results }: Setting): Comparison[] => {
    const cell = published(recipe);
    if (!cell) return [];
    const ours = results.map(({ accuracy }) => accuracy);
    const paper = { paper: cell.mean, paperDeviation: cell.std, resolution: 0.005 };
    return [{ quantity: "accuracy", of: describe(recipe), ours, ...paper }];
  };

/** How finely a bar of the figure can be read. */
const read = (value: number): number => Math.max(0.015, 0.03 * value);

export function figureComparisons({ recipe, results }: Setting): Comparison[] {
  const of = describe(recipe);
  const bars = publishedRelaxations(recipe);
  const price = publishedMeanPrice(recipe);
  return [
    ...(bars
      ? transformations.map((t) => ({
          quantity: "relaxation",
          of: `${of}, ${t}`,
          ours: results.map(({ requirements }) => requirements[t]!.relaxation),
          paper: bars[t],
          resolution: read(bars[t]),
        }))
      : []),
    ...(price === undefined
      ? []
      : [
          {
            quantity: `mean price, ${recipe.method}`,
            of,
            ours: results.map(({ requirements }) => mean(transformations.map((t) => requirements[t]!.price))),
            paper: price,
            resolution: read(price),
          },
        ]),
  ];
}

/** The paper names no network: whose numbers these are, and whose the paper's are taken for. */
function networksOf(settings: readonly Setting[]): string[] {
  const fashion = settings.filter(({ recipe }) => recipe.dataset === "fashion-mnist");
  if (fashion.length === 0) return [];
  const other = fashion.some(({ recipe }) => recipe.model !== networkOf(recipe));
  return [
    other
      ? "these are the mlp's; the paper's Fashion-MNIST numbers are the lenet's, so that none stands beside them"
      : "the paper does not name the network of its Fashion-MNIST numbers; they are taken for the lenet's at ε = 0.1 and α = 2, its scripts' first, whose accuracies they are, and in the figure for those at α = 0.5",
  ];
}

/** Where u has no equilibrium to come to. */
const twoCyclesOf = (settings: readonly Setting[]): string[] =>
  settings.some(({ results }) =>
    results.some(({ requirements }) => transformations.some((t) => requirements[t]?.twoCycle)),
  )
    ? [
        "with α = 2 and η_u = 1 the published step of u is a two-cycle about λ/2, and its mean over the last two steps is what is recorded",
      ]
    : [];

/** Widths that never left the 0 they begin at: Augerino's network is then the unconstrained one's. */
function widthsOf(settings: readonly Setting[]): string[] {
  const widths = settings.flatMap(({ results }) =>
    results.flatMap(({ widths = [] }) => widths.map(Math.abs)),
  );
  const widest = Math.max(...widths);
  return widths.length > 0 && widest < 0.01
    ? [
        `Augerino's widths begin at 0, as the scripts have it, and stay there (at most ${widest.toFixed(4)} of those on record), so that it learns no transformation`,
      ]
    : [];
}

export function reasonsOf(settings: readonly Setting[]): string[] {
  const reasons = settings.flatMap(
    ({ recipe: { dataset, variant, level, method, cost, alpha, samples } }) => [
      ...(level === 0.2 && (method === "constrained" || method === "resilient")
        ? ["ε = 0.2 as the script of Fashion-MNIST with the MLP has it, where the text says 0.1"]
        : []),
      ...(dataset === "fashion-mnist" && method === "unconstrained"
        ? [
            "the published script of the unconstrained Fashion-MNIST row is of another method, the marginal likelihood's baseline",
          ]
        : []),
      ...(method === "augerino" && samples === 2
        ? [
            "Augerino averages over 2 copies as the released MNIST script has it, where the method's own scripts have 31",
          ]
        : []),
      ...(method === "resilient" && dataset === "mnist" && variant === "original" && alpha === 0.5
        ? [
            "the script of the original MNIST set has α = 1, and the figure's bars are nearer to u at that α, which is in the table of invariance-mnist",
          ]
        : []),
      ...(method === "resilient" && cost !== "quadratic"
        ? ["there is no published code for costs other than the quadratic"]
        : []),
    ],
  );
  return [...new Set([...networksOf(settings), ...twoCyclesOf(settings), ...widthsOf(settings), ...reasons])];
}

/** The transformation a set was made with, which its labels do not depend on. */
const own = {
  "rotated-90": "rotation",
  "rotated-180": "rotation",
  translated: "translation",
  scaled: "scale",
} as const;

const accuracy = ({ results }: Setting): number => mean(results.map((each) => each.accuracy));
const price = ({ results }: Setting): number =>
  mean(results.flatMap(({ requirements }) => transformations.map((t) => requirements[t]!.price)));
const gave = ({ results }: Setting, t: (typeof transformations)[number]): number =>
  mean(results.map(({ requirements }) => requirements[t]!.relaxation));

/** The paper's words of its tables and its figure. */
export function claimsOf(settings: readonly Setting[]): Claim[] {
  const resilient = settings.filter(
    ({ recipe: { method, cost } }) => method === "resilient" && cost === "quadratic",
  );
  const pairs = resilient.flatMap((setting) => {
    const { dataset, variant, model, level } = setting.recipe;
    const constrained = settings.find(
      ({ recipe: other }) =>
        other.method === "constrained" &&
        other.dataset === dataset &&
        other.variant === variant &&
        other.model === model &&
        other.level === level,
    );
    return constrained ? [{ resilient: setting, constrained }] : [];
  });
  const invariant = pairs.flatMap(({ resilient }) => {
    const made = own[resilient.recipe.variant as keyof typeof own];
    return made ? [{ setting: resilient, made }] : [];
  });
  return [
    ...over(
      "resilient is more accurate than constrained",
      pairs,
      (p) => accuracy(p.resilient) > accuracy(p.constrained),
    ),
    ...over(
      "its mean price is below the constrained one",
      pairs,
      (p) => price(p.resilient) < price(p.constrained),
    ),
    ...over("the transformation that a set was made with is relaxed least", invariant, ({ setting, made }) =>
      transformations.every((t) => t === made || gave(setting, made) < gave(setting, t)),
    ),
    ...costNormClaims(settings),
  ];
}

/** Of the costs ‖u‖_β. */
function costNormClaims(settings: readonly Setting[]): Claim[] {
  const linear = settings.filter(({ recipe }) => recipe.cost === "linear");
  const sets = linear.map((one) => ({
    one,
    others: settings.filter(
      ({ recipe }) => recipe.variant === one.recipe.variant && recipe.cost !== "linear",
    ),
  }));
  return over("β = 1 is the most accurate of the four costs", sets, ({ one, others }) =>
    others.every((other) => accuracy(one) > accuracy(other)),
  );
}
