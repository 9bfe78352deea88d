// What in a report cannot be read. A verdict rests on every requirement, so where one of them has no number there is none.
import { certificateProblem } from "./certificate.js";
import { fields, isLevel, isNumber, isObject, text } from "./fields.js";

/** Part of a report that is not as it has to be. */
export interface Unreadable {
  /** Undefined where it is the report itself. */
  readonly requirement?: string;
  /** After the name: "has no price that is a number". */
  readonly why: string;
}

const senses: readonly unknown[] = ["at most", "at least", "equal to", "between"];
const numbers = ["reached", "relaxation", "price"] as const;

/** Undefined where a requirement can be read. */
export function whyUnreadable(requirement: unknown): string | undefined {
  if (!isObject(requirement)) return "is not an object";
  const r = fields(requirement);
  if (!isLevel(r.level)) return "has no level that is a number";
  const missing = numbers.find((key) => !isNumber(r[key]));
  if (missing) return `has no ${missing === "reached" ? "value reached" : missing} that is a number`;
  if (r.sense !== undefined && !senses.includes(r.sense)) return `has an unknown sense, ${String(r.sense)}`;
  if (r.status !== undefined && text(r.status) === undefined) return "has a status that is not text";
  return undefined;
}

/** A report without requirements or without a certificate may be one that has none. */
export function unreadableIn(report: unknown): Unreadable[] {
  const { requirements = {}, certificate } = fields(report);
  if (!isObject(requirements)) return [{ why: "has requirements that are not an object" }];
  const found = Object.entries(fields(requirements)).flatMap(([requirement, value]): Unreadable[] => {
    const why = whyUnreadable(value);
    return why === undefined ? [] : [{ requirement, why }];
  });
  const wrong = certificateProblem(certificate);
  return wrong === undefined ? found : [...found, { why: wrong }];
}

/** As many as a sentence bears. */
const mostNamed = 3;

/** In a sentence; undefined where all can be read. */
export function unreadableWords(found: readonly Unreadable[]): string | undefined {
  if (found.length === 0) return undefined;
  const parts = found
    .slice(0, mostNamed)
    .map(({ requirement, why }) => (requirement === undefined ? `it ${why}` : `${requirement} ${why}`));
  const more = found.length > mostNamed ? `; and ${found.length - mostNamed} more` : "";
  return `report.json cannot be read in full, so no verdict is given: ${parts.join("; ")}${more}.`;
}
