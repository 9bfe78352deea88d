// Why a certificate does not hold, in words.

/** One reason. */
export type Failure =
  | { readonly what: "objective" | "parameters" | "unsolved"; readonly by: number }
  | {
      readonly what: "missed" | "prices" | "relaxations" | "values" | "counted";
      readonly names: readonly string[];
    }
  | { readonly what: "saddle" | "not lowest" | "flat" | "falls without bound" | "falls towards a bound" };

const quoted = (name: string): string => `"${name}"`;

const list = (names: readonly string[]): string =>
  (names.length > 8
    ? [...names.slice(0, 8).map(quoted), `${names.length - 8} more`]
    : names.map(quoted)
  ).join(", ");

const percent = (share: number): string =>
  Number.isFinite(share) ? `${Number((100 * share).toPrecision(2))}%` : "an unknown amount";

function sentence(failure: Failure): string {
  switch (failure.what) {
    case "objective":
      return `the objective is still off by about ${percent(failure.by)}`;
    case "parameters":
      return `the parameters are still off by about ${percent(failure.by)}`;
    case "unsolved":
      return "the problem is too ill-conditioned here to estimate the errors of its numbers";
    case "missed":
      return `even the relaxed level is missed: ${list(failure.names)}`;
    case "prices":
      return `prices have not settled: ${list(failure.names)}`;
    case "relaxations":
      return `relaxations have not settled: ${list(failure.names)}`;
    case "values":
      return `values have not settled: ${list(failure.names)}`;
    case "counted":
      return `counted values are not at their levels: ${list(failure.names)}; identical examples are counted at once, so a level between two counts may be out of reach`;
    case "saddle":
      return "this is a saddle point: the objective falls in some direction";
    case "not lowest":
      return "the objective is lower nearby";
    case "flat":
      return "the objective has no curvature here, so nothing confirms a minimum";
    case "falls without bound":
      return "the objective falls without bound: add a decay, or a requirement that bounds the parameters";
    case "falls towards a bound":
      return "the objective falls as long as the parameters grow: add a decay";
  }
}

export const sentences = (failures: readonly Failure[]): string[] => failures.map(sentence);
