// The warning about a model that never predicts one of the classes, which a mean loss or error hides.

/** A class that some examples are of and no answer is. */
export interface Unanswered {
  readonly class: string;
  readonly examples: number;
}

/** A sentence where there is such a class. */
export function unansweredWords(
  { examples, unanswered = [] }: { readonly examples: number; readonly unanswered?: readonly Unanswered[] },
  rows: string,
): string[] {
  if (unanswered.length === 0) return [];
  const classes = unanswered.map(
    (one, i) => `${one.class} (${one.examples}${i === 0 ? ` of the ${examples} ${rows}` : ""})`,
  );
  return [`The model never predicts ${classes.join(" or ")}.`];
}

/** The classes of the examples that are never predicted. */
export function unansweredIn(
  answers: ArrayLike<number>,
  truth: ArrayLike<number>,
  classes: readonly string[],
): Unanswered[] {
  const given = new Set(Array.from(answers));
  return classes.flatMap((name, k) => {
    const examples = Array.from(truth).filter((one) => one === k).length;
    return examples > 0 && !given.has(k) ? [{ class: name, examples }] : [];
  });
}
