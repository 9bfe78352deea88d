// What a run is called on the page: first what it calls itself, then the folder it lies in.
import type { RunSummary } from "../../../src/api.js";

type Named = Pick<RunSummary, "name" | "title" | "seed"> & Partial<Pick<RunSummary, "apart">>;

/** Made once, and when it is first needed: that takes a browser as long as drawing ten runs. */
let collator: Intl.Collator | undefined;

/** 2 before 10. */
export function inOrder(a: string, b: string): number {
  collator ??= new Intl.Collator("en", { numeric: true });
  return collator.compare(a, b);
}

const parts = (name: string): string[] => name.split("/");

export const titleOf = ({ name, title }: Named): string =>
  settingWords(title || (parts(name).at(-1) as string));

/** A level in a title is named by its requirement alone, not by its whole path in the spec. */
export const settingWords = (text: string): string =>
  text.replace(/\brequirements\.(.+?)\.level\b/g, "$1 level");

/** With how it differs from a run of the same title, so that no other run has it. */
export const fullTitleOf = (run: Named): string =>
  run.apart ? `${titleOf(run)}, ${settingWords(run.apart)}` : titleOf(run);

/** The outermost folder a run lies in; "" for a run that lies in the runs folder itself. */
export const folderOf = ({ name }: Named): string => (parts(name).length > 1 ? parts(name)[0] : "");

/** The path, where it says more than the title does. */
export const pathOf = (run: Named): string => (run.name === titleOf(run) ? "" : run.name);

/** What one label says and another does not, word by word; all of it where that is nothing. */
export function apart(label: string, other: string): string {
  const said = new Set(other.split(" "));
  return (
    label
      .split(" ")
      .filter((word) => !said.has(word))
      .join(" ") || label
  );
}

/** A short name for each of some runs, that none of the others has. */
export function labelsOf(runs: readonly Named[]): ReadonlyMap<string, string> {
  const ways: ((run: Named) => string)[] = [
    titleOf,
    fullTitleOf,
    (run) => `${titleOf(run)}, seed ${run.seed}`,
    (run) => `${titleOf(run)}, ${run.name}`,
  ];
  const labels = new Map<string, string>();
  for (const way of ways) {
    const left = runs.filter(({ name }) => !labels.has(name));
    const count = new Map([...labels.values()].map((label) => [label, 1]));
    for (const run of left) count.set(way(run), (count.get(way(run)) ?? 0) + 1);
    for (const run of left)
      if (count.get(way(run)) === 1 || way === ways.at(-1)) labels.set(run.name, way(run));
  }
  return labels;
}
