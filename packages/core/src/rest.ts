// Whether what is looked at again and again has stood still.

/** So many looks, the last among them. */
const looks = 10;

/** Of looks at a step each, whether the last ones are all within a distance of each other; an earlier step or other terms begin anew. */
export function rest(): (step: number, value: number, within: number, terms: unknown) => boolean {
  let about: unknown;
  let seen: { readonly step: number; readonly value: number }[] = [];
  return (step, value, within, terms) => {
    if (terms !== about || step < (seen.at(-1)?.step ?? 0)) seen = [];
    about = terms;
    seen = [...seen.filter((one) => one.step < step), { step, value }].slice(-looks);
    const values = seen.map((one) => one.value);
    return seen.length === looks && Math.max(...values) - Math.min(...values) <= within;
  };
}
