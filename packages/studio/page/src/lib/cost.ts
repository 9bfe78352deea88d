// The slope ∇h of a relaxation cost, from the name that reports give it: quadratic(2), huber(1, 0.5), 10 × linear(1).

export interface Slope {
  /** ∇h(u) of one requirement; Infinity where nothing may give way. */
  at(u: number): number;
  /** In symbols, such as 2αu with α = 2. */
  readonly formula: string;
  /** Must not bend: the slope is a wall at u = 0. */
  readonly wall: boolean;
}

type Make = (...parameters: number[]) => Slope | undefined;

const smooth = (formula: string, at: (u: number) => number): Slope => ({ formula, at, wall: false });

const makers: Record<string, Make> = {
  quadratic: (alpha) => smooth(`∇h = 2 · ${alpha} · u`, (u) => 2 * alpha * u),
  linear: (gamma) => smooth(`∇h = ${gamma}`, () => gamma),
  power: (beta, alpha) =>
    smooth(`∇h = ${alpha} · ${beta} · u^${beta - 1}`, (u) => alpha * beta * u ** (beta - 1)),
  huber: (a, delta) => smooth(`∇h = 2 · ${a} · min(u, ${delta})`, (u) => 2 * a * Math.min(u, delta)),
  // Shared by its group: the most that one requirement's price can be.
  maximum: (alpha) => smooth(`∇h ≤ ${alpha}, shared by all`, () => alpha),
  free: () => smooth("∇h = 0", () => 0),
  hard: () => ({ formula: "must not give way", at: (u) => (u > 0 ? Infinity : 0), wall: true }),
};

/** Undefined for a cost whose name does not say it: one of the user's own, or one with a weight for each requirement. */
export function slopeOf(cost: string): Slope | undefined {
  const factor = /^([\d.e+-]+) × (.+)$/.exec(cost);
  if (factor) {
    const inner = slopeOf(factor[2]);
    if (!inner || inner.wall) return inner;
    const times = Number(factor[1]);
    return smooth(`${inner.formula}, times ${times}`, (u) => times * inner.at(u));
  }
  const [, name, list = ""] = /^(\w+)(?:\(([^[\]]*)\))?$/.exec(cost) ?? [];
  const parameters = list === "" ? [] : list.split(",").map(Number);
  if (!name || !Object.hasOwn(makers, name) || !parameters.every(Number.isFinite)) return undefined;
  const make = makers[name];
  return parameters.length === make.length ? make(...parameters) : undefined;
}
