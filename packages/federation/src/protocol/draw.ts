// Which sites take part in a round, and which of them sum together. Both follow from the run, the round and the identities of the
// roster by a hash, whatever sites are called and in whatever order they are told. So every site can check that it sums with those that
// were drawn, and no coordinator chooses who surrounds a site.
import { digest } from "../sums/index.js";
import { byText, type Roster } from "./transcript.js";

/** How sites are drawn. */
export interface DrawOptions {
  /** Sites that a round asks; all unless given. */
  readonly sample?: number;
  /** Sites in a group at the least, each with a secure sum of its own; one group unless given. */
  readonly group?: number;
}

/** The most sites that one sum can have. */
export const largestGroup = ({ sample, group }: DrawOptions, sites: number): number => {
  const drawn = Math.min(sites, sample ?? sites);
  return group === undefined ? drawn : Math.min(drawn, 2 * group - 1);
};

// The last draw of each roster: it is asked for in every exchange of a round.
const latest = new WeakMap<
  Roster,
  { readonly by: string; readonly groups: readonly (readonly string[])[] }
>();

// Each roster is hashed once.
const keys = new WeakMap<Roster, string>();

function keysHash(roster: Roster): string {
  const known = keys.get(roster) ?? digest(Object.values(roster).sort(byText).join());
  keys.set(roster, known);
  return known;
}

/** The groups of a round: as many as there can be, of sizes that differ by one at most, each by name. */
export function drawnGroups(
  run: string,
  step: number,
  roster: Roster,
  { sample, group }: DrawOptions,
): readonly (readonly string[])[] {
  const names = Object.keys(roster).sort(byText);
  if (sample === undefined && group === undefined) return [names];
  const by = JSON.stringify([run, step, sample, group]);
  const known = latest.get(roster);
  if (known?.by === by) return known.groups;
  const seed = digest(`pliant draw ${run} ${step} ${keysHash(roster)}`);
  const places = names.map((name) => ({ name, place: digest(`${seed} ${roster[name]}`) }));
  const order = places.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ name }) => name);
  const drawn = order.slice(0, sample);
  const count = group === undefined ? 1 : Math.max(1, Math.floor(drawn.length / group));
  const groups = Array.from({ length: count }, (_, g) =>
    drawn
      .slice(Math.round((g * drawn.length) / count), Math.round(((g + 1) * drawn.length) / count))
      .sort(byText),
  );
  latest.set(roster, { by, groups });
  return groups;
}
