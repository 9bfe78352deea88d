// The clients of a federated run as its report tells of them: who is further above the mean loss than was asked, and whether any may be.

interface Client {
  readonly trainLoss: number;
  readonly relaxation: number;
  readonly price: number;
}

export interface ClientsCame {
  /** How far above the mean loss each client may be. */
  readonly level: number;
  /** How far above it each is. */
  readonly above: readonly number[];
  /** The price of each. */
  readonly prices: readonly number[];
  /** Clients beyond the level. */
  readonly beyond: number;
  /** What became of those: they gave way, they must not and do, or nothing was done about them. */
  readonly how: "gave way" | "violated" | "free";
  /** Whether each gives way by its relaxation, and none has to hold that does not: only then is there a price. */
  readonly settled: boolean;
}

const tolerance = 1e-3;

const isClient = (value: unknown): value is Client =>
  typeof value === "object" &&
  value !== null &&
  ["trainLoss", "relaxation", "price"].every(
    (key) => typeof (value as Record<string, unknown>)[key] === "number",
  );

/** Undefined where the report does not tell what was asked, or of whom. */
export function clientsCame(
  report: Readonly<Record<string, unknown>> | null | undefined,
): ClientsCame | undefined {
  const { clients, level } = report ?? {};
  if (!Array.isArray(clients) || clients.length === 0 || !clients.every(isClient)) return undefined;
  if (typeof level !== "number") return undefined;
  const mean = clients.reduce((sum, { trainLoss }) => sum + trainLoss, 0) / clients.length;
  const above = clients.map(({ trainLoss }) => trainLoss - mean);
  const beyond = above.filter((loss) => loss > level + tolerance).length;
  const gives = clients.some(({ relaxation }) => relaxation > tolerance);
  const asking = clients.some(({ price }) => price > 0);
  const prices = clients.map(({ price }) => price);
  const how = gives ? "gave way" : asking ? "violated" : "free";
  // The level is how exactly a reader wants to know it.
  const off = clients.map(({ relaxation }, i) => Math.abs(relaxation - Math.max(0, above[i] - level)));
  const settled = how === "violated" ? beyond === 0 : how === "free" || Math.max(...off) <= level + tolerance;
  return { level, above, prices, beyond, how, settled };
}

/** A client that must not give way is beyond what was asked of it. */
export function clientsViolate(report: Readonly<Record<string, unknown>> | null | undefined): boolean {
  const { beyond = 0, how } = clientsCame(report) ?? {};
  return beyond > 0 && how === "violated";
}
