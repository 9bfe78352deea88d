// What in a report cannot be read. A verdict rests on every requirement, so where one of them has no number there is none.
import { certificateProblem } from "./certificate.js";
import { fields, isLevel, isNumber, isObject } from "./fields.js";

/** Part of a report that is not as it has to be. */
export interface Unreadable {
  /** Undefined where it is the report itself. */
  readonly requirement?: string;
  /** After the name: "has no price that is a number". */
  readonly why: string;
}

/** Fields that a verdict reads, where a report has them: one of these words, or of this type. */
const words: Readonly<Record<string, readonly unknown[]>> = {
  sense: ["at most", "at least", "equal to", "between"],
  status: ["met", "at its level", "gave way", "violated", "unknown"],
  pricedBy: ["strict", "loss"],
  decidedOn: ["train", "validation", "folds"],
};
const types = {
  ...{
    hard: "truth value",
    perExample: "truth value",
    byConstruction: "truth value",
    unsettled: "truth value",
  },
  ...{ strict: "number", allowance: "number", few: "number", cost: "text", of: "text", relative: "text" },
} as const;
const isOf = (type: (typeof types)[keyof typeof types], value: unknown): boolean =>
  type === "number" ? isNumber(value) : typeof value === (type === "text" ? "string" : "boolean");

const numbers = ["reached", "relaxation", "price"] as const;

/** Undefined where a requirement can be read. */
export function whyUnreadable(requirement: unknown): string | undefined {
  if (!isObject(requirement)) return "is not an object";
  const r = fields(requirement);
  if (!isLevel(r.level)) return "has no level that is a number";
  const missing = numbers.find((key) => !isNumber(r[key]));
  if (missing) return `has no ${missing === "reached" ? "value reached" : missing} that is a number`;
  const unknown = Object.entries(words).find(
    ([key, known]) => r[key] !== undefined && !known.includes(r[key]),
  );
  if (unknown) return `has an unknown ${unknown[0]}, ${JSON.stringify(r[unknown[0]])}`;
  const wrong = Object.entries(types).find(([key, type]) => r[key] !== undefined && !isOf(type, r[key]));
  return wrong && `has ${wrong[0]} that is not ${wrong[1] === "text" ? "text" : `a ${wrong[1]}`}`;
}

/** Of a report of training: what its spec asks for and the report does not tell of. */
export function absentFrom(report: unknown, run: unknown): Unreadable[] {
  const asked = Object.keys(fields(fields(fields(run).spec).requirements));
  const told = Object.entries(fields(fields(report).requirements));
  return asked
    .filter(
      (name) =>
        !told.some(
          ([key, value]) => key === name || key.startsWith(`${name} [`) || fields(value).of === name,
        ),
    )
    .map((requirement) => ({ requirement, why: "is asked for by its spec and is not in the report" }));
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
