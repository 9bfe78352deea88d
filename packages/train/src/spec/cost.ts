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
}

const costs: Record<string, Family> = {
  quadratic: { parameters: ["α"], scale: "α", of: quadratic },
  linear: { parameters: ["γ"], scale: "γ", of: linear },
  power: { parameters: ["β", "α"], scale: "α", of: power },
  maximum: { parameters: ["α"], scale: "α", of: maximum },
  huber: { parameters: ["a", "δ"], scale: "a", of: huber },
  hard: { parameters: [], of: () => hard },
  free: { parameters: [], of: () => free },
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

export function readCost(text: string): Cost {
  const { name, numbers } = parsed(text);
  try {
    return costs[name].of(...numbers);
  } catch (reason) {
    throw new InputError((reason as Error).message);
  }
}

/** The cost times a factor, in the same words; hard and free stay as they are. */
export function scaledCost(text: string, factor: number): string {
  const { name, numbers } = parsed(text);
  const { parameters, scale } = costs[name];
  const scaled = numbers.map((n, i) => (parameters[i] === scale ? Number((n * factor).toPrecision(12)) : n));
  return scaled.length > 0 ? `${name}(${scaled.join(", ")})` : name;
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
