// Relaxation costs as a spec writes them, which is how reports show them: quadratic(2), power(3, 1), hard.
import {
  type Cost,
  free,
  hard,
  huber,
  InputError,
  linear,
  maximum,
  power,
  quadratic,
  unknownName,
} from "@pliant/core";

interface Family {
  readonly parameters: readonly string[];
  /** The parameter that a factor multiplies. */
  readonly scale?: string;
  readonly of: (...numbers: number[]) => Cost;
  /** h(u) and the u at which one element's slope is a price, on plain numbers: thousands of cuts are compared by it. */
  readonly plain: (...numbers: number[]) => PlainCost;
}

/** Costs of giving way, on plain numbers. */
export interface PlainCost {
  value(u: readonly number[]): number;
  /** argmin over u ≥ 0 of h(u) − λu, of one element. */
  relaxationAt(price: number): number;
}

const sumOf =
  (of: (x: number) => number) =>
  (u: readonly number[]): number =>
    u.reduce((sum, x) => sum + of(x), 0);

/** γu and γ·max u: below a price of γ nothing gives way. */
const upTo =
  (gamma: number) =>
  (price: number): number =>
    price < gamma ? 0 : Number.POSITIVE_INFINITY;

const powers = (beta: number, alpha: number): PlainCost =>
  beta === 1
    ? { value: sumOf((x) => alpha * x), relaxationAt: upTo(alpha) }
    : {
        value: sumOf((x) => alpha * x ** beta),
        relaxationAt: (price) => (price / (alpha * beta)) ** (1 / (beta - 1)),
      };

const costs: Record<string, Family> = {
  quadratic: { parameters: ["α"], scale: "α", of: quadratic, plain: (alpha) => powers(2, alpha) },
  linear: { parameters: ["γ"], scale: "γ", of: linear, plain: (gamma) => powers(1, gamma) },
  power: { parameters: ["β", "α"], scale: "α", of: power, plain: powers },
  maximum: {
    parameters: ["α"],
    scale: "α",
    of: maximum,
    plain: (alpha) => ({ value: (u) => alpha * Math.max(0, ...u), relaxationAt: upTo(alpha) }),
  },
  huber: {
    parameters: ["a", "δ"],
    scale: "a",
    of: huber,
    plain: (a, delta) => ({
      value: sumOf((x) => a * Math.min(x, delta) * (2 * x - Math.min(x, delta))),
      relaxationAt: (price) => (price < 2 * a * delta ? price / (2 * a) : Number.POSITIVE_INFINITY),
    }),
  },
  hard: {
    parameters: [],
    of: () => hard,
    plain: () => ({ value: sumOf((x) => (x > 0 ? Number.POSITIVE_INFINITY : 0)), relaxationAt: () => 0 }),
  },
  free: {
    parameters: [],
    of: () => free,
    plain: () => ({ value: () => 0, relaxationAt: () => Number.POSITIVE_INFINITY }),
  },
};

const shown = (name: string): string => {
  const { parameters } = costs[name];
  return parameters.length > 0 ? `${name}(${parameters.join(", ")})` : name;
};

/** Each with its parameters: `quadratic(α)`. */
export const costNames = Object.keys(costs).map(shown);

const amount = String.raw`\s*[+]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*`;

/** The grammar of costs, for editors. */
export const costPattern = `^\\s*(${Object.entries(costs)
  .map(
    ([
      name,
      {
        parameters: { length },
      },
    ]) => (length === 0 ? name : `${name}\\s*\\(${Array(length).fill(amount).join(",")}\\)`),
  )
  .join("|")})\\s*$`;

/** A cost as a spec states it: for the core, on plain numbers, and times a factor in the same words. */
export interface StatedCost {
  readonly cost: Cost;
  readonly plain: PlainCost;
  /** hard and free stay as they are. */
  times(factor: number): string;
}

const known = new Map<string, StatedCost>();

/** Each text is parsed once. */
export function costOf(text: string): StatedCost {
  const found = known.get(text) ?? read(text);
  known.set(text, found);
  return found;
}

function read(text: string): StatedCost {
  const { name, numbers } = parsed(text);
  const { of, plain, parameters, scale } = costs[name];
  const times: StatedCost["times"] = (factor) => {
    const scaled = numbers.map((n, i) =>
      parameters[i] === scale ? Number((n * factor).toPrecision(12)) : n,
    );
    return scaled.length > 0 ? `${name}(${scaled.join(", ")})` : name;
  };
  try {
    return { cost: of(...numbers), plain: plain(...numbers), times };
  } catch (reason) {
    throw new InputError((reason as Error).message);
  }
}

function parsed(text: string): { name: string; numbers: number[] } {
  const [, name, inside] = /^\s*([^\s(]*)\s*(?:\((.*)\))?\s*$/s.exec(text) ?? [];
  if (name === undefined)
    throw new InputError(`"${text}" is not a cost; write one of ${costNames.join(", ")}.`);
  if (!Object.hasOwn(costs, name)) throw unknownName("a cost", name, Object.keys(costs));
  const { parameters } = costs[name];
  const numbers = inside === undefined || inside.trim() === "" ? [] : inside.split(",").map((n) => n.trim());
  if (numbers.length !== parameters.length || numbers.some((n) => n === "" || !Number.isFinite(Number(n))))
    throw new InputError(`"${text}" is not a cost; write ${shown(name)} with numbers.`);
  return { name, numbers: numbers.map(Number) };
}
