// What the figures of a page are of: the run, or the runs. Pages say it once; a saved figure holds it.
import { getContext, setContext } from "svelte";

const key = Symbol("source");

export const setSource = (source: () => string): void => {
  setContext(key, source);
};

export const getSource = (): (() => string) => getContext<(() => string) | undefined>(key) ?? (() => "");
