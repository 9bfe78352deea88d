// What lies in a file, of which nothing is known, looked at part by part.

export type Fields = Readonly<Record<string, unknown>>;

/** Of what has no fields, none. */
export const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export const isNumber = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value);

export const isLevel = (value: unknown): value is number | readonly number[] =>
  isNumber(value) || (Array.isArray(value) && value.length > 0 && value.every(isNumber));

export const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
