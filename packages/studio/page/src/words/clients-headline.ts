// A federated run in a sentence: how many clients are further above the mean loss than was asked, and which one most.
import { number } from "../lib/format.js";

interface Client {
  readonly trainLoss: number;
  readonly relaxation: number;
  readonly price: number;
}

const isClient = (value: unknown): value is Client =>
  typeof value === "object" &&
  value !== null &&
  ["trainLoss", "relaxation", "price"].every(
    (key) => typeof (value as Record<string, unknown>)[key] === "number",
  );

/** Undefined where the report does not tell what was asked, or of whom. */
export function clientsHeadline(
  report: Readonly<Record<string, unknown>> | null | undefined,
): [subject: string, rest: string] | undefined {
  const { clients, level } = report ?? {};
  if (!Array.isArray(clients) || clients.length === 0 || !clients.every(isClient)) return undefined;
  if (typeof level !== "number") return undefined;
  const mean = clients.reduce((sum, { trainLoss }) => sum + trainLoss, 0) / clients.length;
  const above = clients.map(({ trainLoss }) => trainLoss - mean);
  const beyond = above.filter((loss) => loss > level + 1e-3);
  const worst = above.indexOf(Math.max(...above));
  const asked = `at most ${number(level)} above the mean loss`;
  const all = `of ${clients.length} clients`;
  if (beyond.length === 0) return ["Every client", ` is where it was asked to be, ${asked}.`];
  const most = `client ${worst + 1} the most, ${number(above[worst], 3)} above it`;
  const asking = clients.some(({ price }) => price > 0);
  const gives = clients.some(({ relaxation }) => relaxation > 1e-3);
  const verb = gives
    ? "gave way"
    : asking
      ? "must not give way and do not hold"
      : "are beyond it, and nothing was done about it";
  return [`${beyond.length} ${all}`, ` ${verb}: asked ${asked}, ${most}.`];
}
