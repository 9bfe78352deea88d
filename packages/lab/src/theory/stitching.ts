// Appendix B: why the perturbation function can be convex though the losses are not. A decomposable class (closed under cutting and
// stitching) over a distribution without atoms mixes answers in any proportion, so its attainable losses are convex (Lemma 1) and so is
// P̃(u). With n equal atoms it mixes in steps of 1/n, and convexity and strong duality (Lemma 2) are missed by at most that.

/** The losses of an answer; they need not be convex. */
export interface StitchedAnswer {
  readonly objective: number;
  readonly requirement: number;
}

/**
 * P̃(u): the least objective with the requirement at most u, over all ways to stitch answers together on `atoms` events of equal
 * probability; Infinity where none meets it. `atoms: Infinity` is a distribution without atoms.
 */
export function stitchedPerturbation(answers: readonly StitchedAnswer[], u: number, atoms: number): number {
  return atoms === Infinity ? mixed(answers, u) : stitched(answers, u, atoms);
}

/** Two answers suffice: the boundary of the convex hull, at u. */
function mixed(answers: readonly StitchedAnswer[], u: number): number {
  let least = Infinity;
  for (const a of answers)
    for (const b of answers) {
      if (a.requirement > u) continue;
      // The largest share of b that keeps to u.
      const share = b.requirement <= u ? 1 : (u - a.requirement) / (b.requirement - a.requirement);
      least = Math.min(least, (1 - share) * a.objective + share * b.objective);
    }
  return least;
}

/** Over every way to divide the atoms among the answers. */
function stitched(answers: readonly StitchedAnswer[], u: number, atoms: number): number {
  const place = (first: number, left: number, objective: number, requirement: number): number => {
    const { objective: f, requirement: g } = answers[first];
    if (first === answers.length - 1) {
      const total = requirement + (left * g) / atoms;
      // Sums of shares are exact but for rounding.
      return total <= u + 1e-12 ? objective + (left * f) / atoms : Infinity;
    }
    let least = Infinity;
    for (let n = 0; n <= left; n++)
      least = Math.min(
        least,
        place(first + 1, left - n, objective + (n * f) / atoms, requirement + (n * g) / atoms),
      );
    return least;
  };
  return place(0, atoms, 0, 0);
}

/** max over λ ≥ 0 of min over answers of objective + λ (requirement − u): the same for any number of atoms, which it cannot see. */
export function stitchedDual(answers: readonly StitchedAnswer[], u: number): number {
  const value = (price: number): number =>
    Math.min(...answers.map(({ objective, requirement }) => objective + price * (requirement - u)));
  // Concave and piecewise linear: its maximum is at 0 or where two answers tie.
  const ties = answers.flatMap((a) =>
    answers.map((b) => (b.objective - a.objective) / (a.requirement - b.requirement)),
  );
  return Math.max(value(0), ...ties.filter((price) => price > 0 && Number.isFinite(price)).map(value));
}
