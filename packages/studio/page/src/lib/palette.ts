// Colours of things that are told apart, as custom properties, so that they follow light and dark.

const count = 8;

/** The colour of the i-th of a list. */
export const colour = (i: number): string => `var(--hue-${(i % count) + 1})`;

/** A colour for each requirement, the same on every page that tells of the same ones. */
export const requirementColours = (names: Iterable<string>): Map<string, string> =>
  new Map([...names].sort().map((name, i) => [name, colour(i)]));

/** What a CSS colour is on this page now, for a canvas. */
export function resolved(css: string): string {
  const probe = document.createElement("span");
  probe.style.color = css;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
