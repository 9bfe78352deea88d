// Requirements that must hold and cannot, by themselves or together. What is missing, V(θ) = ½ Σ [gᵢ]₊²/tᵢ over what must hold, is
// minimised by itself. At a minimum above 0 the weights yᵢ = [gᵢ]₊/tᵢ are a proof (Farkas): Σ yᵢ∇gᵢ = 0 and Σ yᵢgᵢ > 0, so that no step
// lowers all of them together. A convex V is nowhere below V − ‖∇V‖R within R.

import type { Stored } from "@pliant/engine";
import type { Models } from "../certificate/compiled-model.js";
import type { LocalModel } from "../certificate/local-model.js";
import { scalesAt } from "../certificate/newton-kkt.js";
import { dot, larger, plus, quotient, square, type Vector, vector } from "../certificate/vectors.js";
import type { Terms } from "../layout/constraint-layout.js";
import { minimise } from "../newton/steps.js";

/** Rounds of Newton steps. */
const rounds = 6;
/** What pulls less than this share of the strongest takes no part. */
const hardly = 1e-2;
/** So many requirements are left out in turn, to name the fewest that conflict. */
const tried = 12;

export interface Question {
  readonly models: Models;
  readonly terms: Terms<Stored>;
  readonly tolerance: number;
  /** Where each search begins: the first parameters, and the present ones. */
  readonly from: readonly unknown[];
  readonly start: (params: unknown) => Vector;
  /** The elements that must hold, by requirement. */
  readonly firm: Readonly<Record<string, readonly number[]>>;
  readonly size: number;
}

/** The fewest requirements found that cannot all hold; none where nothing shows it. */
export async function conflicting(question: Question): Promise<readonly string[]> {
  const names = Object.keys(question.firm);
  const [first] = question.from;
  for (const params of question.from)
    if ((await stillMissing(question, params, names)).length === 0) return [];
  let left = await stillMissing(question, first, names);
  for (const name of left.slice(0, tried)) {
    const rest = left.includes(name) ? left.filter((other) => other !== name) : [];
    const among = rest.length > 0 ? await stillMissing(question, first, rest) : [];
    if (among.length > 0) left = rest.filter((other) => among.includes(other));
  }
  return names.filter((name) => left.includes(name));
}

/** Which of these pull at the parameters where as little as possible is missing; none where all can hold. The weakest comes first. */
async function stillMissing(
  { models, terms, tolerance, firm, start, size }: Question,
  params: unknown,
  names: readonly string[],
): Promise<readonly string[]> {
  const mask = new Float64Array(size);
  for (const name of names) for (const i of firm[name]) mask[i] = 1;
  const model = await models(params, terms, { objective: 0, mask });
  const begun = start(params);
  const prices = new Float64Array(size);
  let x = begun;
  for (let round = 0; round < rounds; round++) {
    const { scales } = await scalesAt(model, { x, prices }, 1);
    const { d, t } = scales;
    const found = await minimise(model, { x, prices }, { scales }, t);
    const way = plus(found.x, begun, -1);
    x = found.x;
    const { slacks, gradient, merit } = found.at;
    const miss = vector(size, (i) =>
      mask[i] === 0
        ? 0
        : (model.signed[i] > 0 ? Math.abs(slacks[i]) : Math.max(0, slacks[i])) / sizeOf(model, i, t),
    );
    if (!(miss.reduce(larger, 0) > tolerance)) return [];
    // Each round measures t anew, so that V is another function: it rests where its own minimum was found.
    if (!found.solved) continue;
    const reach = Math.sqrt(Math.max(square(x, d), square(way, d)));
    const steep = Math.sqrt(dot(gradient, quotient(gradient, d)));
    if (steep * reach > merit) continue;
    // All who conflict pull at the parameters, however little one of them is missed.
    const pulls: Record<string, number> = {};
    for (const name of names) {
      const own = new Set(firm[name]);
      const w = found.at.prices.map((y, i) => (own.has(i) ? y : 0));
      if (w.every((y) => y === 0)) continue;
      const { Hv } = await model.products(x, prices, { w });
      pulls[name] = dot(Hv, quotient(Hv, d));
    }
    const strongest = Object.values(pulls).reduce(larger, 0);
    return Object.keys(pulls)
      .filter((name) => pulls[name] >= hardly ** 2 * strongest)
      .sort((a, b) => pulls[a] - pulls[b]);
  }
  return [];
}

/** What a miss is measured by: the level, or how far the requirement moves over its natural size. */
const sizeOf = ({ levels }: LocalModel, i: number, t: Vector): number =>
  Math.abs(levels[i]) || Math.sqrt(t[i]) || 1;
