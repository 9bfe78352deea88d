// The one place that reads certificates. A report of any version is understood: residuals of the four conditions, or error estimates of
// each sort of number, relative to its size. A field that is missing is left out; one that is not a number makes the certificate unreadable.
import { fields, isNumber, isObject, textsOf } from "./fields.js";

/** Which minimum is certified. */
export type CertificateKind = "global" | "local" | "stationary";

/** What has to come down to the tolerance: what is left of a condition, or the relative error of a sort of number. NaN where unknown. */
export interface Condition {
  readonly name: string;
  readonly residual: number;
}

/** A certificate as the page shows it. */
export interface CertificateResult {
  readonly holds: boolean;
  readonly tolerance: number;
  readonly kind?: CertificateKind;
  /** Why it does not hold. */
  readonly reasons: readonly string[];
  /** The residuals or error estimates that the report has. */
  readonly conditions: readonly Condition[];
  /** Conditions are errors of numbers, in units of their sizes. */
  readonly estimated: boolean;
  /** The error of the objective, in its own units. */
  readonly objectiveError?: number;
  /** Requirements whose prices are determined only together. */
  readonly together: readonly (readonly string[])[];
}

const residuals = ["equilibrium", "feasibility", "complementarity", "stationarity"] as const;
const estimates = ["objective", "prices", "relaxations", "values", "parameters"] as const;
const kinds: readonly CertificateKind[] = ["global", "local", "stationary"];
/** Of a certificate that does not state its own. */
const usualTolerance = 1e-3;

/** Undefined if the report has no certificate. */
export function certificateOf(report: unknown): CertificateResult | undefined {
  const { certificate } = fields(report);
  const found = fields(certificate);
  if (Object.keys(found).length === 0) return undefined;
  const { holds, tolerance, kind, short, errors, objectiveError, together } = found;
  const known = kinds.find((one) => one === kind);
  return {
    holds: holds === true,
    tolerance: isNumber(tolerance) ? tolerance : usualTolerance,
    ...(known && { kind: known }),
    reasons: textsOf(short),
    conditions: conditionsIn(found),
    estimated: isObject(errors),
    ...(isNumber(objectiveError) && { objectiveError }),
    together: Array.isArray(together) ? together.map(textsOf).filter(({ length }) => length > 0) : [],
  };
}

/** Whether the numbers of a report are those of an equilibrium. */
export const isCertified = (report: unknown): boolean => certificateOf(report)?.holds === true;

/** What makes a certificate unreadable; undefined if it can be read, or there is none. */
export function certificateProblem(certificate: unknown): string | undefined {
  if (certificate === undefined) return undefined;
  if (!isObject(certificate)) return "has a certificate that is not an object";
  const c = fields(certificate);
  if (Object.keys(c).length === 0) return undefined;
  if (typeof c.holds !== "boolean") return "does not say whether its certificate holds";
  if (!c.holds) return undefined;
  if (c.tolerance !== undefined && !isNumber(c.tolerance))
    return "is certified with tolerance that is not a number";
  if (c.errors !== undefined && !isObject(c.errors))
    return "is certified with error estimates that are not an object";
  const lost = conditionsIn(c).find(({ residual }) => Number.isNaN(residual));
  if (!lost) return undefined;
  const what = lost.name in fields(c.errors) ? `an error of its ${lost.name}` : lost.name;
  return `is certified with ${what} that is not a number`;
}

/**
 * The largest residual or relative error, for a curve over the steps. NaN if a residual is not known; of errors the largest that is, as on
 * the way only some are estimated.
 */
export function largestResidual(certificate: unknown): number {
  const found = fields(certificate);
  const all = conditionsIn(found).map(({ residual }) => residual);
  const known = isObject(found.errors) ? all.filter((residual) => !Number.isNaN(residual)) : all;
  return known.length === 0 ? Number.NaN : Math.max(...known);
}

/** What is not finite is null in JSON. */
const conditionsIn = (certificate: Readonly<Record<string, unknown>>): Condition[] => {
  const errors = fields(certificate.errors);
  const of = (from: Readonly<Record<string, unknown>>, names: readonly string[]): Condition[] =>
    names.flatMap((name) => {
      const residual = from[name];
      return residual === undefined ? [] : [{ name, residual: isNumber(residual) ? residual : Number.NaN }];
    });
  return [...of(certificate, residuals), ...of(errors, estimates)];
};
