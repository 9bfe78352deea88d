// Errors the engine raises for a mistake of its user: one sentence that says what, where and what to do.

/** A mistake in a program or its arguments, or something a back end cannot do; its message is a sentence. */
export class EngineError extends Error {
  override readonly name: string = "EngineError";
}

/** A shape, axis or dtype that an operation cannot take. Found while tracing, so it carries the user's line. */
export class ShapeError extends EngineError {
  override readonly name = "ShapeError";
  readonly operation: string;

  constructor(operation: string, problem: string) {
    const line = userLine(new Error().stack ?? "");
    super(`${operation}: ${problem}${line ? ` (at ${line})` : ""}`);
    this.operation = operation;
  }
}

/** Describes a value of the wrong kind in a sentence: `undefined`, `a string`, `a promise`. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (value instanceof Promise) return "a promise";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A package's compiled modules lie in dist, and where source maps are followed its frames are those of src. A bundle's are not its own. */
const isCompiled = import.meta.url.endsWith("/dist/errors.js");

const foldersOf = (url: string): string[] => {
  const folder = url.replace(/[^/]*$/, "");
  return isCompiled ? [folder, folder.replace(/\/dist\/$/, "/src/")] : [folder];
};
const libraries = foldersOf(import.meta.url);

/** Says that a module's folder is a library's: a mistake is on a line of whoever calls it. */
export const isLibrary = (url: string): void => {
  libraries.push(...foldersOf(url));
};

/** The innermost stack frame that lies outside the engine and the libraries over it: the line the user wrote. */
function userLine(stack: string): string | undefined {
  for (const frame of stack.split("\n").slice(1)) {
    const place = frame.match(/(?:file:\/\/|https?:\/\/|\/|[A-Z]:\\)[^()\s]*:\d+:\d+/)?.[0];
    if (!place || place.includes("node:")) continue;
    const url = place.startsWith("/") ? `file://${place}` : place;
    if (!libraries.some((folder) => url.startsWith(folder))) return place.replace(/^file:\/\//, "");
  }
  return undefined;
}
