// Importance and effects of all rows beside those of each group of one column.
import type { Effect, Importance, ModelView } from "../../../src/held-out.js";
import { colour } from "../lib/palette.js";

/** All rows, or one group, in the colour that it has in every figure. */
export interface Explained {
  readonly name: string;
  readonly colour: string;
  readonly importance: readonly Importance[];
  readonly effects: readonly Effect[];
}

type Explaining = Pick<ModelView, "importance" | "effects" | "byGroup" | "groups">;

/** As many as there are colours that people tell apart. */
export const mostGroups = 8;

export const colourOf = (place: number): string => (place === 0 ? "var(--ink)" : colour(place - 1));

/** The columns whose groups can be compared. */
export const comparable = ({ byGroup }: Pick<ModelView, "byGroup">): string[] => [
  ...new Set(byGroup.map(({ column }) => column)),
];

/** All rows first, then the groups of the column, if one is given. */
export function explainedBy(
  { importance, effects, byGroup, groups }: Explaining,
  column: string,
): Explained[] {
  const placeOf = (value: string): number =>
    groups.findIndex((group) => group.column === column && group.value === value);
  const all = { name: "all rows", colour: colourOf(0), importance, effects };
  const some = byGroup.filter((group) => group.column === column).slice(0, mostGroups - 1);
  return [
    all,
    ...some.map(({ value, ...group }, i) => ({
      name: `${column} ${value}`,
      // A model of a number has no counts by group.
      colour: colourOf(placeOf(value) > 0 ? placeOf(value) : i + 1),
      importance: group.importance,
      effects: group.effects,
    })),
  ];
}
