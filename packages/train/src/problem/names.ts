// Names of requirements as a person gives them. Reports print a spec's name with what it is measured as, of which group and on which
// side: `odds, false positives [group=D], at most 0.05`. Each of these may be given, or its beginning, which is all that begin so.

const begins = (name: string, text: string): boolean =>
  name === text || name.startsWith(`${text} [`) || name.startsWith(`${text}, `);

/** Those of the printed names that a given one stands for. */
export const namesMeant = (given: string, printed: readonly string[]): string[] =>
  printed.includes(given) ? [given] : printed.filter((name) => begins(name, given));

/** The spec's own name behind a printed one. */
export const specName = (given: string, own: readonly string[]): string | undefined =>
  own.filter((name) => begins(given, name)).sort((a, b) => b.length - a.length)[0];
