// A fault put into the code on purpose: one piece of text in one file replaced by another, and the tests that should see it.

export interface Fault {
  /** What goes wrong. */
  readonly what: string;
  /** From the package. */
  readonly file: string;
  /** Is in the file exactly once. */
  readonly from: string;
  readonly to: string;
  /** Files of tests, from the package's folder of them, without their ending. */
  readonly tests: readonly string[];
  /** Only tests whose names match. */
  readonly named?: string;
}

/** Faults of one file that the same tests should see: what, from, to. */
export const faultsIn = (
  file: string,
  tests: readonly string[],
  list: readonly (readonly [what: string, from: string, to: string, named?: string])[],
): Fault[] =>
  list.map(([what, from, to, named]) => ({ file, tests, what, from, to, ...(named && { named }) }));
