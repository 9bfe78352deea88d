// The one place that reads certificates. A report of any version is understood: residuals of the four conditions, error estimates of
// each number, or both. A field that is missing is left out; one that is not a number makes the certificate unreadable.
import { type Fields, fields, isNumber, isObject, textsOf } from "./fields.js";

/** Which minimum is certified. */
export type CertificateKind = "global" | "local" | "stationary";

/** How exactly the numbers of a report are known, by requirement. */
export interface ErrorEstimates {
  readonly objective?: number;
  readonly prices: Readonly<Record<string, number>>;
  readonly relaxations: Readonly<Record<string, number>>;
  readonly values: Readonly<Record<string, number>>;
}

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
  /** The conditions of the equilibrium whose residuals the report has. */
  readonly conditions: readonly Condition[];
  readonly errors?: ErrorEstimates;
}

const residuals = ["equilibrium", "feasibility", "complementarity", "stationarity"] as const;
const kinds: readonly CertificateKind[] = ["global", "local", "stationary"];
/** Of a certificate that does not state its own. */
const usualTolerance = 1e-3;

/** Undefined if the report has no certificate. */
export function certificateOf(report: unknown): CertificateResult | undefined {
  const { certificate } = fields(report);
  const found = fields(certificate);
  if (Object.keys(found).length === 0) return undefined;
  const { holds, tolerance, kind, short } = found;
  const known = kinds.find((one) => one === kind);
  const errors = errorsIn(found.errors);
  return {
    holds: holds === true,
    tolerance: isNumber(tolerance) ? tolerance : usualTolerance,
    ...(known && { kind: known }),
    reasons: textsOf(short),
    conditions: residuals.flatMap((name) => {
      const residual = found[name];
      return isNumber(residual) ? [{ name, residual }] : [];
    }),
    ...(errors && { errors }),
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
  const lost = [...residuals, "tolerance"].find((key) => c[key] !== undefined && !isNumber(c[key]));
  if (lost) return `is certified with ${lost} that is not a number`;
  const wrong = c.errors === undefined ? undefined : errorProblem(c.errors);
  return wrong && `is certified with ${wrong}`;
}

/** The largest residual, for a curve over the steps; NaN if one of them is not known. */
export function largestResidual(certificate: unknown): number {
  const c = fields(certificate);
  const known = residuals.filter((name) => c[name] !== undefined);
  if (known.length === 0) return Number.NaN;
  return Math.max(...known.map((name) => (isNumber(c[name]) ? c[name] : Number.NaN)));
}

const tables = ["prices", "relaxations", "values"] as const;

function errorProblem(errors: unknown): string | undefined {
  if (!isObject(errors)) return "error estimates that are not an object";
  const { objective, ...rest } = fields(errors);
  if (objective !== undefined && !isNumber(objective))
    return "an error of the objective that is not a number";
  for (const table of tables)
    for (const [name, error] of Object.entries(fields(rest[table])))
      if (largest(error) === undefined) return `an error of ${name} among its ${table} that is not a number`;
  return undefined;
}

function errorsIn(errors: unknown): ErrorEstimates | undefined {
  if (!isObject(errors)) return undefined;
  const found = fields(errors);
  const [prices, relaxations, values] = tables.map((table) => numbersIn(fields(found[table])));
  return {
    ...(isNumber(found.objective) && { objective: found.objective }),
    ...{ prices, relaxations, values },
  };
}

/** Names of requirements may be those of an object's own parts. */
function numbersIn(table: Fields): Record<string, number> {
  const known: Record<string, number> = Object.create(null);
  for (const [name, value] of Object.entries(table)) {
    const error = largest(value);
    if (error !== undefined) known[name] = error;
  }
  return known;
}

/** A requirement of several elements has an error for each; the largest stands for them. */
function largest(value: unknown): number | undefined {
  const list = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every(isNumber) ? Math.max(...list) : undefined;
}
