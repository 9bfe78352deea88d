// The results in a line each, and the shares that the benchmark is about.
import type { Result } from "./result.js";

export interface Summary {
  /** Shares of the problems that can be solved: certified; every strict rate at its level. */
  readonly certified: number;
  readonly strictWithin: number;
  /** The share of rates, in feasible problems with validation rows, whose test interval contains the level; null without any. */
  readonly testHolds: number | null;
  /** The share of problems with known prices whose prices are right. */
  readonly priceWithin: number | null;
  readonly problems: number;
  /** The share of infeasible problems that are reported as such: not certified, with the right exit code. */
  readonly impossibleSaid: number | null;
  /** The same as testHolds for every feasible problem. */
  readonly testHoldsEverywhere: number | null;
  /** Strict rates at their level, one by one. */
  readonly ratesWithin: number;
  /** Where insisting was measured: said within 10% of it, or of what cannot be had said so. */
  readonly insistingSaid: number | null;
  readonly seconds: number;
}

const share = (x: readonly boolean[]): number | null =>
  x.length === 0 ? null : x.filter(Boolean).length / x.length;
const percent = (x: number | null): string => (x === null ? "none" : `${(100 * x).toFixed(1)}%`);

export function summarised(results: readonly Result[]): { summary: Summary; lines: string[] } {
  const possible = results.filter(({ impossible }) => !impossible);
  const tested = (of: readonly Result[]): boolean[] =>
    of.flatMap(({ rates, mistake }) =>
      mistake === undefined ? rates.flatMap(({ testHolds }) => testHolds ?? []) : [false],
    );
  const feasible = possible.filter((r) => r.feasible);
  const insisted = results.flatMap(({ insisting }) => insisting ?? []);
  const summary: Summary = {
    certified: share(possible.map((r) => r.certified)) ?? 0,
    strictWithin: share(possible.map((r) => r.strictWithin)) ?? 0,
    testHolds: share(tested(feasible.filter((r) => r.validation))),
    priceWithin: share(possible.flatMap((r) => r.priceWithin ?? [])),
    problems: results.length,
    impossibleSaid: share(
      results.filter((r) => r.impossible).map((r) => r.mistake === undefined && !r.certified && r.exit === 1),
    ),
    testHoldsEverywhere: share(tested(feasible)),
    ratesWithin:
      share(
        possible.flatMap(({ rates, mistake }) =>
          mistake === undefined ? rates.map(({ within }) => within) : [false],
        ),
      ) ?? 0,
    insistingSaid: share(insisted.map(near)),
    seconds: results.reduce((sum, { seconds }) => sum + seconds, 0),
  };
  const lines = [
    "",
    `${results.length} problems, ${summary.seconds.toFixed(0)} s of training.`,
    `certified                                    ${percent(summary.certified)} (wanted 95%)`,
    `strict rates at their level                  ${percent(summary.strictWithin)} (wanted 95%); rate by rate ${percent(summary.ratesWithin)}`,
    `test intervals hold the level, validation    ${percent(summary.testHolds)} (wanted 90%); all that is feasible ${percent(summary.testHoldsEverywhere)}`,
    `prices within 5% of re-solved neighbours     ${percent(summary.priceWithin)}`,
    `insisting: said within 10% of measured       ${percent(summary.insistingSaid)} of ${insisted.length}`,
    `what must and cannot hold is said violated   ${percent(summary.impossibleSaid)}`,
  ];
  return { summary, lines };
}

function near({ said, measured }: NonNullable<Result["insisting"]>): boolean {
  if (said === null || measured === null) return said === measured;
  return Math.abs(said - measured) <= Math.max(0.1 * Math.abs(measured), 1e-3);
}

const number = (x: number | null): string => (x === null ? "–" : x.toFixed(3));

export function told(r: Result, at: { count: number; of: number }): string {
  const start = `${String(at.count).padStart(3)}/${at.of} ${r.seconds.toFixed(1).padStart(5)} s  `;
  if (r.mistake !== undefined) return `${start}FAILED  ${r.name}: ${r.mistake}`;
  const marks = [
    r.certified ? "certified" : "         ",
    r.strictWithin ? "within" : "   off",
    `asked ${number(r.asked)} train ${number(r.strictTrain)} test ${number(r.strictTest)}`,
    `price ${number(r.price)}${r.priceMeasured === null ? "" : ` measured ${number(r.priceMeasured)}`}`,
  ];
  const insisted = r.insisting
    ? `  insisting ${number(r.insisting.said)} measured ${number(r.insisting.measured)}`
    : "";
  return `${start}${marks.join("  ")}  ${String(r.steps).padStart(5)} steps  ${r.name}${insisted}`;
}
