// Whether what is looked at again and again has stood still.

/** So many looks, the last among them. */
const looks = 10;

/**
 * Of looks at a step each, whether the last ones are all within a distance of each other. A look back at what was seen before is no
 * other look; another earlier step, or other terms, begin anew.
 */
export function rest(): (step: number, value: number, within: number, terms: unknown) => boolean {
  let about: unknown;
  let seen = new Map<number, number>();
  let last = 0;
  return (step, value, within, terms) => {
    if (terms !== about || (step <= last && seen.get(step) !== value)) [seen, last] = [new Map(), step];
    about = terms;
    last = Math.max(last, step);
    const values = [...seen.set(step, value).values()].slice(-looks);
    return values.length === looks && Math.max(...values) - Math.min(...values) <= within;
  };
}
