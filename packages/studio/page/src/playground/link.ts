// What stands on the playground as part of an address, so that it can be shared: the set of people or each of them, and what is asked.
import { type Ask, type Description, type Name, names, type Point } from "./problem.js";

export interface Setting {
  /** A set by its name, where nobody was drawn or erased by hand. */
  readonly preset: string | undefined;
  readonly points: readonly Point[] | undefined;
  readonly asks: Readonly<Record<Name, Ask>> | undefined;
}

const keys: Readonly<Record<Name, string>> = { "sick missed": "missed", "false alarms": "alarms" };

/** Thousandths are finer than a person draws. */
const place = (x: number): string => String(Math.round(1000 * x));

export function linkQuery({ points, asks }: Description, preset: string | undefined): URLSearchParams {
  const query = new URLSearchParams();
  if (preset === undefined)
    query.set(
      "people",
      points.map(({ x, y, sick }) => `${sick ? "s" : "w"}${place(x)}_${place(y)}`).join("."),
    );
  else query.set("set", preset);
  for (const name of names) {
    const { level, alpha, hard } = asks[name];
    query.set(keys[name], [level, alpha, ...(hard ? ["hard"] : [])].join("_"));
  }
  return query;
}

const most = 5000;

function pointsFrom(text: string): Point[] | undefined {
  const parts = text === "" ? [] : text.split(".");
  const points = parts.slice(0, most).map((part) => {
    const [, kind, x, y] = /^([sw])(-?\d+)_(-?\d+)$/.exec(part) ?? [];
    return { x: Number(x) / 1000, y: Number(y) / 1000, sick: kind === "s" };
  });
  return points.every(({ x, y }) => Math.abs(x) <= 1 && Math.abs(y) <= 1) ? points : undefined;
}

function askFrom(text: string | null): Ask | undefined {
  const [level, alpha, hard] = (text ?? "").split("_");
  const ask = { level: Number(level), alpha: Number(alpha), hard: hard === "hard" };
  return text && ask.level >= 0 && ask.level <= 1 && ask.alpha > 0 && Number.isFinite(ask.alpha)
    ? ask
    : undefined;
}

/** What an address says of it; whatever is not as it should be is as if it were not said. */
export function settingFrom(query: URLSearchParams): Setting {
  const people = query.get("people");
  const asks = names.map((name) => [name, askFrom(query.get(keys[name]))] as const);
  return {
    preset: query.get("set") ?? undefined,
    points: people === null ? undefined : pointsFrom(people),
    asks: asks.every(([, ask]) => ask) ? (Object.fromEntries(asks) as Record<Name, Ask>) : undefined,
  };
}
